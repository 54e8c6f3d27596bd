import { addDecimals, compareDecimals, multiplyDecimals } from '../core/decimal.ts';
import { INTERVALS } from '../core/interval.ts';
import { LOAD_KEYS_MAX } from '../store/store.ts';
import {
  candlesOf,
  decimalOf,
  faultOf,
  markOf,
  ownerOf,
  plain,
  register,
  type StoreSuite,
  T0_US,
  tickOf,
} from './store-fixtures.ts';

const MINUTE_US = 60_000_000;

/** Candles in docs/spec/schema.md. */
export function candleContract(suite: StoreSuite): void {
  values(suite);
  reads(suite);
}

function values({ it, expect, inStore }: StoreSuite): void {
  it('SCHEMA-1 IDS-12 wide decimals come back exactly', () =>
    inStore(async (store) => {
      const { instrumentId } = await register(store, 'IBM');
      const price = decimalOf('123456789012345678901234567890.123456789012345678');
      const size = decimalOf('0.000000000000000001');
      const tick = { ...tickOf({}), price, size };
      const [candle] = candlesOf(instrumentId, '1m', [tick]);
      if (candle === undefined) throw new RangeError('no candle');
      const volume = addDecimals(price, size);
      const wide = {
        ...candle,
        candle: {
          ...candle.candle,
          low: decimalOf('-9007199254740993'),
          volume,
          quoteVolume: multiplyDecimals(price, size),
        },
      };
      await (await ownerOf(store))({ candles: [wide] });
      const [row] = await store.loadCandles([candle]);
      expect(row?.candle.open).toEqual(markOf(tick));
      expect(row?.candle.low.units).toBe(-9_007_199_254_740_993n);
      expect(row === undefined ? undefined : compareDecimals(row.candle.volume, volume)).toBe(0);
      expect(
        row === undefined ? undefined : compareDecimals(row.candle.quoteVolume, multiplyDecimals(price, size)),
      ).toBe(0);
    }));

  it('SCHEMA-2 IDS-8 R40 marks of open and close keep every id, sequence and size', () =>
    inStore(async (store) => {
      const { instrumentId } = await register(store, 'IBM');
      const ids = [
        '007',
        '9007199254740993',
        'a:b:c',
        '100%',
        '%0041',
        'line\nbreak',
        'nul\u0000l',
        'é日本',
        '😀',
        'lone \ud83d surrogate',
        "'; DROP TABLE candle; --",
        ' ',
      ];
      const ticks = ids.map((id, i) =>
        tickOf({
          id,
          tsUs: T0_US + i * MINUTE_US,
          ns: 999,
          seq: i % 2 === 0 ? i : 123_456_789_012_345_678_901n,
          size: '0.5',
        }),
      );
      const candles = candlesOf(instrumentId, '1m', ticks);
      await (await ownerOf(store))({ candles });
      const { rows } = await store.readCandles({ instrumentId, shard: 0, interval: '1m', limit: 100 });
      expect(rows.map(({ candle }) => [candle.open.id, candle.open.seq, candle.open.ns, candle.close.size])).toEqual(
        ticks.map(({ id, seq, ns, size }) => [id, seq, ns, size]),
      );
    }));

  it('IDS-6 IDS-13 all intervals, and times before 1970', () =>
    inStore(async (store) => {
      const { instrumentId } = await register(store, 'IBM');
      const ticks = [tickOf({ tsUs: -1 }), tickOf({ id: '2', tsUs: -2_000_000_000_000_001 }), tickOf({ id: '3' })];
      const candles = INTERVALS.flatMap((interval) => candlesOf(instrumentId, interval, ticks));
      await (await ownerOf(store))({ candles });
      for (const interval of INTERVALS) {
        const { rows } = await store.readCandles({ instrumentId, shard: 0, interval, limit: 100 });
        expect(plain(rows)).toEqual(plain(candlesOf(instrumentId, interval, ticks)));
      }
      expect(plain(await store.loadCandles(candles))).toEqual(plain(candles));
    }));
}

