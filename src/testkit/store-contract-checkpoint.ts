import { CLAIMS_MAX, NOTHING_CLOSED_US } from '../store/store.ts';
import {
  archived,
  candlesOf,
  faultOf,
  ownerOf,
  plain,
  register,
  type StoreSuite,
  T0_US,
  tickOf,
} from './store-fixtures.ts';

/** docs/spec/checkpoint.md, and the registration of docs/spec/ids.md. */
export function checkpointContract(suite: StoreSuite): void {
  instruments(suite);
  takeover(suite);
  commits(suite);
  closing(suite);
}

const CHECKPOINT = { streamId: { epoch: 7, seq: 41 }, sourceCursor: '{"position":41}', watermarkUs: T0_US };

function instruments({ it, expect, inStore }: StoreSuite): void {
  it('IDS-2 D1 a symbol belongs to one source: real and simulated never meet, all claims or none', () =>
    inStore(async (store) => {
      await register(store, 'IBM');
      const refused = await store.register([
        { symbol: 'NEW', source: 'sim', simulated: true },
        { symbol: 'IBM', source: 'sim', simulated: true },
      ]);
      expect(refused).toEqual({
        ok: false,
        error: {
          symbol: 'IBM',
          owner: { symbol: 'IBM', source: 'file', simulated: false },
          claimed: { symbol: 'IBM', source: 'sim', simulated: true },
        },
      });
      expect((await store.register([{ symbol: 'IBM', source: 'file', simulated: true }])).ok).toBe(false);
      expect((await store.register([{ symbol: 'IBM', source: 'other', simulated: false }])).ok).toBe(false);
      const twice = [true, false].map((simulated) => ({ symbol: 'TWICE', source: 'file', simulated }));
      expect((await store.register(twice)).ok).toBe(false);
      expect((await store.instruments()).map((instrument) => instrument.symbol)).toEqual(['IBM']);
    }));

  it('IDS-2 as many symbols as a file may have are registered at once, all or none', () =>
    inStore(async (store) => {
      const claims = Array.from({ length: 20_000 }, (_, i) => ({ symbol: `S${i}`, source: 'file', simulated: false }));
      const conflict = [...claims, { symbol: 'S7', source: 'sim', simulated: true }];
      expect((await store.register(conflict)).ok).toBe(false);
      expect(await store.instruments()).toEqual([]);
      const outcome = await store.register(claims);
      expect(outcome.ok ? outcome.value.map(({ symbol }) => symbol) : []).toEqual(claims.map(({ symbol }) => symbol));
      const tooMany = Array.from({ length: CLAIMS_MAX + 1 }, () => ({ symbol: 'S', source: 'file', simulated: false }));
      expect(await faultOf(store.register(tooMany))).toMatchObject({ code: 'INTERNAL' });
    }));

  it('IDS-3 the same claim again is the same instrument, also after reopening', () =>
    inStore(async (store, place) => {
      const first = await register(store, 'IBM');
      const second = await register(store, 'AIG');
      expect(await register(store, 'IBM')).toEqual(first);
      expect(second.instrumentId === first.instrumentId).toBe(false);
      await store.close();
      const again = await place.open();
      expect(await again.instruments()).toEqual([second, first]);
      await again.close();
    }));

  it('IDS-4 digits are the widest ever committed and never shrink', () =>
    inStore(async (store) => {
      const { instrumentId } = await register(store, 'IBM');
      const commit = await ownerOf(store);
      await commit({
        ticks: archived(instrumentId, [tickOf({ price: '1.2345', size: '0.5' }), tickOf({ id: '2', price: '1.2' })]),
      });
      await commit({ ticks: archived(instrumentId, [tickOf({ id: '3', price: '7', size: '0.000001' })]) });
      expect((await store.instruments())[0]).toMatchObject({ priceDigits: 4, sizeDigits: 6 });
    }));

  it('IDS-5 the number of shards is the store’s; each shard has its own row', () =>
    inStore(async (store) => {
      expect(store.shards).toBe(4);
      await store.takeOver(3, 'owner');
      expect((await store.shard(3)).ownerTerm).toBe(1);
      expect((await store.shard(0)).ownerTerm).toBe(0);
      expect(await faultOf(store.shard(4))).toMatchObject({ code: 'INTERNAL' });
    }, 4));
}

