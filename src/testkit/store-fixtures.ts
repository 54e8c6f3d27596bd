import type { CandleRow } from '../core/candle.ts';
import { candleOfTick, mergeCandles } from '../core/candle.ts';
import { formatDecimal, parseDecimal } from '../core/decimal.ts';
import type { Instrument } from '../core/instrument.ts';
import { bucketStartUs, type Interval } from '../core/interval.ts';
import type { Tick, TickMark } from '../core/tick.ts';
import type { ArchivedTick, CommitOutcome, Flush, Store } from '../store/store.ts';

/** Where one test's store lives. */
export interface StorePlace {
  /** Opens it for writing; again after a close. */
  open(shards?: number): Promise<Store>;
  destroy(): Promise<void>;
}

/** The part of vitest that the contract uses. */
export interface TestRunner {
  describe(title: string, body: () => void): void;
  it(title: string, body: () => Promise<void>): void;
  expect(actual: unknown): Expectation;
}

export interface Expectation {
  toBe(expected: unknown): void;
  toEqual(expected: unknown): void;
  toMatchObject(expected: object): void;
  toHaveLength(expected: number): void;
  toBeGreaterThan(expected: number): void;
  toBeLessThan(expected: number): void;
}

export interface StoreSuite extends TestRunner {
  /** Runs `body` on a new store, and removes it whatever happens. */
  inStore(body: (store: Store, place: StorePlace) => Promise<void>, shards?: number): Promise<void>;
}

/** 2013-10-08 13:47:49 UTC. */
export const T0_US = 1_381_240_069_000_000;

export type TickFields = Partial<Omit<Tick, 'price' | 'size'>> & { readonly price?: string; readonly size?: string };

export function tickOf({ price = '182.1', size = '100', ...fields }: TickFields): Tick {
  return {
    symbol: 'IBM',
    tsUs: T0_US,
    ns: 0,
    seq: 1,
    id: '1',
    exchange: 'K',
    conditions: '13;41',
    side: '',
    ...fields,
    price: decimalOf(price),
    size: decimalOf(size),
  };
}

export function decimalOf(text: string): Tick['price'] {
  const value = parseDecimal(text);
  if (value === undefined) throw new RangeError(`not a decimal: ${text}`);
  return value;
}

/** The candles of some ticks of one instrument in one interval, ascending. */
export function candlesOf(instrumentId: number, interval: Interval, ticks: readonly Tick[]): Omit<CandleRow, 'rev'>[] {
  const byStart = new Map<number, Omit<CandleRow, 'rev'>>();
  for (const tick of ticks) {
    const startUs = bucketStartUs(interval, tick.tsUs);
    const present = byStart.get(startUs);
    const candle =
      present === undefined ? candleOfTick(markOf(tick)) : mergeCandles(present.candle, candleOfTick(markOf(tick)));
    byStart.set(startUs, { instrumentId, interval, startUs, candle });
  }
  return [...byStart.values()].sort((a, b) => a.startUs - b.startUs);
}

/** Candles as text, so that equal values are equal whatever their decimal places (IDS-12). Revisions are left out. */
export function plain(rows: readonly Omit<CandleRow, 'rev'>[]): object[] {
  return rows.map(({ instrumentId, interval, startUs, candle }) => ({
    instrumentId,
    interval,
    startUs,
    open: plainMark(candle.open),
    high: formatDecimal(candle.high),
    low: formatDecimal(candle.low),
    close: plainMark(candle.close),
    volume: formatDecimal(candle.volume),
    quoteVolume: formatDecimal(candle.quoteVolume),
    trades: candle.trades,
  }));
}

/** What of a tick a candle keeps. */
export function markOf({ tsUs, ns, seq, id, price, size }: Tick): TickMark {
  return { tsUs, ns, seq, id, price, size };
}

export function archived(instrumentId: number, ticks: readonly Tick[]): ArchivedTick[] {
  return ticks.map((tick) => ({ instrumentId, tick }));
}

export async function register(store: Store, symbol: string, simulated = false): Promise<Instrument> {
  const outcome = await store.register([{ symbol, source: simulated ? 'sim' : 'file', simulated }]);
  const instrument = outcome.ok ? outcome.value[0] : undefined;
  if (instrument === undefined) throw new RangeError(`${symbol} was refused`);
  return instrument;
}

/** Takes shard 0 over; the returned function commits under that term. */
export async function ownerOf(
  store: Store,
  token = 'owner',
): Promise<(flush: Partial<Flush>) => Promise<CommitOutcome>> {
  const { ownerTerm } = await store.takeOver(0, token);
  return (flush) =>
    store.commit({ shard: 0, ownerTerm, candles: [], ticks: [], ingestMs: 1_700_000_000_000, ...flush });
}

/** The fault a promise rejects with. */
export async function faultOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (fault: unknown) => fault,
  );
}

function plainMark({ price, size, ...mark }: TickMark): object {
  return { ...mark, price: formatDecimal(price), size: formatDecimal(size) };
}
