import type { Instrument } from '../core/instrument.ts';
import type { Tick } from '../core/tick.ts';
import type { ArchivedTick, Checkpoint, CommitOutcome, Flush, Store } from '../store/store.ts';
import { type CandleBook, createCandleBook } from './book.ts';
import { createDedupeSet, type DedupeSet } from './dedupe.ts';
import { type CandleDelta, createFold } from './fold.ts';

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
  /**
   * Commits everything added until now; trades may be added while it runs, for the next flush. `fenced`, or an error: the
   * writer is empty again and knows nothing, whatever was added meanwhile.
   */
  flush(of: FlushOptions): Promise<FlushOutcome>;
}

export interface FlushOptions {
  readonly ingestMs: number;
  readonly checkpoint?: Checkpoint;
  readonly closedThrough?: NonNullable<Flush['closedThrough']>;
}

export type FlushOutcome =
  | { readonly kind: 'committed'; readonly commitNo: number; readonly candles: readonly CandleDelta[] }
  | Extract<CommitOutcome, { kind: 'fenced' }>;

export interface WriterOptions {
  readonly store: Pick<Store, 'archivedIds' | 'loadCandles' | 'latestCandles' | 'commit'>;
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
  /** Since the last flush. */
  #batch = emptyBatch();
  #flushing = false;
  /** Raised whenever everything is forgotten. */
  #life = 0;

  constructor(options: WriterOptions) {
    this.#options = options;
    const { store } = options;
    const book = createCandleBook(store);
    this.#book = book;
    this.#dedupe = createDedupeSet({
      // A new hour has no ids to ask for, and the question would wait behind a commit.
      archivedIds: async (instrumentId, hourStartUs) =>
        (await book.mayHaveTradesSince(instrumentId, hourStartUs)) ? store.archivedIds(instrumentId, hourStartUs) : [],
    });
  }

  get pending(): number {
    return this.#batch.accepted.length;
  }

  async add(ticks: readonly Tick[]): Promise<void> {
    const added: ArchivedTick[] = ticks.map((tick) => ({
      instrumentId: instrumentOf(this.#options.instruments, tick),
      tick,
    }));
    const life = this.#life;
    await this.#dedupe.prepare(added);
    // A flush that failed meanwhile has taken these with it.
    if (life !== this.#life) return;
    for (const entry of added) {
      if (!this.#dedupe.admit(entry)) {
        this.#batch.duplicates++;
        continue;
      }
      this.#fold.add(entry.instrumentId, entry.tick);
      this.#batch.accepted.push(entry);
    }
  }

  async flush(of: FlushOptions): Promise<FlushOutcome> {
    if (this.#flushing) throw new RangeError('one flush at a time');
    const { store, shard, ownerTerm } = this.#options;
    const { accepted, duplicates } = this.#batch;
    const deltas = this.#fold.take();
    this.#batch = emptyBatch();
    this.#dedupe.committing();
    this.#flushing = true;
    try {
      const candles = await this.#book.merge(deltas);
      const outcome = await store.commit({ shard, ownerTerm, candles, ticks: accepted, ...of });
      if (outcome.kind === 'fenced') {
        this.#forget();
        return outcome;
      }
      this.counts.applied += accepted.length;
      this.counts.duplicate += duplicates;
      this.counts.received += accepted.length + duplicates;
      this.#book.committed(candles);
      this.#dedupe.committed();
      return { ...outcome, candles };
    } catch (error) {
      this.#forget();
      throw error;
    } finally {
      this.#flushing = false;
    }
  }

  /** What was admitted is not in the store: whoever goes on starts from what is. */
  #forget(): void {
    this.#life++;
    this.#dedupe.reset();
    this.#book.reset();
    this.#fold.take();
    this.#batch = emptyBatch();
  }
}

interface Batch {
  readonly accepted: ArchivedTick[];
  duplicates: number;
}

function emptyBatch(): Batch {
  return { accepted: [], duplicates: 0 };
}

function instrumentOf(instruments: ReadonlyMap<string, Instrument>, tick: Tick): number {
  const instrument = instruments.get(tick.symbol);
  if (instrument === undefined) throw new RangeError(`symbol ${tick.symbol} was not registered`);
  return instrument.instrumentId;
}
