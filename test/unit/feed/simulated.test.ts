import { describe, expect, it } from 'vitest';
import { compareDecimals, formatDecimal } from '../../../src/core/decimal.ts';
import { type Tick, validateTick } from '../../../src/core/tick.ts';
import type { Feed, FeedBatch } from '../../../src/feed/feed.ts';
import { createSimulatedFeed, SIMULATED_SYMBOLS, simulatedTick } from '../../../src/feed/simulated.ts';
import { createVirtualClock, type VirtualClock } from '../../../src/testkit/virtual-clock.ts';

const START_MS = 1_699_999_999_123;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const PARAMS = { seed: 7, symbols: SIMULATED_SYMBOLS, ticksPerSecond: 30, startMs: START_MS };

describe('simulatedTick', () => {
  it('D3 T1 is a pure function: any index, in any order, gives the same tick', () => {
    const forwards = Array.from({ length: 500 }, (_, index) => simulatedTick(PARAMS, index));
    const backwards = Array.from({ length: 500 }, (_, index) => simulatedTick({ ...PARAMS }, 499 - index)).reverse();
    expect(backwards).toEqual(forwards);
  });

  it('D3 gives the very ticks it always gave: another result needs another ALGORITHM number', () => {
    const told = [0, 1, 2, 1_000_000_007].map((index) => {
      const { symbol, tsUs, id, price, size, side } = simulatedTick(PARAMS, index);
      return [symbol, tsUs, id, formatDecimal(price), formatDecimal(size), side];
    });
    expect(told).toEqual([
      ['UMBRELLA', 1_699_999_999_147_926, '50999999973', '270.6', '1900', 'sell'],
      ['ACME', 1_699_999_999_180_954, '50999999974', '96.91', '400', 'sell'],
      ['HOOLI', 1_699_999_999_218_359, '50999999975', '41.86', '500', 'buy'],
      ['ACME', 1_733_333_332_691_965, '51999999980', '121.89', '100', 'buy'],
    ]);
  });

  it('F1 D3 ticks are valid, in order of time, with dense ids, and each in its slot', () => {
    const rules = { allowNonPositivePrice: false, tsMaxUs: Number.MAX_SAFE_INTEGER };
    for (const ticksPerSecond of [1, 7, 30, 1_000, 100_000]) {
      const params = { ...PARAMS, ticksPerSecond };
      const ticks = Array.from({ length: 3_000 }, (_, index) => simulatedTick(params, index));
      const wrong = ticks.filter((tick, index) => {
        const previous = ticks[index - 1];
        const slotUs = START_MS * 1_000 + Math.floor((index * 1e6) / ticksPerSecond);
        const inSlot = tick.tsUs >= slotUs - 1 && tick.tsUs < slotUs + 1e6 / ticksPerSecond + 1;
        const follows =
          previous === undefined || (tick.tsUs >= previous.tsUs && Number(tick.id) === Number(previous.id) + 1);
        return !inSlot || !follows || !validateTick(tick, rules).ok;
      });
      expect(wrong).toEqual([]);
    }
  });

  it('T1 every symbol trades once a round, and prices walk: above zero, in cents, near the one before', () => {
    const bySymbol = new Map<string, Tick[]>();
    const ticks = Array.from({ length: 30_000 }, (_, index) => simulatedTick(PARAMS, index));
    for (const tick of ticks) bySymbol.set(tick.symbol, [...(bySymbol.get(tick.symbol) ?? []), tick]);
    expect([...bySymbol.keys()].sort()).toEqual([...SIMULATED_SYMBOLS].sort());
    for (const own of bySymbol.values()) {
      expect(Math.abs(own.length - 6_000)).toBeLessThanOrEqual(1);
      const prices = own.map(({ price }) => Number(formatDecimal(price)));
      const steps = prices.slice(1).map((price, i) => Math.abs(price / (prices[i] as number) - 1));
      expect(Math.max(...steps)).toBeLessThan(0.01);
      expect(new Set(prices).size).toBeGreaterThan(20);
      expect(
        own.every(({ price, size }) => price.digits === 2 && compareDecimals(size, { units: 1, digits: 0 }) >= 0),
      ).toBe(true);
    }
  });

  it('T1 another seed is another market', () => {
    const prices = (seed: number) =>
      Array.from({ length: 50 }, (_, index) => simulatedTick({ ...PARAMS, seed }, index).price.units);
    expect(prices(8)).not.toEqual(prices(7));
  });

  it('T1 prices stay above zero for years and any seed', () => {
    for (let seed = 0; seed < 200; seed++) {
      const tick = simulatedTick({ ...PARAMS, seed }, seed * 123_456_789);
      expect(tick.price.units).toBeGreaterThan(0);
    }
  });
});

