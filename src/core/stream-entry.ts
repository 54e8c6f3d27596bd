import type { CandleView } from './candle.ts';
import type { StreamId } from './stream-id.ts';
import type { Tick } from './tick.ts';

/**
 * What stands in a shard's stream, decoded (D2): ticks, and the control entries that prove order and completeness. An
 * entry that cannot be decoded is malformed, never a tick with price 0 (F4).
 */
export type StreamEntry = TickEntry | BarrierEntry | GapEntry | WatermarkEntry | MalformedEntry;

interface EntryBase {
  readonly id: StreamId;
  /** Server time when the entry was appended, Unix ms, monotone within the stream. */
  readonly ingestMs: number;
}

export interface TickEntry extends EntryBase {
  readonly kind: 'tick';
  readonly tick: Tick;
  /** Source of the instrument (D1). */
  readonly source: string;
  /** T1: said by every tick, all the way. */
  readonly simulated: boolean;
}

/** A new writer begins: everything it appends follows `prev`, the last id of the writer before it (D3). */
export interface BarrierEntry extends EntryBase {
  readonly kind: 'barrier';
  /** undefined: there was no fence; Redis is new or was emptied. */
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
  readonly watermarkUs: number;
  readonly sourceCursor: string;
}

export interface MalformedEntry extends EntryBase {
  readonly kind: 'malformed';
  readonly reason: string;
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
