import type { Instrument, InstrumentClaim, SourceConflict } from '../../core/instrument.ts';
import type { Result } from '../../core/result.ts';
import type { Checkpoint, CommitOutcome, Flush, RetentionPolicy, RetentionReport, ShardRow } from '../store.ts';
import type { CandleRecord } from './record.ts';

/**
 * What the worker does, each synchronously and in one transaction at most. Arguments and results cross a thread, so they
 * are plain data: candles as flat values, ticks as encoded blocks; the main thread encodes and decodes.
 */
export interface DatabaseOperations {
  instruments(): Instrument[];
  register(claims: readonly InstrumentClaim[]): Result<Instrument[], SourceConflict>;
  shard(shard: number): ShardRow;
  takeOver(shard: number, ownerToken: string): ShardRow;
  commit(flush: EncodedFlush): CommitOutcome;
  /** Keys flat: instrument id, interval code, start. */
  loadCandles(keys: Float64Array): CandleRecord[];
  readCandles(query: EncodedQuery): EncodedSnapshot;
  /** By symbol, newest first, at most two of each instrument. */
  latestCandles(intervalCode: number): CandleRecord[];
  /** Blocks of one instrument and hour, from its segment and from parts. */
  blocks(instrumentId: number, hourStartUs: number): Uint8Array[];
  /** Hours of an instrument from `fromUs` to before `toUs` that hold ticks, ascending. */
  hours(instrumentId: number, fromUs: number, toUs: number): number[];
  /** Merges a bounded number of blocks; 0 when there are none left. */
  compactStep(shard: number, beforeUs: number): number;
  retainStep(policy: RetentionPolicy): RetentionStep;
  sizeBytes(): number;
}

export interface EncodedFlush {
  readonly shard: number;
  readonly ownerTerm: number;
  /** Flat, as appendCandle gives them. */
  readonly candles: (string | number)[];
  /** Undefined without ticks. */
  readonly part: Uint8Array | undefined;
  /** Most decimal places among the ticks of each instrument. */
  readonly digits: readonly InstrumentDigits[];
  readonly checkpoint: Checkpoint | undefined;
  readonly closedThrough: NonNullable<Flush['closedThrough']>;
}

export interface InstrumentDigits {
  readonly instrumentId: number;
  readonly priceDigits: number;
  readonly sizeDigits: number;
}

export interface EncodedQuery {
  readonly instrumentId: number;
  readonly shard: number;
  readonly intervalCode: number;
  readonly fromUs: number;
  readonly toUs: number;
  readonly limit: number;
  /** Which rows `limit` keeps. */
  readonly keep: 'first' | 'last';
}

export interface EncodedSnapshot {
  /** Ascending. */
  readonly records: CandleRecord[];
  readonly shard: ShardRow;
  readonly closedThroughUs: number;
}

export interface RetentionStep extends RetentionReport {
  /** Call again: this step was bounded. */
  readonly more: boolean;
}

/** How the worker starts. */
export interface DatabaseSettings {
  readonly path: string;
  readonly mode: 'write' | 'read';
  /** For a store that is made now; an existing one must agree. Undefined = whatever it has, 1 for a new one. */
  readonly shards: number | undefined;
  /** For a store that is made now. */
  readonly newIncarnation: string;
}

export interface DatabaseIdentity {
  readonly incarnation: string;
  readonly shards: number;
}
