import type { CandleFrame, StreamEntry } from '../core/stream-entry.ts';
import type { StreamId } from '../core/stream-id.ts';

/** A shard's two streams, read by cursor without a group (D7). */
export interface HubShard {
  readonly start: { readonly tick: StreamId; readonly commitNo: number };
  readTicks(after: StreamId, options: ReadOptions): Promise<StreamEntry[]>;
  /** Entries after `after` up to and including `through`. */
  rangeTicks(after: StreamId, through: StreamId, count: number): Promise<StreamEntry[]>;
  readFrames(afterCommitNo: number, options: ReadOptions): Promise<CandleFrame[]>;
  rangeFrames(afterCommitNo: number, throughCommitNo: number, count: number): Promise<CandleFrame[]>;
}

export interface ReadOptions {
  readonly count: number;
  readonly blockMs: number;
}

/** V7: whether the upstream is alive, independent of the connection. */
export interface FeedState {
  readonly state: 'live' | 'stale' | 'closed' | 'simulated';
  readonly lastTickMs: number | null;
}
