import type { CandleRow } from '../core/candle.ts';
import type { Instrument } from '../core/instrument.ts';
import type { Tick } from '../core/tick.ts';
import type { ArchivedTick, Checkpoint, CommitOutcome, Flush, Store } from '../store/store.ts';
import { type CandleBook, createCandleBook } from './book.ts';
import { createDedupeSet, type DedupeSet } from './dedupe.ts';
import { createFold } from './fold.ts';

/**
 * R24: received = applied + duplicate, counted when they are committed, so that the law holds at all times. Rejected
 * rows never come this far; they are counted where they are read.
 */
export interface WriterCounts {
  received: number;
  applied: number;
  duplicate: number;
}

/**
 * Turns trades into committed candles for one shard: dedupe, fold, merge with what is stored, commit. The aggregator
 * and the importer both write through it, so a candle is made in one way only.
 */
export interface CandleWriter {
  readonly counts: Readonly<WriterCounts>;
  /** Accepted trades waiting for the next flush. */
  readonly pending: number;
  /** Drops duplicates and folds the rest. Every symbol must be an instrument of the map given at creation. */
  add(ticks: readonly Tick[]): Promise<void>;
  /** Commits everything added. `fenced`: somebody took the shard over; the writer is empty again and knows nothing. */
  flush(of: FlushOptions): Promise<FlushOutcome>;
}

export interface FlushOptions {
  readonly ingestMs: number;
  readonly checkpoint?: Checkpoint;
  readonly closedThrough?: NonNullable<Flush['closedThrough']>;
}

export type FlushOutcome =
  | { readonly kind: 'committed'; readonly commitNo: number; readonly rows: readonly CandleRow[] }
  | Extract<CommitOutcome, { kind: 'fenced' }>;

export interface WriterOptions {
  readonly store: Pick<Store, 'archivedIds' | 'loadCandles' | 'commit'>;
  readonly shard: number;
  readonly ownerTerm: number;
  /** Registered instruments by symbol; the caller adds to it before it adds trades of a new symbol. */
  readonly instruments: ReadonlyMap<string, Instrument>;
}

export function createCandleWriter(options: WriterOptions): CandleWriter {
  return new ShardCandleWriter(options);
}

class ShardCandleWriter implements CandleWriter {
  readonly counts: WriterCounts = { received: 0, applied: 0, duplicate: 0 };
  readonly #options: WriterOptions;
  readonly #dedupe: DedupeSet;
  readonly #book: CandleBook;
  readonly #fold = createFold();
  /** Since the last commit. */
  #accepted: ArchivedTick[] = [];
  #duplicates = 0;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#dedupe = createDedupeSet(options.store);
    this.#book = createCandleBook(options.store);
  }

  get pending(): number {
    return this.#accepted.length;
  }

  async add(ticks: readonly Tick[]): Promise<void> {
    const trades = ticks.map((tick) => ({
      instrumentId: instrumentOf(this.#options.instruments, tick),
      tsUs: tick.tsUs,
      id: tick.id,
      tick,
    }));
    await this.#dedupe.prepare(trades);
    for (const trade of trades) {
      if (!this.#dedupe.admit(trade)) {
        this.#duplicates++;
        continue;
      }
      this.#fold.add(trade.instrumentId, trade.tick);
      this.#accepted.push({ instrumentId: trade.instrumentId, tick: trade.tick });
    }
  }

  async flush(of: FlushOptions): Promise<FlushOutcome> {
    const { store, shard, ownerTerm } = this.#options;
    try {
      const candles = await this.#book.merge(this.#fold.take());
      const outcome = await store.commit({ shard, ownerTerm, candles, ticks: this.#accepted, ...of });
      if (outcome.kind === 'fenced') {
        this.#forget();
        return outcome;
      }
      this.counts.applied += this.#accepted.length;
      this.counts.duplicate += this.#duplicates;
      this.counts.received += this.#accepted.length + this.#duplicates;
      this.#accepted = [];
      this.#duplicates = 0;
      this.#book.committed(candles);
      this.#dedupe.committed();
      return { ...outcome, rows: candles.map((candle) => ({ ...candle, rev: outcome.commitNo })) };
    } catch (error) {
      this.#forget();
      throw error;
    }
  }

  /** What was admitted is not in the store: whoever goes on starts from what is. */
  #forget(): void {
    this.#dedupe.reset();
    this.#book.reset();
    this.#fold.take();
    this.#accepted = [];
    this.#duplicates = 0;
  }
}

function instrumentOf(instruments: ReadonlyMap<string, Instrument>, tick: Tick): number {
  const instrument = instruments.get(tick.symbol);
  if (instrument === undefined) throw new RangeError(`symbol ${tick.symbol} was not registered`);
  return instrument.instrumentId;
}
