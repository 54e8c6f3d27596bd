import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bucketEndUs, INTERVALS } from '../../../src/core/interval.ts';
import { createMetrics, type Metrics } from '../../../src/server/metrics.ts';
import { runRetention, SIMULATED_CANDLES_KEPT_US } from '../../../src/server/retention.ts';
import { openSqliteStore, type Store } from '../../../src/store/index.ts';
import { archived, candlesOf, ownerOf, register, tickOf } from '../../../src/testkit/store-fixtures.ts';
import { createVirtualClock, type VirtualClock } from '../../../src/testkit/virtual-clock.ts';
import { recordedLog } from './recorded-log.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let folder: string;
let store: Store;
let clock: VirtualClock;
let metrics: Metrics;
let recorded: ReturnType<typeof recordedLog>;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ticker-retention-'));
  clock = createVirtualClock();
  metrics = createMetrics();
  recorded = recordedLog();
  store = await openSqliteStore({ path: join(folder, 't.db'), mode: 'write', ownerLabel: 'test', clock });
});

afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Housekeeping once: until it waits for its next turn. */
async function keepHouse(diskCapBytes = 2 ** 40, faults: Partial<Pick<Store, 'retain'>> = {}): Promise<void> {
  const abort = new AbortController();
  const kept: Pick<Store, 'retain' | 'compact'> = {
    compact: (shard, beforeUs) => store.compact(shard, beforeUs),
    retain: (policy) => store.retain(policy),
    ...faults,
  };
  const running = runRetention(
    { store: kept as Store, shards: 1, diskCapBytes, clock, log: recorded.log, metrics },
    abort.signal,
  );
  await expect.poll(() => clock.pendingTimers, { timeout: 10_000 }).toBe(1);
  abort.abort();
  await running;
}

/** A trade `agoMs` old of a symbol, with its candles of all intervals. */
async function trade(symbol: string, simulated: boolean, agoMs: number): Promise<number> {
  const { instrumentId } = await register(store, symbol, simulated);
  const tick = tickOf({ symbol, tsUs: (clock.nowMs() - agoMs) * 1_000 });
  const commit = await ownerOf(store);
  const candles = INTERVALS.flatMap((interval) => candlesOf(instrumentId, interval, [tick]));
  expect((await commit({ candles, ticks: archived(instrumentId, [tick]) })).kind).toBe('committed');
  return instrumentId;
}

async function intervalsOf(instrumentId: number): Promise<string[]> {
  const kept: string[] = [];
  for (const interval of INTERVALS) {
    const { rows } = await store.readCandles({ instrumentId, shard: 0, interval, limit: 10 });
    kept.push(...rows.map(() => interval));
  }
  return kept;
}

const ticksOf = async (instrumentId: number): Promise<number> =>
  (await store.archivedTicks(instrumentId, 0, Number.MAX_SAFE_INTEGER)).length;
const metric = async (name: string): Promise<number> =>
  Number(
    (await metrics.text())
      .split('\n')
      .find((line) => line.startsWith(`${name} `))
      ?.slice(name.length + 1),
  );

describe('retention', () => {
  it('SCHEMA-14 D6 imported data is never removed, however old', async () => {
    const imported = await trade('IBM', false, 4_000 * DAY_MS);
    await keepHouse();
    expect(await intervalsOf(imported)).toEqual([...INTERVALS]);
    expect(await ticksOf(imported)).toBe(1);
    expect(await metric('ticker_retention_removed_total{what="candles"}')).toBe(0);
  });

  it.each<[number, string[]]>([
    [0.5, [...INTERVALS]],
    [2, ['5s', '1m', '5m', '15m', '1h', '4h', '1d', '1w', '1M']],
    [4, ['1m', '5m', '15m', '1h', '4h', '1d', '1w', '1M']],
    [31, ['5m', '15m', '1h', '4h', '1d', '1w', '1M']],
    [91, ['15m', '1h', '4h', '1d', '1w', '1M']],
    [181, ['1h', '4h', '1d', '1w', '1M']],
    [4_000, ['1h', '4h', '1d', '1w', '1M']],
  ])('D10 SCHEMA-14 of simulated candles %d days old, these are kept: %j', async (days, kept) => {
    const simulated = await trade('ACME', true, days * DAY_MS);
    await keepHouse();
    expect(await intervalsOf(simulated)).toEqual(kept);
    expect(await metric('ticker_retention_removed_total{what="candles"}')).toBe(INTERVALS.length - kept.length);
  });

  it('D10 the finer an interval, the sooner it goes, and none goes while it runs', () => {
    const kept = INTERVALS.flatMap((interval) => SIMULATED_CANDLES_KEPT_US[interval] ?? []);
    expect(kept).toEqual([...kept].sort((a, b) => a - b));
    for (const interval of INTERVALS)
      expect(SIMULATED_CANDLES_KEPT_US[interval] ?? Number.POSITIVE_INFINITY).toBeGreaterThan(bucketEndUs(interval, 0));
  });

  it('D6 simulated ticks stay six hours, and their candles longer', async () => {
    const old = await trade('ACME', true, 8 * HOUR_MS);
    const young = await trade('BOLT', true, 4 * HOUR_MS);
    await keepHouse();
    expect([await ticksOf(old), await ticksOf(young)]).toEqual([0, 1]);
    expect(await intervalsOf(old)).toEqual([...INTERVALS]);
  });

  it('D10 SCHEMA-15 a store above its cap with imported data alone keeps it and says so', async () => {
    const imported = await trade('IBM', false, 10 * DAY_MS);
    await keepHouse(1);
    expect(await intervalsOf(imported)).toEqual([...INTERVALS]);
    expect(recorded.lines()).toMatchObject([{ diskCapBytes: 1 }]);
    expect(await metric('ticker_store_bytes')).toBe(await store.sizeBytes());
  });

  it('D10 below its cap nothing is said', async () => {
    await trade('IBM', false, 10 * DAY_MS);
    await keepHouse();
    expect(recorded.lines()).toEqual([]);
  });

  it('D6 finished hours are compacted, and the ticks stay what they were', async () => {
    const imported = await trade('IBM', false, 10 * DAY_MS);
    await trade('IBM', false, 10 * DAY_MS - 1_000);
    await keepHouse();
    expect(await store.compact(0, Number.MAX_SAFE_INTEGER)).toBe(0);
    expect(await ticksOf(imported)).toBe(2);
  });

  it('O a failure is logged and tried again a minute later', async () => {
    await keepHouse(2 ** 40, {
      retain: async () => {
        throw new Error('disk full');
      },
    });
    expect(recorded.lines()).toMatchObject([{ err: { message: 'disk full' } }]);
  });
});
