import type { StreamId } from '../core/stream-id.ts';
import type { Fence } from './fence.ts';

/**
 * How far a reader is behind (F14, STREAM-12), by our own count: XINFO's lag is wrong after trimming (S4.50). `exact`: entries not
 * read yet. `at-least`: the reader is in an earlier epoch, whose length the fence does not tell. `unknown`: Redis lost its data.
 */
export type Lag =
  | { readonly kind: 'exact'; readonly entries: number }
  | { readonly kind: 'at-least'; readonly entries: number }
  | { readonly kind: 'unknown' };

export function lagOf(cursor: StreamId | undefined, fence: Pick<Fence, 'epoch' | 'seq' | 'prev'> | undefined): Lag {
  if (fence === undefined) return { kind: 'unknown' };
  const inEpoch = fence.seq + 1;
  if (cursor === undefined) return { kind: 'at-least', entries: inEpoch };
  if (cursor.epoch > fence.epoch) return { kind: 'unknown' };
  if (cursor.epoch === fence.epoch) return { kind: 'exact', entries: Math.max(fence.seq - cursor.seq, 0) };
  const { prev } = fence;
  if (prev === undefined || prev.epoch !== cursor.epoch) return { kind: 'at-least', entries: inEpoch };
  return { kind: 'exact', entries: inEpoch + Math.max(prev.seq - cursor.seq, 0) };
}

/** How old what a reader has applied is, in server time, ms: "9 s behind". */
export function lagMs(appliedIngestMs: number, fence: Pick<Fence, 'ingestMs'>): number {
  return Math.max(fence.ingestMs - appliedIngestMs, 0);
}
