import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { INTERVALS } from '../../../src/core/interval.ts';
import type { CandleFrame } from '../../../src/core/stream-entry.ts';
import {
  openShardWorld,
  publish,
  register,
  type ShardWorld,
  ticks,
  tradeAt,
  tradesFrom,
  watermark,
} from './shard-world.ts';

/** Of tradeAt(0). */
const T0_US = 1_700_000_000_000_000;
const SECOND_US = 1_000_000;

let world: ShardWorld;

beforeEach(async () => {
  world = await openShardWorld();
  await register(world.store, ['A', 'B']);
});

afterEach(() => world.close());

const frames = (): Promise<CandleFrame[]> => world.frames.range(0, Number.MAX_SAFE_INTEGER, 1_000);

/** `symbol interval startMs` of each candle that was told to be closed, in order. */
async function closings(): Promise<string[]> {
  return (await frames()).flatMap(({ candles }) =>
    candles
      .filter(({ state }) => state === 'closed')
      .map(({ symbol, interval, startMs }) => `${symbol} ${interval} ${startMs}`),
  );
}

const second = (symbol: string, offset: number): string => `${symbol} 1s ${T0_US / 1_000 + offset * 1_000}`;

describe('closing', () => {
  it('R29 D5 CKPT-9 the watermark closes what ended at or before it, silent symbols too, and each once (R30)', async () => {
    const publisher = await world.lead(5);
    const running = world.aggregate('one');
    // Ten a second: A has candles of three seconds, B one of the first.
    await publish(publisher, ticks([...tradesFrom(0, 25), tradeAt(5, { symbol: 'B', id: 'b' })]));
    await world.committedThrough(await publish(publisher, [watermark(T0_US + SECOND_US - 1)]));
    expect(await closings()).toEqual([]);
    for (const offset of [SECOND_US, SECOND_US, 2 * SECOND_US])
      await world.committedThrough(await publish(publisher, [watermark(T0_US + offset)]));
    expect(await closings()).toEqual([second('A', 0), second('B', 0), second('A', 1)]);
    // A watermark never goes back.
    await world.committedThrough(await publish(publisher, [watermark(T0_US)]));
    expect((await world.store.shard(0)).watermarkUs).toBe(T0_US + 2 * SECOND_US);
    await running.stop();
  });

  it('R23 R29 a late trade revises a closed candle, which stays closed', async () => {
    const publisher = await world.lead(5);
    const running = world.aggregate('one');
    await publish(publisher, [...ticks(tradesFrom(0, 25)), watermark(T0_US + 2 * SECOND_US)]);
    await world.until(async () => (await closings()).length >= 2);
    const late = await publish(publisher, ticks([tradeAt(3, { id: 'late', size: '7' })]));
    await world.committedThrough(late);
    await running.stop();
    const revised = (await frames()).at(-1)?.candles.find(({ interval }) => interval === '1s');
    expect(revised).toMatchObject({ startMs: T0_US / 1_000, state: 'closed', trades: 11 });
  });

  it('R30 R33 candles that were open at a takeover are closed by the next owner, the older ones too, and each once', async () => {
    const publisher = await world.lead(5);
    const first = world.aggregate('first');
    await world.committedThrough(
      await publish(publisher, [...ticks(tradesFrom(0, 45)), watermark(T0_US + 1.5 * SECOND_US)]),
    );
    await first.stop();
    expect(await closings()).toEqual([second('A', 0)]);
    const next = world.aggregate('next');
    await world.committedThrough(await publish(publisher, [watermark(T0_US + 3 * SECOND_US)]));
    await next.stop();
    expect(await closings()).toEqual([second('A', 0), second('A', 1), second('A', 2)]);
  });

  it('CKPT-9 candles that an import has closed are not told again by the next owner', async () => {
    const [instrument] = await world.store.instruments();
    const publisher = await world.lead(5);
    const first = world.aggregate('first');
    await world.committedThrough(await publish(publisher, ticks(tradesFrom(0, 5))));
    await first.stop();
    const { ownerTerm } = await world.store.takeOver(0, 'guest');
    const closedThrough = [{ instrumentId: instrument?.instrumentId ?? -1, closedThroughUs: T0_US * 2 }];
    await world.store.commit({ shard: 0, ownerTerm, candles: [], ticks: [], ingestMs: 0, closedThrough });
    const next = world.aggregate('next');
    await world.committedThrough(await publish(publisher, [watermark(T0_US + SECOND_US)]));
    await next.stop();
    expect(await closings()).toEqual([]);
  });

  it('D5 the end of a source closes its own instruments in all intervals, and nobody else’s', async () => {
    const other = await world.store.register([{ symbol: 'X', source: 'other', simulated: false }]);
    expect(other.ok).toBe(true);
    const publisher = await world.lead(5);
    const running = world.aggregate('one');
    await publish(publisher, ticks([tradeAt(0), tradeAt(1, { symbol: 'X' })]));
    await world.committedThrough(await publish(publisher, [watermark(Number.MAX_SAFE_INTEGER)]));
    expect(new Set((await closings()).map((text) => text.split(' ').slice(0, 2).join(' ')))).toEqual(
      new Set(INTERVALS.map((interval) => `A ${interval}`)),
    );
    // Told once: a second end says nothing new.
    const told = await closings();
    await world.committedThrough(await publish(publisher, [watermark(Number.MAX_SAFE_INTEGER)]));
    expect(await closings()).toEqual(told);
    await running.stop();
    const closedOf = async (symbol: string): Promise<number> =>
      (await world.store.instruments()).find((one) => one.symbol === symbol)?.closedThroughUs ?? Number.NaN;
    expect(await closedOf('A')).toBeGreaterThan(T0_US);
    expect(await closedOf('X')).toBeLessThan(T0_US);
    expect((await world.store.shard(0)).watermarkUs).toBeLessThan(T0_US);
  });
});

