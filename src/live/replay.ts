import type { CandleFrame, StreamEntry, TickEntry } from '../core/stream-entry.ts';
import { compareStreamIds, type StreamId } from '../core/stream-id.ts';
import type { LiveCursor } from './cursor.ts';
import type { HubShard } from './shard.ts';

/** What a returning reader missed, or why it cannot be told exactly (V2). */
export type ReplayOutcome =
  | { readonly kind: 'replayed'; readonly missed: number; readonly shards: readonly ReplayedShard[] }
  | { readonly kind: 'reset'; readonly reason: string };

interface ReplayedShard {
  readonly ticks: readonly TickEntry[];
  readonly frames: readonly CandleFrame[];
}

/** More than this is cheaper as a snapshot. */
const REPLAY_ENTRIES_MAX = 5_000;

/** Reads what lies between two cursors. Only a proof of completeness counts: every sequence number, or a reset. */
export async function replay(of: {
  shards: readonly HubShard[];
  from: LiveCursor | undefined;
  to: LiveCursor;
}): Promise<ReplayOutcome> {
  const { shards, from, to } = of;
  if (from === undefined) return reset('cursor-invalid');
  if (from.incarnation !== to.incarnation) return reset('store-replaced');
  if (from.shards.length !== to.shards.length) return reset('shards-changed');
  const replayed: ReplayedShard[] = [];
  for (const [index, shard] of shards.entries()) {
    const start = from.shards[index];
    const end = to.shards[index];
    if (start === undefined || end === undefined) return reset('shards-changed');
    if (compareStreamIds(start.tick, end.tick) > 0 || start.commitNo > end.commitNo) return reset('cursor-ahead');
    if (start.tick.epoch !== end.tick.epoch) return reset('restarted');
    const entries = await missedEntries(shard, start.tick, end.tick);
    if (entries === undefined) return reset('hole');
    const frames = await missedFrames(shard, start.commitNo, end.commitNo);
    if (frames === undefined) return reset('hole');
    replayed.push({ ticks: entries.flatMap((entry) => (entry.kind === 'tick' ? [entry] : [])), frames });
  }
  const missed = replayed.reduce((sum, shard) => sum + shard.ticks.length + shard.frames.length, 0);
  return { kind: 'replayed', missed, shards: replayed };
}

/** undefined: the stream no longer has all of them, or a barrier or a gap lies between. */
async function missedEntries(shard: HubShard, after: StreamId, through: StreamId): Promise<StreamEntry[] | undefined> {
  if (compareStreamIds(after, through) === 0) return [];
  if (through.seq - after.seq > REPLAY_ENTRIES_MAX) return undefined;
  const entries = await shard.rangeTicks(after, through, REPLAY_ENTRIES_MAX);
  const contiguous = entries.every(
    (entry, index) => entry.id.epoch === after.epoch && entry.id.seq === after.seq + index + 1,
  );
  const complete = entries.length === through.seq - after.seq;
  return contiguous && complete && entries.every((entry) => entry.kind !== 'gap') ? entries : undefined;
}

/** Commits raise by one, and each that changed a candle has a frame; one without leaves an empty frame (D5). */
async function missedFrames(shard: HubShard, after: number, through: number): Promise<CandleFrame[] | undefined> {
  if (after === through) return [];
  if (through - after > REPLAY_ENTRIES_MAX) return undefined;
  const frames = await shard.rangeFrames(after, through, REPLAY_ENTRIES_MAX);
  return frames.length === through - after && frames.every((frame) => frame.kind === 'candles') ? frames : undefined;
}

function reset(reason: string): ReplayOutcome {
  return { kind: 'reset', reason };
}