describe('createSimulatedFeed', () => {
  it('T1 says that it is simulated, and refuses parameters outside their range', () => {
    expect(feedOf(createVirtualClock())).toMatchObject({
      simulated: true,
      source: 'simulated',
      symbols: SIMULATED_SYMBOLS,
    });
    const clock = createVirtualClock();
    expect(() => createSimulatedFeed({ seed: 1, ticksPerSecond: 0, clock })).toThrow(
      /ticksPerSecond must be a whole number/,
    );
    expect(() => createSimulatedFeed({ seed: 1, ticksPerSecond: 0.5, clock })).toThrow(/ticksPerSecond/);
    expect(() => createSimulatedFeed({ seed: 1, ticksPerSecond: 1, symbols: ['A', 'A'], clock })).toThrow(/unique/);
    expect(() => createSimulatedFeed({ seed: 1, ticksPerSecond: 1, symbols: ['A B'], clock })).toThrow(
      /unique symbols/,
    );
    expect(() => createSimulatedFeed({ seed: 1, ticksPerSecond: 1, symbols: [], clock })).toThrow(/at least one/);
  });

  it('D3 begins with its history, then keeps to the clock: no tick is ahead of it, batches are bounded', async () => {
    const clock = createVirtualClock();
    const startMs = clock.nowMs();
    const feed = feedOf(clock, { initialHistoryMs: 10 * MINUTE_MS });
    const history = await readUntilIdle(feed, clock, undefined);
    const ticks = ticksIn(history);
    expect(ticks).toHaveLength(10 * 60 * 20);
    expect(ticks[0]?.tsUs).toBeGreaterThanOrEqual((startMs - 10 * MINUTE_MS) * 1_000);
    expect(ticks.at(-1)?.tsUs).toBeLessThanOrEqual(startMs * 1_000);
    expect(Math.max(...history.map((batch) => batch.ticks.length))).toBe(200);

    const controller = new AbortController();
    const live: FeedBatch[] = [];
    const reading = (async () => {
      for await (const batch of feed.open(history.at(-1)?.cursor, controller.signal)) {
        live.push(batch);
        expect(batch.ticks.at(-1)?.tsUs).toBeLessThanOrEqual(clock.nowMs() * 1_000);
      }
    })();
    await clock.advance(10_000);
    expect(ticksIn(live)).toHaveLength(200);
    expect(live.length).toBeGreaterThan(100);
    controller.abort();
    await reading;
    expect(clock.pendingTimers).toBe(0);
  });

  it('D5 a watermark is never ahead of a later tick, and moves with every batch', async () => {
    const clock = createVirtualClock();
    const batches = await readUntilIdle(feedOf(clock, { initialHistoryMs: MINUTE_MS }), clock, undefined);
    for (const [index, batch] of batches.entries()) {
      const later = batches.slice(index + 1).flatMap(({ ticks }) => ticks);
      expect(later.every((tick) => tick.tsUs >= batch.watermarkUs)).toBe(true);
      expect(batch.ticks.every((tick) => tick.tsUs <= batch.watermarkUs)).toBe(true);
    }
  });

  it('D3 T8 resumed at the cursor of any batch, again and again, it gives what an uninterrupted run gives', async () => {
    const clock = createVirtualClock();
    const options = { initialHistoryMs: 5 * MINUTE_MS };
    const whole = ticksIn(await readUntilIdle(feedOf(clock, options), clock, undefined));
    for (const stopAfter of [1, 2, 7]) {
      const pieces: Tick[] = [];
      let cursor: string | undefined;
      for (let read = stopAfter; read === stopAfter; ) {
        const batches = await readUntilIdle(feedOf(clock, options), clock, cursor, stopAfter);
        pieces.push(...ticksIn(batches));
        cursor = batches.at(-1)?.cursor ?? cursor;
        read = batches.length;
      }
      expect(pieces).toEqual(whole);
    }
  });

  it('D3 a fixed start gives the same ticks whenever it is opened', async () => {
    const clock = createVirtualClock();
    const options = { startMs: clock.nowMs() - MINUTE_MS };
    const early = ticksIn(await readUntilIdle(feedOf(clock, options), clock, undefined));
    await clock.advance(30_000);
    const late = ticksIn(await readUntilIdle(feedOf(clock, options), clock, undefined));
    expect(late.slice(0, early.length)).toEqual(early);
    expect(late).toHaveLength(early.length * 1.5);
  });

  it('D3 a stop of up to an hour is caught up without a gap', async () => {
    const clock = createVirtualClock();
    const options = { initialHistoryMs: MINUTE_MS };
    const before = await readUntilIdle(feedOf(clock, options), clock, undefined);
    clock.stall(HOUR_MS - 1_000);
    const after = await readUntilIdle(feedOf(clock, options), clock, before.at(-1)?.cursor);
    expect(after.every((batch) => batch.gap === undefined)).toBe(true);
    expectDense([...ticksIn(before), ...ticksIn(after)]);
  });

  it('D3 T9 a longer stop is declared as a gap, once, and the last hour is caught up', async () => {
    const clock = createVirtualClock();
    const options = { initialHistoryMs: MINUTE_MS };
    const before = await readUntilIdle(feedOf(clock, options), clock, undefined);
    clock.stall(3 * HOUR_MS);
    const after = await readUntilIdle(feedOf(clock, options), clock, before.at(-1)?.cursor);
    const first = ticksIn(after)[0];
    expect(after.filter((batch) => batch.gap !== undefined)).toEqual([after[0]]);
    expect(after[0]).toMatchObject({
      ticks: [],
      gap: {
        symbols: SIMULATED_SYMBOLS,
        fromUs: before.at(-1)?.watermarkUs,
        toUs: first?.tsUs,
        reason: 'simulated-stop',
      },
    });
    expect(Math.abs((first?.tsUs ?? 0) - (clock.nowMs() - HOUR_MS) * 1_000)).toBeLessThan(100_000);
    expectDense(ticksIn(after));
    // The cursor of the gap itself resumes behind it.
    expect(ticksIn(await readUntilIdle(feedOf(clock, options), clock, after[0]?.cursor))).toEqual(ticksIn(after));
  });

  it('D3 a feed that runs for longer than it would catch up declares no gap', async () => {
    const clock = createVirtualClock();
    const controller = new AbortController();
    const batches: FeedBatch[] = [];
    const feed = feedOf(clock, { initialHistoryMs: 1_000, maxCatchUpMs: 5_000 });
    const reading = (async () => {
      for await (const batch of feed.open(undefined, controller.signal)) batches.push(batch);
    })();
    await clock.advance(20_000);
    controller.abort();
    await reading;
    expect(batches.filter((batch) => batch.gap !== undefined)).toEqual([]);
    expect(ticksIn(batches)).toHaveLength(21 * 20);
  });

  it('D3 a consumer that is slow for a while, but never stops, loses nothing', async () => {
    const clock = createVirtualClock();
    const opened = feedOf(clock, {
      ticksPerSecond: 100,
      initialHistoryMs: 1_000,
      maxCatchUpMs: 5_000,
    }).open(undefined, new AbortController().signal);
    const iterator = opened[Symbol.asyncIterator]();
    const batches: FeedBatch[] = [];
    for (let i = 0; i < 6; i++) {
      batches.push((await iterator.next()).value as FeedBatch);
      clock.stall(4_900);
    }
    expect(batches.filter((batch) => batch.gap !== undefined)).toEqual([]);
    expectDense(ticksIn(batches));
  });

  it('D3 a process that stood still while the feed was open counts as a stop as well', async () => {
    const clock = createVirtualClock();
    const controller = new AbortController();
    const opened = feedOf(clock, { initialHistoryMs: MINUTE_MS }).open(undefined, controller.signal);
    const batches = opened[Symbol.asyncIterator]();
    expect((await batches.next()).value.gap).toBeUndefined();
    clock.stall(2 * HOUR_MS);
    expect((await batches.next()).value.gap).toBeDefined();
    expect((await batches.next()).value.ticks).toHaveLength(200);
    controller.abort();
    expect((await batches.next()).done).toBe(true);
  });

  it('D3 a long history at the first start is no stop, not even when it is interrupted', async () => {
    const clock = createVirtualClock();
    const options = { initialHistoryMs: 5 * HOUR_MS };
    const first = await readUntilIdle(feedOf(clock, options), clock, undefined, 3);
    clock.stall(MINUTE_MS);
    const second = await readUntilIdle(feedOf(clock, options), clock, first.at(-1)?.cursor, 3);
    expect([...first, ...second].every((batch) => batch.gap === undefined)).toBe(true);
    expectDense([...ticksIn(first), ...ticksIn(second)]);
  });

  it('D3 a kill while the feed is still hours behind is no stop: what counts is the clock, not the position', async () => {
    const clock = createVirtualClock();
    const options = { startMs: clock.nowMs() - 3 * HOUR_MS };
    const first = await readUntilIdle(feedOf(clock, options), clock, undefined, 3);
    clock.stall(HOUR_MS - 1_000);
    const second = await readUntilIdle(feedOf(clock, options), clock, first.at(-1)?.cursor, 3);
    expect([...first, ...second].every((batch) => batch.gap === undefined)).toBe(true);
    expectDense([...ticksIn(first), ...ticksIn(second)]);

    clock.stall(HOUR_MS + 1_000);
    const third = await readUntilIdle(feedOf(clock, options), clock, second.at(-1)?.cursor, 2);
    expect(third[0]?.gap).toMatchObject({ fromUs: second.at(-1)?.watermarkUs, reason: 'simulated-stop' });
    const resumedUs = ticksIn(third)[0]?.tsUs ?? 0;
    expect(Math.abs(resumedUs - (clock.nowMs() - HOUR_MS) * 1_000)).toBeLessThan(100_000);
  });

  it('D3 a cursor that does not say when it was handed out resumes; its position stands for the time', async () => {
    const clock = createVirtualClock();
    const options = { initialHistoryMs: MINUTE_MS };
    const before = await readUntilIdle(feedOf(clock, options), clock, undefined);
    const { aliveMs, ...older } = JSON.parse(before.at(-1)?.cursor ?? '') as Record<string, unknown>;
    expect(aliveMs).toBe(clock.nowMs());
    for (const [stopMs, gaps] of [
      [MINUTE_MS, 0],
      [2 * HOUR_MS, 1],
    ] as const) {
      clock.stall(stopMs);
      const after = await readUntilIdle(feedOf(clock, options), clock, JSON.stringify(older));
      expect(after.filter((batch) => batch.gap !== undefined)).toHaveLength(gaps);
      expect(ticksIn(after).length).toBeGreaterThan(0);
    }
  });

  it('D3 D6 other parameters start anew, after everything told before, and never repeat an id', async () => {
    const clock = createVirtualClock();
    const before = await readUntilIdle(feedOf(clock, { initialHistoryMs: 10 * MINUTE_MS }), clock, undefined);
    const known = new Set(ticksIn(before).map(({ symbol, id }) => `${symbol} ${id}`));
    for (const change of [{ seed: 2 }, { ticksPerSecond: 21 }, { symbols: ['ACME', 'HOOLI'] }]) {
      clock.stall(MINUTE_MS);
      const after = await readUntilIdle(
        feedOf(clock, { initialHistoryMs: 10 * MINUTE_MS, ...change }),
        clock,
        before.at(-1)?.cursor,
      );
      const ticks = ticksIn(after);
      expect(ticks.length).toBeGreaterThan(500);
      expect(ticks.every(({ symbol, id }) => !known.has(`${symbol} ${id}`))).toBe(true);
      expect(ticks.every((tick) => tick.tsUs >= (before.at(-1)?.watermarkUs ?? 0))).toBe(true);
    }
  });

  it('D3 a cursor that is none, or of another feed, starts at the beginning', async () => {
    const clock = createVirtualClock();
    const options = { initialHistoryMs: MINUTE_MS };
    const whole = ticksIn(await readUntilIdle(feedOf(clock, options), clock, undefined));
    for (const cursor of ['', 'nonsense', '{"sourceId":"replay:ab","position":3}', '{"sourceId":1}', 'null']) {
      expect(ticksIn(await readUntilIdle(feedOf(clock, options), clock, cursor))).toEqual(whole);
    }
  });
});

