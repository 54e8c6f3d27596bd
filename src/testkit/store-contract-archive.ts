import { compareTicks, type Tick } from '../core/tick.ts';
import { archived, ownerOf, register, type StoreSuite, T0_US, tickOf } from './store-fixtures.ts';

const HOUR_US = 3_600_000_000;
const HOUR0_US = T0_US - (T0_US % HOUR_US);
const ALL = [-8_000_000_000_000_000, 8_000_000_000_000_000] as const;

/** The archive in docs/spec/schema.md. */
export function archiveContract({ it, expect, inStore }: StoreSuite): void {
  it('SCHEMA-5 IDS-9 D6 ids of one instrument and hour, from every part that touches it', () =>
    inStore(async (store) => {
      const ibm = await register(store, 'IBM');
      const aig = await register(store, 'AIG');
      const commit = await ownerOf(store);
      await commit({
        ticks: [
          ...archived(ibm.instrumentId, [tickOf({ id: '1' }), tickOf({ id: '1', tsUs: T0_US + HOUR_US })]),
          ...archived(aig.instrumentId, [tickOf({ id: '7', symbol: 'AIG' })]),
        ],
      });
      await commit({ ticks: archived(ibm.instrumentId, [tickOf({ id: 'b' }), tickOf({ id: '007' })]) });
      expect(await store.archivedIds(ibm.instrumentId, HOUR0_US)).toEqual(['1', 'b', '007']);
      expect(await store.archivedIds(ibm.instrumentId, HOUR0_US + HOUR_US)).toEqual(['1']);
      expect(await store.archivedIds(aig.instrumentId, HOUR0_US)).toEqual(['7']);
      expect(await store.archivedIds(ibm.instrumentId, HOUR0_US - HOUR_US)).toEqual([]);
    }));

  it('SCHEMA-7 SCHEMA-8 ticks and ids of an hour are the same before and after compaction, in the total order', () =>
    inStore(async (store) => {
      const { instrumentId } = await register(store, 'IBM');
      const commit = await ownerOf(store);
      const ticks = oddTicks();
      for (let from = 0; from < ticks.length; from += 7)
        await commit({ ticks: archived(instrumentId, ticks.slice(from, from + 7)) });
      const sorted = ticks.toSorted(compareTicks);
      expect(await store.archivedTicks(instrumentId, ...ALL)).toEqual(sorted);
      const ids = (await store.archivedIds(instrumentId, HOUR0_US)).toSorted();
      expect(await store.compact(0, HOUR0_US + HOUR_US)).toBeGreaterThan(1);
      expect(await store.archivedTicks(instrumentId, ...ALL)).toEqual(sorted);
      expect((await store.archivedIds(instrumentId, HOUR0_US)).toSorted()).toEqual(ids);
      await commit({ ticks: archived(instrumentId, [tickOf({ id: 'late' })]) });
      await store.compact(0, Number.MAX_SAFE_INTEGER);
      expect((await store.archivedIds(instrumentId, HOUR0_US)).toSorted()).toEqual([...ids, 'late'].toSorted());
      expect(await store.compact(0, Number.MAX_SAFE_INTEGER)).toBe(0);
    }));

  it('SCHEMA-8 compaction leaves hours that are not over, and hides no repeated id', () =>
    inStore(async (store) => {
      const { instrumentId } = await register(store, 'IBM');
      const commit = await ownerOf(store);
      const twice = [tickOf({ id: 'x' }), tickOf({ id: 'x' })];
      await commit({ ticks: archived(instrumentId, [...twice, tickOf({ id: 'n', tsUs: HOUR0_US + HOUR_US })]) });
      expect(await store.compact(0, HOUR0_US + HOUR_US - 1)).toBe(0);
      expect(await store.compact(0, HOUR0_US + HOUR_US)).toBe(1);
      expect(await store.archivedTicks(instrumentId, HOUR0_US, HOUR0_US + HOUR_US)).toEqual(twice);
      expect(await store.archivedIds(instrumentId, HOUR0_US + HOUR_US)).toEqual(['n']);
    }));

  it('SCHEMA-8 SCHEMA-9 compaction of many symbols and hours in one part loses no tick, and merges more than a step takes', () =>
    inStore(async (store) => {
      const claims = Array.from({ length: 700 }, (_, i) => ({ symbol: `S${i}`, source: 'file', simulated: false }));
      const registered = await store.register(claims);
      const instruments = registered.ok ? registered.value : [];
      const commit = await ownerOf(store);
      const ticks = instruments.flatMap(({ instrumentId, symbol }) =>
        archived(instrumentId, [tickOf({ symbol }), tickOf({ symbol, id: '2', tsUs: T0_US + HOUR_US })]),
      );
      await commit({ ticks });
      await commit({ ticks: ticks.slice(0, 2) });
      expect(await store.compact(0, HOUR0_US + HOUR_US)).toBe(701);
      expect(await store.compact(0, HOUR0_US + 2 * HOUR_US)).toBe(701);
      expect(await store.compact(0, Number.MAX_SAFE_INTEGER)).toBe(0);
      const counts = await Promise.all(
        instruments.map(async ({ instrumentId }) => (await store.archivedTicks(instrumentId, ...ALL)).length),
      );
      expect(counts).toEqual([4, ...new Array<number>(699).fill(2)]);
    }));

  it('SCHEMA-5 a window of archived ticks is half-open and crosses hours', () =>
    inStore(async (store) => {
      const { instrumentId } = await register(store, 'IBM');
      const commit = await ownerOf(store);
      const ticks = [-HOUR_US - 1, -1, 0, 1, HOUR_US].map((offsetUs) => tickOf({ id: `${offsetUs}`, tsUs: offsetUs }));
      await commit({ ticks: archived(instrumentId, ticks) });
      const ids = async (fromUs: number, toUs: number): Promise<string[]> =>
        (await store.archivedTicks(instrumentId, fromUs, toUs)).map((tick) => tick.id);
      expect(await ids(-1, 1)).toEqual(['-1', '0']);
      expect(await ids(1, HOUR_US)).toEqual(['1']);
      expect(await ids(-HOUR_US - 1, HOUR_US + 1)).toEqual(ticks.map((tick) => tick.id));
    }));
}

/** Everything that is hard to store, in two hours. */
function oddTicks(): Tick[] {
  const ids = ['0', '00', '12345678901234567890', '%00', 'nul\u0000l', '😀', '\udc00', 'x'.repeat(128), ':', '\t'];
  return ids.flatMap((id, i) => [
    tickOf({
      id,
      tsUs: T0_US - i,
      ns: i * 100,
      seq: i % 3 === 0 ? 10n ** 24n + BigInt(i) : i,
      price: `-${i}.250`,
      side: 'buy',
    }),
    tickOf({
      id,
      tsUs: T0_US + HOUR_US + i,
      seq: -1 - i,
      price: '0.000000000000000001',
      size: '123456789012345678901234567890',
      side: 'sell',
      exchange: '',
      conditions: '😀',
    }),
  ]);
}
