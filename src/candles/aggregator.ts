import type { CandleView } from '../core/candle.ts';
import type { Clock } from '../core/clock.ts';
import { follow } from '../core/continuity.ts';
import type { Instrument } from '../core/instrument.ts';
import type { CandleFrame, StreamEntry, TickEntry } from '../core/stream-entry.ts';
import { compareStreamIds, STREAM_START, type StreamId } from '../core/stream-id.ts';
import type { Tick } from '../core/tick.ts';
import type { Flush, ShardRow, Store } from '../store/store.ts';
import { OpenCandles } from './open-candles.ts';
import { type CandleWriter, createCandleWriter, type WriterCounts } from './writer.ts';

/**
 * Builds a shard's candles from its stream (D5, docs/spec/checkpoint.md). The checkpoint in the store is the truth: it
 * commits together with the candles it stands for. The consumer group only delivers and shows who is behind.
 */
export interface Aggregator {
  /** Takes the shard over and follows its stream until the signal aborts; what was read is committed before it ends. */
  run(signal: AbortSignal): Promise<void>;
  readonly counts: Readonly<WriterCounts>;
}

/** A shard's stream through a consumer group. */
export interface AggregatorInput {
  /** Makes sure the group exists; a new one starts after `after`. */
  open(after: StreamId): Promise<void>;
  /** Ids handed to the group and never acknowledged, whoever got them: a shard has one owner (F5). Oldest first. */
  pending(): Promise<StreamId[]>;
  /** The last entry ever handed to the group. */
  lastDelivered(): Promise<StreamId>;
  /** Entries after `after` up to and including `through`, oldest first. */
  range(after: StreamId, through: StreamId, count: number): Promise<StreamEntry[]>;
  /** New entries; waits up to `blockMs` when there are none. */
  read(options: { count: number; blockMs: number }): Promise<readonly StreamEntry[]>;
  ack(ids: readonly StreamId[]): Promise<number>;
}

export interface AggregatorOptions {
  readonly shard: number;
  readonly ownerToken: string;
  readonly store: Store;
  readonly input: AggregatorInput;
  /** Announces a commit to live readers, and lets the stream be trimmed up to it (D2, D5). After the commit (R37). */
  readonly announce: (frame: CandleFrame) => Promise<void>;
  readonly clock: Clock;
  readonly flushMs: number;
  readonly observe: (event: AggregatorEvent) => void;
}

export type AggregatorEvent =
  | {
      readonly kind: 'committed';
      readonly commitNo: number;
      readonly ticks: number;
      readonly duplicates: number;
      readonly candles: number;
      readonly tookMs: number;
      readonly through: StreamId;
    }
  | { readonly kind: 'fenced'; readonly ownerToken: string }
  | { readonly kind: 'gap'; readonly reason: string }
  | { readonly kind: 'malformed'; readonly id: StreamId; readonly reason: string }
  | { readonly kind: 'quarantined'; readonly symbol: string; readonly reason: string };

const READ_COUNT = 1_000;
/** D4: a blocked read returns at least this often, to look at the signal and at the clock. */
const BLOCK_MS = 500;
/** A flush this large is committed at once: rows cost the same, and the next read waits less. */
const FLUSH_TICKS_MAX = 5_000;
/** Above it readers are told to fetch instead (D5). */
const FRAME_CANDLES_MAX = 2_000;

export function createAggregator(options: AggregatorOptions): Aggregator {
  const totals: WriterCounts = { received: 0, applied: 0, duplicate: 0 };
  return {
    counts: totals,
    async run(signal) {
      while (!signal.aborted) {
        const tenure = await Tenure.take(options);
        try {
          let mine = await tenure.catchUp();
          while (mine && !signal.aborted) mine = await tenure.step();
          if (mine) await tenure.flush();
        } finally {
          for (const name of ['received', 'applied', 'duplicate'] as const) totals[name] += tenure.writer.counts[name];
        }
      }
    },
  };
}

/** One ownership of the shard: from takeover until it is fenced or told to stop. */
class Tenure {
  readonly writer: CandleWriter;
  readonly #options: AggregatorOptions;
  readonly #row: ShardRow;
  readonly #instruments: Map<string, Instrument>;
  readonly #open: OpenCandles;
  /** Last entry applied; undefined on a shard that never had one. */
  #cursor: StreamId | undefined;
  /** Last entry looked at, applied or not. */
  #seen: StreamId;
  #sourceCursor: string | undefined;
  /** As of the last commit: where a feed resumes when Redis has lost its data. */
  #durableSourceCursor: string | undefined;
  #watermarkUs: number;
  /** Entries to acknowledge after the next commit. */
  #handed: StreamId[] = [];
  #dirtySinceMs: number | undefined;
  #ingestMs = 0;