function feedOf(clock: VirtualClock, options: Partial<Parameters<typeof createSimulatedFeed>[0]> = {}): Feed {
  return createSimulatedFeed({ seed: 1, ticksPerSecond: 20, clock, ...options });
}

/** Reads until the feed waits for the clock, or `most` batches. */
async function readUntilIdle(
  feed: Feed,
  clock: VirtualClock,
  cursor: string | undefined,
  most = Number.POSITIVE_INFINITY,
): Promise<FeedBatch[]> {
  const controller = new AbortController();
  const batches: FeedBatch[] = [];
  const iterator = feed.open(cursor, controller.signal)[Symbol.asyncIterator]();
  while (batches.length < most) {
    const next = iterator.next();
    await clock.settle();
    if (clock.pendingTimers > 0) {
      controller.abort();
      expect((await next).done).toBe(true);
      break;
    }
    batches.push((await next).value as FeedBatch);
  }
  await iterator.return?.();
  return batches;
}

function ticksIn(batches: readonly FeedBatch[]): Tick[] {
  return batches.flatMap(({ ticks }) => ticks);
}

function expectDense(ticks: readonly Tick[]): void {
  const ids = ticks.map(({ id }) => Number(id));
  expect(ids).toEqual(ids.map((_, index) => (ids[0] as number) + index));
}