describe('candle frames', () => {
  it('R37 LIVE-11 every commit has one frame, an empty one too, and it is announced after the commit', async () => {
    const publisher = await world.lead(5);
    const durable: [number, number][] = [];
    const running = world.aggregate('one', {
      onFrame: async (commitNo) => void durable.push([commitNo, (await world.store.shard(0)).commitNo]),
    });
    await world.committedThrough({ epoch: 5, seq: 0 });
    for (let from = 0; from < 30; from += 10)
      await world.committedThrough(await publish(publisher, ticks(tradesFrom(from, 10))));
    await world.committedThrough(await publish(publisher, [watermark(0)]));
    await running.stop();
    const told = await frames();
    expect(told.map(({ commitNo }) => commitNo)).toEqual([1, 2, 3, 4, 5]);
    expect(durable).toEqual(told.map(({ commitNo }) => [commitNo, commitNo]));
    expect(told.map(({ through }) => through.seq)).toEqual([0, 10, 20, 30, 31]);
    expect([told[0]?.candles, told[4]?.candles]).toEqual([[], []]);
    for (const { commitNo, candles } of told) expect(candles.every(({ revision }) => revision === commitNo)).toBe(true);
  });

  it('D5 LIVE-11 a commit that changed more candles than a frame carries says refetch', async () => {
    const publisher = await world.lead(5);
    // A trade a minute makes three fine candles each.
    const spread = Array.from({ length: 1_000 }, (_, index) =>
      tradeAt(0, { id: String(index), tsUs: BigInt(T0_US) + BigInt(index) * 60_000_000n }),
    );
    for (let from = 0; from < spread.length; from += 200)
      await publish(publisher, ticks(spread.slice(from, from + 200)));
    const running = world.aggregate('one');
    await world.committedThrough({ epoch: 5, seq: spread.length });
    await running.stop();
    const large = (await frames()).find(({ kind }) => kind === 'refetch');
    expect(large).toMatchObject({ kind: 'refetch', candles: [] });
  });

  it('D5 R37 the frame of a commit whose owner died before announcing it is a refetch of its successor', async () => {
    const publisher = await world.lead(5);
    let deadAt: number | undefined;
    world.aggregate('first', {
      onFrame(commitNo) {
        if (commitNo < 2) return undefined;
        deadAt = commitNo;
        return new Promise<never>(() => undefined);
      },
    });
    await world.committedThrough(await publish(publisher, ticks(tradesFrom(0, 5))));
    await publish(publisher, ticks(tradesFrom(5, 5)));
    await world.until(() => deadAt !== undefined);
    const second = world.aggregate('second');
    await world.committedThrough(await publish(publisher, ticks(tradesFrom(10, 5))));
    await second.stop();
    expect((await frames()).map(({ commitNo, kind }) => `${commitNo} ${kind}`)).toEqual([
      '1 candles',
      '2 refetch',
      '3 candles',
    ]);
  });

  it('D5 a restart after an announced commit tells nobody to fetch', async () => {
    const publisher = await world.lead(5);
    for (const from of [0, 5]) {
      const running = world.aggregate(`life-${from}`);
      await world.committedThrough(await publish(publisher, ticks(tradesFrom(from, 5))));
      await running.stop();
    }
    expect((await frames()).every(({ kind }) => kind === 'candles')).toBe(true);
  });
});
