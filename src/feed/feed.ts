import type { Tick } from '../core/tick.ts';

/**
 * A source of ticks that can be read again from a cursor (D3). The ingest loop pulls, so a slow stream holds a replay
 * back; a live venue that cannot wait buffers behind this interface, within its own limit.
 */
export interface Feed {
  /** Source name of the instruments it brings (D1). */
  readonly source: string;
  readonly simulated: boolean;
  /** Symbols known before the first tick; a replay may bring more. */
  readonly symbols: readonly string[];
  /**
   * Opens the source at `cursor`; undefined, or a cursor of another source, starts at the beginning. Only the holder of
   * the lease calls it: a standby never opens the upstream (T6).
   */
  open(cursor: string | undefined, signal: AbortSignal): AsyncIterable<FeedBatch>;
}

export interface FeedBatch {
  /** At most BATCH_TICKS_MAX, in the order of the source. May be empty: time passed, and the watermark moved. */
  readonly ticks: readonly Tick[];
  /** Resumes right after this batch. */
  readonly cursor: string;
  /** No later tick of this feed will be older, as far as it knows; Unix microseconds. Closes candles (D5). */
  readonly watermarkUs: number;
  /** Ticks that the source cannot bring back, declared and never silent (T9). */
  readonly gap?: FeedGap;
  /** The source has ended; nothing follows. */
  readonly end?: boolean;
}

export interface FeedGap {
  readonly symbols: readonly string[];
  readonly fromUs: number;
  readonly toUs: number;
  readonly reason: string;
}

export const BATCH_TICKS_MAX = 200;
