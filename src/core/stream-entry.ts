import type { CandleView } from './candle.ts';
import type { StreamId } from './stream-id.ts';
import type { Tick } from './tick.ts';

/** What an entry of a tick stream says (D2, STREAM-1). Every entry is exactly one of these; one that cannot be read is malformed (F4). */
export type StreamEntry = TickEntry | BarrierEntry | GapEntry | WatermarkEntry | MalformedEntry;

interface EntryBase {
  readonly id: StreamId;
  /** Server time of ingestion, Unix ms, never going back in a fenced stream (FENCE-14); 0 when the entry does not say. */
  readonly ingestMs: number;
}

export interface TickEntry extends EntryBase {
  readonly kind: 'tick';
  readonly tick: Tick;
  /** T1: said by every tick, all the way. */
  readonly simulated: boolean;
}

/** Opens an epoch. `prev` is the end of the one before; undefined = there was none, or Redis lost it (FENCE-9). */
export interface BarrierEntry extends EntryBase {
  readonly kind: 'barrier';
  readonly prev: StreamId | undefined;
  readonly term: number;
}

/** A declared loss: the source cannot bring these ticks back (T9). */
export interface GapEntry extends EntryBase {
  readonly kind: 'gap';
  readonly symbols: readonly string[];
  readonly fromUs: number;
  readonly toUs: number;
  readonly reason: string;
}

/** No later tick of the feed will be older, as far as it knows; closes candles (D5). */
export interface WatermarkEntry extends EntryBase {
  readonly kind: 'watermark';
  /** Number.MAX_SAFE_INTEGER = the source has ended: nothing will come for its symbols. */
  readonly watermarkUs: number;
  /** Whose watermark it is (D1). */
  readonly source: string;
  /** Where the source resumes after everything before this entry. */
  readonly sourceCursor: string | undefined;
}

/** Cannot be read. `trimmed`: it was pending, and its payload has left the stream (F8). */
export interface MalformedEntry extends EntryBase {
  readonly kind: 'malformed';
  readonly reason: string;
  readonly trimmed: boolean;
}

/** What one commit changed, for live readers (D5, D7): in a stream of its own, id `<commitNo>-0`. */
export interface CandleFrame {
  readonly commitNo: number;
  /** The candles hold every tick up to this one. */
  readonly through: StreamId;
  /** `refetch`: more changed than a frame carries, or another writer was at work: read the store again. */
  readonly kind: 'candles' | 'refetch';
  readonly candles: readonly CandleView[];
}
