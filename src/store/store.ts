import type { CandleKey, CandleRow } from '../core/candle.ts';
import type { Instrument, InstrumentClaim, SourceConflict } from '../core/instrument.ts';
import type { Interval } from '../core/interval.ts';
import type { Result } from '../core/result.ts';
import type { StreamId } from '../core/stream-id.ts';
import type { Tick } from '../core/tick.ts';

/**
 * Where candles, the archive of ticks and the checkpoint live (D5, D6). One contract for every database; the suite in
 * src/testkit/store-contract.ts is what it means.
 */
export interface Store {
  /** Names the database: changes when it is restored or replaced, so that no cursor outlives it (D5). */
  readonly incarnation: string;

  /** N of D3, fixed when the store was made. */
  readonly shards: number;

  instruments(): Promise<Instrument[]>;

  /** Registers symbols for a source: all of them, or none when another source owns one (D1). Repeatable. */
  register(claims: readonly InstrumentClaim[]): Promise<Result<Instrument[], SourceConflict>>;

  shard(shard: number): Promise<ShardRow>;

  /** Takes the shard over (owner or guest): raises ownerTerm, returns the row. The previous owner's commits are then fenced. */
  takeOver(shard: number, ownerToken: string): Promise<ShardRow>;

  /** The stored candles among `keys`, in no particular order. At most LOAD_KEYS_MAX keys. */
  loadCandles(keys: readonly CandleKey[]): Promise<CandleRow[]>;

  /** Trade ids the archive holds for (instrument, hour): the dedupe set (D6). */
  archivedIds(instrumentId: number, hourStartUs: number): Promise<string[]>;

  /** Archived ticks of an instrument with fromUs <= event time < toUs, in the total order of D1. */
  archivedTicks(instrumentId: number, fromUs: number, toUs: number): Promise<Tick[]>;

  /**
   * One transaction (R32 to R35): requires ownerTerm, raises commitNo, writes absolute candles with rev = commitNo,
   * archives the ticks, moves the checkpoint. All of it or nothing.
   */
  commit(flush: Flush): Promise<CommitOutcome>;

  /** Candles of one instrument and interval with fromUs <= start < toUs, ascending: the last `limit` of them; one snapshot. */
  readCandles(query: CandleQuery): Promise<CandleSnapshot>;

  /** Newest candle of each instrument in an interval, with the one before it. */
  latestCandles(interval: Interval): Promise<LatestCandle[]>;

  /** Merges what parts hold of hours that ended at or before `beforeUs` into one segment per symbol and hour (D6). Returns blocks merged. */
  compact(shard: number, beforeUs: number): Promise<number>;

  /** Removes what retention no longer keeps. */
  retain(policy: RetentionPolicy): Promise<RetentionReport>;

  /** Bytes the store occupies, without free pages. */
  sizeBytes(): Promise<number>;

  close(): Promise<void>;
}

export const LOAD_KEYS_MAX = 20_000;
/** Rows of one read; older ones are read with `toUs` at the first start. */
export const READ_LIMIT_MAX = 100_000;
/** As many symbols as a trade file may have. */
export const CLAIMS_MAX = 100_000;
/** One flush: a transaction of about a second, of a few when every trade is of another symbol. */
export const FLUSH_CANDLES_MAX = 1_000_000;
export const FLUSH_TICKS_MAX = 1_000_000;

/** D5. A fresh shard has ownerTerm 0, commitNo 0 and no stream position. */
export interface ShardRow {
  readonly shard: number;
  readonly ownerTerm: number;
  readonly ownerToken: string;
  readonly commitNo: number;
  /** Last stream entry whose ticks are in the candles; undefined before the first commit from a stream. */
  readonly streamId: StreamId | undefined;
  /** Where the source resumes, as the feed wrote it (D3); undefined when no feed ever ran. */
  readonly sourceCursor: string | undefined;
  /** Candles that end at or before it are closed, Unix microseconds; NOTHING_CLOSED_US in a fresh shard. */
  readonly watermarkUs: number;
}

/** Before every event time. */
export const NOTHING_CLOSED_US = Number.MIN_SAFE_INTEGER;

export interface Flush {
  readonly shard: number;
  readonly ownerTerm: number;
  /** Absolute candles; `rev` is set by the store to the new commitNo. Keys are unique. */
  readonly candles: readonly Omit<CandleRow, 'rev'>[];
  /** Accepted ticks of this flush, deduplicated, with the instrument of each. */
  readonly ticks: readonly ArchivedTick[];
  /** Server time of ingestion of these ticks, Unix milliseconds; archived for `asOf` (D6). */
  readonly ingestMs: number;
  /** Guests (import, rebuild) leave all of it out (D5). */
  readonly checkpoint?: Checkpoint;
  /** Closes candles of single instruments: end of an imported file. It only grows. */
  readonly closedThrough?: readonly { readonly instrumentId: number; readonly closedThroughUs: number }[];
}

export interface ArchivedTick {
  readonly instrumentId: number;
  readonly tick: Tick;
}

export interface Checkpoint {
  readonly streamId: StreamId;
  readonly sourceCursor: string | undefined;
  readonly watermarkUs: number;
}

/** `fenced`: another owner has taken the shard over; nothing was written. */
export type CommitOutcome =
  | { readonly kind: 'committed'; readonly commitNo: number }
  | { readonly kind: 'fenced'; readonly ownerTerm: number; readonly ownerToken: string };

export interface CandleQuery {
  readonly instrumentId: number;
  readonly shard: number;
  readonly interval: Interval;
  /** Inclusive; omitted = from the first. */
  readonly fromUs?: number;
  /** Exclusive; omitted = to the last. */
  readonly toUs?: number;
  readonly limit: number;
  /** Which rows `limit` keeps when the window has more: the newest (default), or the oldest, for paging onwards. */
  readonly keep?: 'first' | 'last';
}

/** Rows and the position they are complete to, read in one snapshot (D7). */
export interface CandleSnapshot {
  readonly rows: CandleRow[];
  readonly commitNo: number;
  readonly through: StreamId | undefined;
  /** max(shard watermark, instrument closedThrough). */
  readonly closedThroughUs: number;
}

export interface LatestCandle {
  readonly row: CandleRow;
  readonly previousClose: string | undefined;
}

/** Retention is per source: what was imported stays, what a simulation makes is removed soon (D6, D10). */
export interface RetentionPolicy {
  readonly nowUs: number;
  /** Keep candles of simulated instruments this long; an interval left out is kept for ever. */
  readonly simulatedCandlesUs: Partial<Record<Interval, number>>;
  readonly simulatedTicksUs: number;
  /** Above it, the oldest simulated ticks and then the oldest simulated 1s, 5s, 1m candles go first. */
  readonly diskCapBytes: number;
}

export interface RetentionReport {
  readonly candlesRemoved: number;
  readonly segmentsRemoved: number;
  readonly sizeBytes: number;
  /** Still above the cap with nothing left that may be removed. */
  readonly overCap: boolean;
}