function takeover({ it, expect, inStore }: StoreSuite): void {
  it('CKPT-1 a fresh shard', () =>
    inStore(async (store) => {
      expect(await store.shard(0)).toEqual({
        shard: 0,
        ownerTerm: 0,
        ownerToken: '',
        commitNo: 0,
        streamId: undefined,
        sourceCursor: undefined,
        watermarkUs: NOTHING_CLOSED_US,
      });
    }));

  it('CKPT-2 a takeover raises ownerTerm and changes nothing else, durably', () =>
    inStore(async (store, place) => {
      const commit = await ownerOf(store, 'host:1:a');
      await commit({ checkpoint: CHECKPOINT });
      const row = await store.takeOver(0, 'host:2:b');
      expect(row).toEqual({ shard: 0, ownerTerm: 2, ownerToken: 'host:2:b', commitNo: 1, ...CHECKPOINT });
      await store.close();
      const again = await place.open();
      expect(await again.shard(0)).toEqual(row);
      await again.close();
    }));

  it('CKPT-3 R35 a fenced commit writes nothing at all and names the present owner', () =>
    inStore(async (store) => {
      const { instrumentId } = await register(store, 'IBM');
      const stale = await ownerOf(store, 'paused');
      await stale({ checkpoint: CHECKPOINT });
      await store.takeOver(0, 'present');
      const before = [await store.shard(0), await store.instruments()];
      const ticks = [tickOf({ price: '1.23456' })];
      const outcome = await stale({
        candles: candlesOf(instrumentId, '1m', ticks),
        ticks: archived(instrumentId, ticks),
        checkpoint: { ...CHECKPOINT, streamId: { epoch: 9, seq: 9 } },
        closedThrough: [{ instrumentId, closedThroughUs: T0_US }],
      });
      expect(outcome).toEqual({ kind: 'fenced', ownerTerm: 2, ownerToken: 'present' });
      expect([await store.shard(0), await store.instruments()]).toEqual(before);
      expect(await store.latestCandles('1m')).toEqual([]);
      expect(await store.archivedTicks(instrumentId, 0, Number.MAX_SAFE_INTEGER)).toEqual([]);
    }));

  it('CKPT-8 D5 a guest fences the owner, leaves the checkpoint, and the owner goes on after another takeover', () =>
    inStore(async (store) => {
      const owner = await ownerOf(store, 'owner');
      await owner({ checkpoint: CHECKPOINT });
      const guest = await ownerOf(store, 'import');
      expect(await guest({})).toEqual({ kind: 'committed', commitNo: 2 });
      expect(await owner({ checkpoint: CHECKPOINT })).toEqual({ kind: 'fenced', ownerTerm: 2, ownerToken: 'import' });
      const row = await store.takeOver(0, 'owner');
      expect(row).toEqual({ shard: 0, ownerTerm: 3, ownerToken: 'owner', commitNo: 2, ...CHECKPOINT });
      expect(await guest({})).toMatchObject({ kind: 'fenced' });
    }));
}