function reads({ it, expect, inStore }: StoreSuite): void {
  it('SCHEMA-4 a read takes the latest of its window, ascending; the window is half-open', () =>
    inStore(async (store) => {
      const { instrumentId } = await register(store, 'IBM');
      const other = await register(store, 'AIG');
      const ticks = Array.from({ length: 10 }, (_, i) => tickOf({ id: `${i}`, tsUs: T0_US + i * MINUTE_US }));
      const candles = candlesOf(instrumentId, '1m', ticks);
      const starts = candles.map((candle) => candle.startUs);
      await (await ownerOf(store))({ candles: [...candles, ...candlesOf(other.instrumentId, '1m', ticks)] });
      const read = async (window: object): Promise<number[]> => {
        const { rows } = await store.readCandles({ instrumentId, shard: 0, interval: '1m', limit: 3, ...window });
        return rows.map((row) => row.startUs);
      };
      expect(await read({})).toEqual(starts.slice(7));
      expect(await read({ toUs: starts[5] })).toEqual(starts.slice(2, 5));
      expect(await read({ fromUs: starts[4], toUs: starts[6] })).toEqual(starts.slice(4, 6));
      expect(await read({ fromUs: starts[8], limit: 100 })).toEqual(starts.slice(8));
      expect(await faultOf(read({ limit: 0 }))).toMatchObject({ code: 'INTERNAL' });
    }));

  it('SCHEMA-3 R27 an empty interval is no row', () =>
    inStore(async (store) => {
      const { instrumentId } = await register(store, 'IBM');
      const ticks = [tickOf({}), tickOf({ id: '2', tsUs: T0_US + 5 * MINUTE_US })];
      await (await ownerOf(store))({ candles: candlesOf(instrumentId, '1m', ticks) });
      const { rows } = await store.readCandles({ instrumentId, shard: 0, interval: '1m', limit: 100 });
      expect(rows).toHaveLength(2);
    }));

  it('SCHEMA-4 loading finds exactly the keys asked for, near, far, unsorted and absent', () =>
    inStore(async (store) => {
      const { instrumentId } = await register(store, 'IBM');
      const other = await register(store, 'AIG');
      const minutes = [0, 1, 2, 3, 9, 10, 5_000, 5_001, 900_000];
      const ticks = minutes.map((minute) => tickOf({ id: `${minute}`, tsUs: T0_US + minute * MINUTE_US }));
      const candles = ['1m', '5m', '1M'].flatMap((interval) => candlesOf(instrumentId, interval as '1m', ticks));
      await (await ownerOf(store))({ candles: [...candles, ...candlesOf(other.instrumentId, '1m', ticks)] });
      const wanted = candles.filter((_, i) => i % 2 === 0);
      const absent = wanted.map((candle) => ({ ...candle, startUs: candle.startUs + 31 * MINUTE_US * 1_440 * 40 }));
      const keys = [...wanted, ...absent, { instrumentId: 99, interval: '1m', startUs: 0 } as const];
      expect(plain(await store.loadCandles(keys))).toEqual(plain(wanted));
      expect(await store.loadCandles(keys.toReversed())).toHaveLength(wanted.length);
      expect(await store.loadCandles([])).toEqual([]);
      const tooMany = Array.from(
        { length: LOAD_KEYS_MAX + 1 },
        (_, i) => ({ instrumentId, interval: '1s', startUs: i }) as const,
      );
      expect(await faultOf(store.loadCandles(tooMany))).toMatchObject({ code: 'INTERNAL' });
    }));

  it('SCHEMA-4 the latest candle of each instrument, with the close before it', () =>
    inStore(async (store) => {
      const ibm = await register(store, 'IBM');
      const aig = await register(store, 'AIG');
      await register(store, 'EMPTY');
      const days = ['180', '182.5', '183.25'].map((price, day) =>
        tickOf({ id: price, price, tsUs: T0_US + day * 86_400_000_000 }),
      );
      await (await ownerOf(store))({
        candles: [...candlesOf(ibm.instrumentId, '1d', days), ...candlesOf(aig.instrumentId, '1d', days.slice(0, 1))],
      });
      const latest = await store.latestCandles('1d');
      expect(latest.map(({ row, previousClose }) => [row.instrumentId, row.candle.close.id, previousClose])).toEqual([
        [aig.instrumentId, '180', undefined],
        [ibm.instrumentId, '183.25', '182.5'],
      ]);
    }));
}
