import { describe, expect, it } from 'vitest';
import type { CandleFrame, StreamEntry } from '../../../src/core/stream-entry.ts';
import { compareStreamIds, type StreamId } from '../../../src/core/stream-id.ts';
import type { LiveCursor } from '../../../src/live/cursor.ts';
import { replay } from '../../../src/live/replay.ts';
import type { HubShard } from '../../../src/live/shard.ts';
import { tickOf } from '../../../src/testkit/store-fixtures.ts';

const tick = (epoch: number, seq: number): StreamEntry => ({
  kind: 'tick',
  id: { epoch, seq },
  ingestMs: seq,
  simulated: false,
  tick: tickOf({ id: String(seq) }),
});
const other = (seq: number, kind: 'watermark' | 'gap' | 'malformed'): StreamEntry => {
  const place = { id: { epoch: 7, seq }, ingestMs: seq };
  if (kind === 'watermark') return { kind, ...place, watermarkUs: 0, source: 'file', sourceCursor: undefined };
  if (kind === 'gap') return { kind, ...place, symbols: [], fromUs: 0, toUs: 0, reason: 'venue' };
  return { kind, ...place, reason: 'p: is missing', trimmed: false };
};
const frame = (commitNo: number, kind: CandleFrame['kind'] = 'candles'): CandleFrame => ({
  commitNo,
  through: { epoch: 7, seq: commitNo },
  kind,
  candles: [],
});

function shardOf(entries: readonly StreamEntry[], frames: readonly CandleFrame[] = []): HubShard {
  const notLive = async (): Promise<never> => {
    throw new Error('a replay reads ranges');
  };
  return {
    start: { tick: { epoch: 7, seq: 0 }, commitNo: 0 },
    readTicks: notLive,
    readFrames: notLive,
    rangeTicks: async (after, through, count) =>
      entries.filter(({ id }) => compareStreamIds(id, after) > 0 && compareStreamIds(id, through) <= 0).slice(0, count),
    rangeFrames: async (after, through, count) =>
      frames.filter(({ commitNo }) => commitNo > after && commitNo <= through).slice(0, count),
  };
}

const at = (seq: number, commitNo = 0, epoch = 7): LiveCursor => ({
  incarnation: 'abc',
  shards: [{ tick: { epoch, seq } satisfies StreamId, commitNo }],
});
const run = (entries: readonly StreamEntry[], from: LiveCursor, to: LiveCursor, frames?: readonly CandleFrame[]) =>
  replay({ shards: [shardOf(entries, frames)], from, to });

describe('replay', () => {
  it('LIVE-6 brings what lies between two cursors, and counts ticks and frames', async () => {
    const outcome = await run([tick(7, 1), tick(7, 2), other(3, 'watermark'), tick(7, 4)], at(1), at(4, 2), [
      frame(1),
      frame(2),
    ]);
    expect(outcome).toMatchObject({ kind: 'replayed', missed: 4 });
    if (outcome.kind !== 'replayed') return;
    expect(outcome.shards[0]?.ticks.map(({ id }) => id.seq)).toEqual([2, 4]);
    expect(outcome.shards[0]?.frames.map(({ commitNo }) => commitNo)).toEqual([1, 2]);
  });

  it('LIVE-6 nothing missed is exact, whatever else the stream lost', async () => {
    expect(await run([], at(4, 2), at(4, 2))).toMatchObject({ kind: 'replayed', missed: 0 });
  });

  it.each<[string, StreamEntry[], LiveCursor, LiveCursor, CandleFrame[]]>([
    ['a hole', [tick(7, 1), tick(7, 3)], at(0), at(3), []],
    ['a trimmed beginning', [tick(7, 2), tick(7, 3)], at(0), at(3), []],
    ['a lost end', [tick(7, 1), tick(7, 2)], at(0), at(3), []],
    ['a declared gap', [tick(7, 1), other(2, 'gap')], at(0), at(2), []],
    ['a lost frame', [], at(0, 0), at(0, 3), [frame(1), frame(3)]],
    ['a frame that says refetch', [], at(0, 0), at(0, 2), [frame(1), frame(2, 'refetch')]],
    ['more entries than a snapshot costs', [], at(0), at(5_001), []],
    ['more frames than a snapshot costs', [], at(0, 0), at(0, 5_001), []],
  ])('LIVE-6 V3 %s is a reset', async (_what, entries, from, to, frames) => {
    expect(await run(entries, from, to, frames)).toEqual({ kind: 'reset', reason: 'hole' });
  });

  it('LIVE-6 V3 another epoch is a reset that says so', async () => {
    const outcome = await run([tick(7, 1), tick(8, 1)], at(0), at(1, 0, 8), []);
    expect(outcome).toEqual({ kind: 'reset', reason: 'restarted' });
  });

  it('LIVE-2 a cursor that is none, of another store, of other shards or ahead is a reset with its reason', async () => {
    const shards = [shardOf([tick(7, 1)])];
    const reasonOf = async (from: LiveCursor | undefined): Promise<unknown> => {
      const outcome = await replay({ shards, from, to: at(1, 1) });
      return outcome.kind === 'reset' ? outcome.reason : outcome.kind;
    };
    expect(await reasonOf(undefined)).toBe('cursor-invalid');
    expect(await reasonOf({ ...at(1, 1), incarnation: 'other' })).toBe('store-replaced');
    expect(await reasonOf({ ...at(1), shards: [...at(1).shards, ...at(1).shards] })).toBe('shards-changed');
    expect(await reasonOf(at(2, 1))).toBe('cursor-ahead');
    expect(await reasonOf(at(1, 2))).toBe('cursor-ahead');
    expect(await reasonOf(at(0, 1, 8))).toBe('cursor-ahead');
  });

  it('LIVE-6 an entry that could not be read takes its number and is passed over', async () => {
    expect(await run([tick(7, 1), other(2, 'malformed'), tick(7, 3)], at(0), at(3))).toMatchObject({ missed: 2 });
  });
});