function commits({ it, expect, inStore }: StoreSuite): void {
  it('CKPT-4 commitNo grows by one and is the revision of what was written', () =>
    inStore(async (store) => {
      const { instrumentId } = await register(store, 'IBM');
      const commit = await ownerOf(store);
      const [first, second] = [tickOf({}), tickOf({ id: '2', tsUs: T0_US + 60_000_000 })];
      expect(await commit({ candles: candlesOf(instrumentId, '1m', [first]) })).toEqual({
        kind: 'committed',
        commitNo: 1,
      });
      expect(await commit({ candles: candlesOf(instrumentId, '1m', [second]) })).toEqual({
        kind: 'committed',
        commitNo: 2,
      });
      const { rows } = await store.readCandles({ instrumentId, shard: 0, interval: '1m', limit: 10 });
      expect(rows.map((row) => row.rev)).toEqual([1, 2]);
    }));

  it('CKPT-5 R32 a row that the store refuses undoes the whole commit', () =>
    inStore(async (store) => {
      const { instrumentId } = await register(store, 'IBM');
      const commit = await ownerOf(store);
      await commit({ checkpoint: CHECKPOINT });
      const before = [await store.shard(0), await store.instruments()];
      const ticks = [tickOf({})];
      const poisoned = commit({
        candles: [...candlesOf(instrumentId, '1m', ticks), ...candlesOf(4_711, '1m', ticks)],
        ticks: archived(instrumentId, ticks),
        checkpoint: { ...CHECKPOINT, streamId: { epoch: 9, seq: 9 } },
      });
      expect(await faultOf(poisoned)).toMatchObject({ code: 'INTERNAL' });
      expect([await store.shard(0), await store.instruments()]).toEqual(before);
      expect(await store.latestCandles('1m')).toEqual([]);
      expect(await store.archivedIds(instrumentId, T0_US - (T0_US % 3_600_000_000))).toEqual([]);
      expect(await commit({ candles: candlesOf(instrumentId, '1m', ticks) })).toEqual({
        kind: 'committed',
        commitNo: 2,
      });
    }));

  it('CKPT-6 R34 the same candle again is the same candle: absolute, never added up', () =>
    inStore(async (store) => {
      const { instrumentId } = await register(store, 'IBM');
      const commit = await ownerOf(store);
      const candles = candlesOf(instrumentId, '1m', [tickOf({}), tickOf({ id: '2', price: '182.2' })]);
      for (let i = 0; i < 3; i++) await commit({ candles });
      const rows = await store.loadCandles(candles);
      expect(plain(rows)).toEqual(plain(candles));
      expect(rows.map((row) => row.rev)).toEqual([3]);
    }));

  it('CKPT-7 the checkpoint moves only when it is given', () =>
    inStore(async (store) => {
      const commit = await ownerOf(store);
      await commit({ checkpoint: CHECKPOINT });
      await commit({});
      expect(await store.shard(0)).toMatchObject({ commitNo: 2, ...CHECKPOINT });
      await commit({ checkpoint: { streamId: { epoch: 8, seq: 0 }, sourceCursor: undefined, watermarkUs: -5 } });
      expect(await store.shard(0)).toMatchObject({
        streamId: { epoch: 8, seq: 0 },
        sourceCursor: undefined,
        watermarkUs: -5,
      });
    }));
}

function closing({ it, expect, inStore }: StoreSuite): void {
  it('CKPT-9 CKPT-10 closed through the watermark of the shard or the end of a file, whichever is later', () =>
    inStore(async (store) => {
      const { instrumentId } = await register(store, 'IBM');
      const commit = await ownerOf(store);
      const query = { instrumentId, shard: 0, interval: '1m', limit: 1 } as const;
      expect((await store.readCandles(query)).closedThroughUs).toBe(NOTHING_CLOSED_US);
      await commit({ closedThrough: [{ instrumentId, closedThroughUs: T0_US }] });
      await commit({ closedThrough: [{ instrumentId, closedThroughUs: T0_US - 1_000 }] });
      expect((await store.readCandles(query)).closedThroughUs).toBe(T0_US);
      expect((await store.instruments())[0]).toMatchObject({ closedThroughUs: T0_US });
      await commit({ checkpoint: { ...CHECKPOINT, watermarkUs: T0_US + 1 } });
      expect((await store.readCandles(query)).closedThroughUs).toBe(T0_US + 1);
    }));

  it('CKPT-11 D7 candles and the position they are complete to come from one snapshot', () =>
    inStore(async (store) => {
      const { instrumentId } = await register(store, 'IBM');
      const commit = await ownerOf(store);
      const query = { instrumentId, shard: 0, interval: '1m', limit: 10 } as const;
      const writes: Promise<unknown>[] = [];
      const reads: ReturnType<typeof store.readCandles>[] = [];
      for (let seq = 1; seq <= 20; seq++) {
        const candles = candlesOf(instrumentId, '1m', [tickOf({ size: String(seq) })]);
        writes.push(commit({ candles, checkpoint: { ...CHECKPOINT, streamId: { epoch: 7, seq } } }));
        reads.push(store.readCandles(query));
      }
      await Promise.all(writes);
      for (const { rows, commitNo, through } of await Promise.all(reads)) {
        expect({ rev: rows[0]?.rev, volume: rows[0]?.candle.volume.units, through }).toEqual({
          rev: commitNo,
          volume: commitNo,
          through: { epoch: 7, seq: commitNo },
        });
      }
    }));
}
