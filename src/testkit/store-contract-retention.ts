import type { RetentionPolicy } from '../store/store.ts';
import { archived, candlesOf, ownerOf, register, type StoreSuite, T0_US, tickOf } from './store-fixtures.ts';

const SECOND_US = 1_000_000;
const HOUR_US = 3_600 * SECOND_US;

const KEEP_ALL: RetentionPolicy = {
  nowUs: T0_US,
  simulatedCandlesUs: {},
  simulatedTicksUs: 10_000 * HOUR_US,
  diskCapBytes: Number.MAX_SAFE_INTEGER,
};

/** Retention in docs/spec/schema.md. */
export function retentionContract({ it, expect, inStore }: StoreSuite): void {
  it('SCHEMA-14 D10 old candles of named intervals go, of simulated instruments only, and never an open one', () =>
    inStore(async (store) => {
      const sim = await register(store, 'ACME', true);
      const real = await register(store, 'IBM');
      const ticks = [-3, -2, -1, 0].map((hours) => tickOf({ id: `${hours}`, tsUs: T0_US + hours * HOUR_US }));
      const candles = (['1s', '1m', '1d'] as const).flatMap((interval) =>
        [sim, real].flatMap(({ instrumentId }) => candlesOf(instrumentId, interval, ticks)),
      );
      await (await ownerOf(store))({ candles });
      const report = await store.retain({ ...KEEP_ALL, simulatedCandlesUs: { '1s': 2 * HOUR_US, '1d': HOUR_US } });
      expect(report).toMatchObject({ candlesRemoved: 1, segmentsRemoved: 0, overCap: false });
      const count = async (instrumentId: number, interval: '1s' | '1m' | '1d'): Promise<number> =>
        (await store.readCandles({ instrumentId, shard: 0, interval, limit: 100 })).rows.length;
      expect(
        await Promise.all([
          count(sim.instrumentId, '1s'),
          count(sim.instrumentId, '1m'),
          count(sim.instrumentId, '1d'),
        ]),
      ).toEqual([3, 4, 1]);
      expect(await count(real.instrumentId, '1s')).toBe(4);
    }));

  it('SCHEMA-14 SCHEMA-9 old simulated ticks go by the hour, from segments and parts', () =>
    inStore(async (store) => {
      const sim = await register(store, 'ACME', true);
      const real = await register(store, 'IBM');
      const commit = await ownerOf(store);
      const ticks = [-4, -3, -2, -1, 0].map((hours) => tickOf({ id: `${hours}`, tsUs: T0_US + hours * HOUR_US }));
      for (const tick of ticks)
        await commit({ ticks: [...archived(sim.instrumentId, [tick]), ...archived(real.instrumentId, [tick])] });
      await store.compact(0, T0_US - 2 * HOUR_US);
      const report = await store.retain({ ...KEEP_ALL, simulatedTicksUs: 2 * HOUR_US });
      expect(report).toMatchObject({ candlesRemoved: 0, segmentsRemoved: 2 });
      const ids = async (instrumentId: number): Promise<string[]> =>
        (await store.archivedTicks(instrumentId, 0, T0_US + HOUR_US)).map((tick) => tick.id);
      expect(await ids(sim.instrumentId)).toEqual(['-2', '-1', '0']);
      expect(await ids(real.instrumentId)).toEqual(['-4', '-3', '-2', '-1', '0']);
    }));

  it('SCHEMA-15 D10 above the cap the oldest simulated ticks go first, then fine candles, and space comes back', () =>
    inStore(async (store) => {
      const sim = await register(store, 'ACME', true);
      const commit = await ownerOf(store);
      const emptyBytes = await store.sizeBytes();
      for (let hour = 0; hour < 20; hour++) {
        const ticks = Array.from({ length: 360 }, (_, i) =>
          tickOf({ id: `trade-${(i * 7) % 360}`, tsUs: T0_US - (hour * 360 + i) * 10 * SECOND_US }),
        );
        await commit({ ticks: archived(sim.instrumentId, ticks), candles: candlesOf(sim.instrumentId, '1s', ticks) });
      }
      const fullBytes = await store.sizeBytes();
      const trimmed = await store.retain({ ...KEEP_ALL, diskCapBytes: fullBytes - 40_000 });
      expect(trimmed).toMatchObject({ candlesRemoved: 0, overCap: false });
      expect(trimmed.segmentsRemoved).toBeGreaterThan(0);
      expect(trimmed.sizeBytes).toBeLessThan(fullBytes - 39_999);
      const emptied = await store.retain({ ...KEEP_ALL, diskCapBytes: emptyBytes });
      expect(emptied.candlesRemoved).toBeGreaterThan(0);
      expect(emptied.overCap).toBe(true);
      const left = await store.archivedTicks(sim.instrumentId, 0, T0_US + HOUR_US);
      expect(left.map((tick) => tick.tsUs).every((tsUs) => tsUs >= T0_US - (T0_US % HOUR_US) - HOUR_US)).toBe(true);
      expect(left.length).toBeGreaterThan(300);
      expect(emptied.sizeBytes).toBe(await store.sizeBytes());
    }));

  it('SCHEMA-14 R24 real data is never removed, and the report says that the cap is passed', () =>
    inStore(async (store) => {
      const real = await register(store, 'IBM');
      const ticks = [tickOf({ tsUs: 0 })];
      const candles = candlesOf(real.instrumentId, '1s', ticks);
      await (await ownerOf(store))({ ticks: archived(real.instrumentId, ticks), candles });
      const report = await store.retain({
        ...KEEP_ALL,
        simulatedCandlesUs: { '1s': 0 },
        simulatedTicksUs: 0,
        diskCapBytes: 0,
      });
      expect(report).toMatchObject({ candlesRemoved: 0, segmentsRemoved: 0, overCap: true });
      expect(await store.loadCandles(candles)).toHaveLength(1);
      expect(await store.archivedTicks(real.instrumentId, 0, 1)).toEqual(ticks);
    }));
}