  static async take(options: AggregatorOptions): Promise<Tenure> {
    const row = await options.store.takeOver(options.shard, options.ownerToken);
    const instruments = new Map(
      (await options.store.instruments()).map((instrument) => [instrument.symbol, instrument]),
    );
    const open = await OpenCandles.load(options.store, row, instruments);
    return new Tenure(options, row, instruments, open);
  }

  private constructor(
    options: AggregatorOptions,
    row: ShardRow,
    instruments: Map<string, Instrument>,
    open: OpenCandles,
  ) {
    this.#options = options;
    this.#row = row;
    this.#instruments = instruments;
    this.#open = open;
    this.#cursor = row.streamId;
    this.#seen = row.streamId ?? STREAM_START;
    this.#sourceCursor = row.sourceCursor;
    this.#durableSourceCursor = row.sourceCursor;
    this.#watermarkUs = row.watermarkUs;
    this.writer = createCandleWriter({
      store: options.store,
      shard: options.shard,
      ownerTerm: row.ownerTerm,
      instruments,
    });
  }

  /** Applies what earlier owners were handed and did not commit. False when another owner has taken over. */
  async catchUp(): Promise<boolean> {
    const { input, announce } = this.#options;
    const { streamId = STREAM_START, commitNo } = this.#row;
    await input.open(streamId);
    // Stands in for the frame of the last commit if its owner died before it was announced, or was a guest (D5).
    if (compareStreamIds(streamId, STREAM_START) > 0)
      await announce({ commitNo, through: streamId, kind: 'refetch', candles: [] });
    const pending = await input.pending();
    const isCommitted = (id: StreamId): boolean => compareStreamIds(id, streamId) <= 0;
    await input.ack(pending.filter(isCommitted));
    if (!(await this.#fetchDelivered())) return false;
    // What was trimmed while it was pending comes in no range.
    this.#handed.push(...pending.filter((id) => !isCommitted(id)));
    return true;
  }

  /** Reads once, or commits when due. False when another owner has taken over. */
  async step(): Promise<boolean> {
    const { clock, flushMs, input } = this.#options;
    const waitedMs = this.#dirtySinceMs === undefined ? undefined : clock.monotonicMs() - this.#dirtySinceMs;
    if (this.writer.pending >= FLUSH_TICKS_MAX || (waitedMs !== undefined && waitedMs >= flushMs)) return this.flush();
    const blockMs = waitedMs === undefined ? BLOCK_MS : Math.min(BLOCK_MS, Math.ceil(flushMs - waitedMs));
    const entries = await input.read({ count: READ_COUNT, blockMs });
    if (entries.length === 0) return this.#fetchDelivered();
    await this.#apply(entries);
    return true;
  }

  /** Commits what was applied, then acknowledges, then announces (D5, R37). */
  async flush(): Promise<boolean> {
    const through = this.#cursor;
    if (this.#dirtySinceMs === undefined || through === undefined) return true;
    const { clock, input, observe } = this.#options;
    const startedMs = clock.monotonicMs();
    const ticks = this.writer.pending;
    const before = this.writer.counts.duplicate;
    const checkpoint = { streamId: through, sourceCursor: this.#sourceCursor, watermarkUs: this.#watermarkUs };
    const closedThrough = this.#open.closings(this.#instruments);
    const outcome = await this.writer.flush({ ingestMs: this.#ingestMs, checkpoint, closedThrough });
    if (outcome.kind === 'fenced') {
      observe({ kind: 'fenced', ownerToken: outcome.ownerToken });
      return false;
    }
    const { commitNo } = outcome;
    const rows = outcome.candles.map((candle) => ({ ...candle, rev: commitNo }));
    this.#close(closedThrough);
    this.#durableSourceCursor = this.#sourceCursor;
    const acknowledged = this.#handed;
    this.#handed = [];
    this.#dirtySinceMs = undefined;
    observe({
      kind: 'committed',
      commitNo,
      ticks,
      duplicates: this.writer.counts.duplicate - before,
      candles: rows.length,
      tookMs: clock.monotonicMs() - startedMs,
      through,
    });
    await input.ack(acknowledged);
    await this.#options.announce(
      frameOf(commitNo, through, this.#open.committed(rows, this.#watermarkUs, this.#instruments)),
    );
    return true;
  }

  /**
   * Reads by range what the group was handed and this owner has not seen: an earlier owner's, or what a blocked read of
   * a dead one has eaten, which new reads never show again (D4). False when another owner has taken over.
   */
  async #fetchDelivered(): Promise<boolean> {
    const { input } = this.#options;
    const through = await input.lastDelivered();
    while (compareStreamIds(this.#seen, through) < 0) {
      const entries = await input.range(this.#seen, through, READ_COUNT);
      if (entries.length === 0) break;
      await this.#apply(entries);
      if (this.writer.pending >= FLUSH_TICKS_MAX && !(await this.flush())) return false;
    }
    return true;
  }

  #close(closedThrough: NonNullable<Flush['closedThrough']>): void {
    for (const { instrumentId, closedThroughUs } of closedThrough) {
      const instrument = [...this.#instruments.values()].find((known) => known.instrumentId === instrumentId);
      if (instrument) this.#instruments.set(instrument.symbol, { ...instrument, closedThroughUs });
    }
  }

  async #apply(entries: readonly StreamEntry[]): Promise<void> {
    const ticks: TickEntry[] = [];
    for (const entry of entries) {
      this.#handed.push(entry.id);
      if (compareStreamIds(entry.id, this.#seen) > 0) this.#seen = entry.id;
      if (!(await this.#bridge(entry))) continue;
      this.#note(entry);
      if (entry.kind === 'tick') ticks.push(entry);
      this.#cursor = entry.id;
    }
    if (entries.length > 0) this.#dirtySinceMs ??= this.#options.clock.monotonicMs();
    await this.#add(ticks);
  }

  /** D4: reads what lies between the cursor and this entry. False when the entry is not to be applied. */
  async #bridge(entry: StreamEntry): Promise<boolean> {
    const { input, observe } = this.#options;
    for (;;) {
      const verdict = follow(this.#cursor, entry);
      switch (verdict) {
        case 'next':
        case 'failover':
          return true;
        case 'duplicate':
          return false;
        case 'foreign':
          observe({ kind: 'malformed', id: entry.id, reason: 'belongs to an epoch that no barrier opened' });
          return false;
        case 'emptied':
          if (this.#durableSourceCursor === undefined) observe({ kind: 'gap', reason: 'stream-emptied' });
          return true;
        case 'hole':
        case 'unread-tail': {
          const until = entry.kind === 'barrier' && entry.prev !== undefined ? entry.prev : entry.id;
          const found = await input.range(this.#cursor ?? STREAM_START, until, READ_COUNT);
          const before = this.#cursor;
          await this.#apply(found.filter(({ id }) => compareStreamIds(id, entry.id) < 0));
          if (this.#cursor !== before) continue;
          observe({ kind: 'gap', reason: 'trimmed-unread' });
          return true;
        }
      }
    }
  }

  #note(entry: StreamEntry): void {
    const { observe } = this.#options;
    this.#ingestMs = Math.max(this.#ingestMs, entry.ingestMs);
    if (entry.kind === 'gap') observe({ kind: 'gap', reason: entry.reason });
    if (entry.kind === 'malformed') observe({ kind: 'malformed', id: entry.id, reason: entry.reason });
    if (entry.kind !== 'watermark') return;
    this.#sourceCursor = entry.sourceCursor ?? this.#sourceCursor;
    if (entry.watermarkUs === Number.MAX_SAFE_INTEGER) this.#open.endSource(entry.source);
    else this.#watermarkUs = Math.max(this.#watermarkUs, entry.watermarkUs);
  }

  /** Ticks of a symbol that nobody registered, or that says otherwise whether it is simulated, stay out (D1, T1). */
  async #add(entries: readonly TickEntry[]): Promise<void> {
    const unknown = entries.some(({ tick }) => !this.#instruments.has(tick.symbol));
    if (unknown)
      for (const instrument of await this.#options.store.instruments())
        this.#instruments.set(instrument.symbol, instrument);
    const accepted: Tick[] = [];
    for (const { tick, simulated } of entries) {
      const instrument = this.#instruments.get(tick.symbol);
      if (instrument?.simulated === simulated) {
        accepted.push(tick);
        this.#open.noteTick(instrument.instrumentId, tick.tsUs);
      } else {
        const reason =
          instrument === undefined
            ? 'was not registered'
            : `is ${instrument.simulated ? 'simulated' : 'real'} in this store`;
        this.#options.observe({ kind: 'quarantined', symbol: tick.symbol, reason });
      }
    }
    if (accepted.length > 0) await this.writer.add(accepted);
  }
}

function frameOf(commitNo: number, through: StreamId, candles: readonly CandleView[]): CandleFrame {
  return candles.length > FRAME_CANDLES_MAX
    ? { commitNo, through, kind: 'refetch', candles: [] }
    : { commitNo, through, kind: 'candles', candles };
}
