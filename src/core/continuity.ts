import type { BarrierEntry, StreamEntry } from './stream-entry.ts';
import { compareStreamIds, type StreamId } from './stream-id.ts';

/** How an entry stands to what a reader has applied (D4, STREAM-10). What to do for each: docs/spec/stream.md. */
export type Continuity = 'next' | 'unread-tail' | 'failover' | 'emptied' | 'hole' | 'duplicate' | 'foreign';

/** One verdict for any cursor and entry. `cursor` is the last entry applied; undefined = reading starts here. */
export function follow(cursor: StreamId | undefined, entry: StreamEntry): Continuity {
  if (cursor === undefined) return 'next';
  const { id } = entry;
  if (compareStreamIds(id, cursor) <= 0) return 'duplicate';
  if (id.epoch > cursor.epoch) {
    return entry.kind === 'barrier' && id.seq === 0 ? followBarrier(cursor, entry) : 'foreign';
  }
  // An epoch opens once, with seq 0: a barrier within it is not ours.
  if (entry.kind === 'barrier') return 'foreign';
  return id.seq === cursor.seq + 1 ? 'next' : 'hole';
}

function followBarrier(cursor: StreamId, { prev }: BarrierEntry): Continuity {
  if (prev === undefined) return 'emptied';
  const order = compareStreamIds(prev, cursor);
  return order === 0 ? 'next' : order > 0 ? 'unread-tail' : 'failover';
}

/** How a reader stands to the fence, asked on every empty read and every reconnect (D4, STREAM-11). */
export type Standing = 'empty' | 'await-install' | 'behind' | 'level' | 'await-resend' | 'emptied';

export function compareWithFence(
  cursor: StreamId | undefined,
  fence: { readonly epoch: number; readonly seq: number } | undefined,
  streamExists: boolean,
): Standing {
  if (fence === undefined) {
    if (streamExists) return 'await-install';
    return cursor === undefined ? 'empty' : 'emptied';
  }
  if (cursor === undefined) return 'behind';
  if (fence.epoch < cursor.epoch) return 'emptied';
  if (fence.epoch > cursor.epoch || fence.seq > cursor.seq) return 'behind';
  return fence.seq === cursor.seq ? 'level' : 'await-resend';
}
