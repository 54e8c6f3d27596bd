import { describe, expect, it } from 'vitest';
import type { CandleFrame } from '../../../src/core/stream-entry.ts';
import { openCandleFrames } from '../../../src/stream/index.ts';
import { openServer } from './harness.ts';

const KEY = '{feed:0}:candles:x';

const frame = (commitNo: number, over: Partial<CandleFrame> = {}): CandleFrame => ({
  commitNo,
  through: { epoch: 5, seq: commitNo },
  kind: 'candles',
  candles: [],
  ...over,
});

describe('D5 candle frames', () => {
  it('D5 come back in the order of their commits, after a commit or between two', async () => {
    const { connection, redis } = openServer();
    const frames = openCandleFrames({ connection, key: KEY });
    for (const commitNo of [1, 2, 3]) await frames.append(frame(commitNo));
    await frames.append(frame(4, { kind: 'refetch' }));
    const reader = openCandleFrames({ connection: redis.connect(), key: KEY });
    expect(await reader.readAfter(2, { count: 10, blockMs: 1_000 })).toEqual([frame(3), frame(4, { kind: 'refetch' })]);
    expect(await reader.range(1, 3, 10)).toEqual([frame(2), frame(3)]);
  });

  it('D5 a frame announced twice stays once; what is no whole frame says refetch', async () => {
    const { connection } = openServer();
    const frames = openCandleFrames({ connection, key: KEY });
    await frames.append(frame(1));
    await frames.append(frame(1));
    await connection.call('XADD', KEY, '2-0', 'kind', 'candles');
    expect(await frames.range(0, 9, 10)).toEqual([
      frame(1),
      { commitNo: 2, through: { epoch: 0, seq: 0 }, kind: 'refetch', candles: [] },
    ]);
    await connection.call('DEL', KEY);
    await connection.call('SET', KEY, 'x');
    await expect(frames.append(frame(3))).rejects.toThrow(/^WRONGTYPE/);
  });
});
