import { type Candle, type CandleKey, mergeCandles } from '../core/candle.ts';
import { INTERVAL_CODES, INTERVALS } from '../core/interval.ts';
import type { Store } from '../store/store.ts';
import type { CandleDelta } from './fold.ts';

/**
 * The newest stored candles of each series, which the next trades will most likely touch. Writing absolute candles needs
 * what is stored (R33, R34); the book spares the read while trades keep coming to the same buckets, or to new ones.
 */
export interface CandleBook {
  /** The absolute candles after merging `deltas` into what is stored. Nothing is remembered before `committed`. */
  merge(deltas: readonly CandleDelta[]): Promise<CandleDelta[]>;
  /** False when nothing can be stored of this instrument at or after the hour, so that nobody needs to ask. */
  mayHaveTradesSince(instrumentId: number, hourStartUs: number): Promise<boolean>;
  /** These candles are stored now. Ordered by (instrument, interval, start), as a fold gives them. */
  committed(candles: readonly CandleDelta[]): void;
  /** Forget everything: somebody else may have written. */
  reset(): void;
}

/** Candles remembered of each series; older ones are read again when a late trade comes. */
export const RECENT_CANDLES = 8;

/** Keys read in one request to the store. */
const LOAD_CHUNK_KEYS = 10_000;

type BookStore = Pick<Store, 'loadCandles' | 'latestCandles'>;

export function createCandleBook(store: BookStore): CandleBook {
  return new StoredCandleBook(store);
}

/** What is known of one instrument and interval. */
interface Series {
  /** Start of the newest stored candle: nothing newer needs to be asked for. */
  newestUs: number;
  /** By start, the newest ones only. */
  readonly recent: Map<number, Candle>;
}

class StoredCandleBook implements CandleBook {
  readonly #store: BookStore;
  /** undefined: nothing is known yet, or any more. */
  #series: Map<number, Series> | undefined;

  constructor(store: BookStore) {
    this.#store = store;
  }

  async mayHaveTradesSince(instrumentId: number, hourStartUs: number): Promise<boolean> {
    const known = (this.#series ??= await loadSeries(this.#store));
    const hours = known.get(seriesKey({ instrumentId, interval: '1h' }));
    return hours !== undefined && hours.newestUs >= hourStartUs;
  }

  async merge(deltas: readonly CandleDelta[]): Promise<CandleDelta[]> {
    const known = (this.#series ??= await loadSeries(this.#store));
    const seriesOf = deltas.map((delta) => known.get(seriesKey(delta)));
    const missing = deltas.filter((delta, at) => {
      const series = seriesOf[at];
      return series !== undefined && delta.startUs <= series.newestUs && !series.recent.has(delta.startUs);
    });
    const stored = await load(this.#store, missing);
    return deltas.map((delta, at) => {
      const series = seriesOf[at];
      if (series === undefined || delta.startUs > series.newestUs) return delta;
      const base = series.recent.get(delta.startUs) ?? stored.get(candleKey(delta));
      return base === undefined ? delta : { ...delta, candle: mergeCandles(base, delta.candle) };
    });
  }

  committed(written: readonly CandleDelta[]): void {
    const known = this.#series;
    if (known === undefined) return;
    for (let at = 0; at < written.length; ) {
      const first = written[at] as CandleDelta;
      const key = seriesKey(first);
      let end = at + 1;
      while (end < written.length && seriesKey(written[end] as CandleDelta) === key) end++;
      let series = known.get(key);
      if (series === undefined) known.set(key, (series = { newestUs: Number.NEGATIVE_INFINITY, recent: new Map() }));
      remember(series, written.slice(at, end));
      at = end;
    }
  }

  reset(): void {
    this.#series = undefined;
  }
}

function remember(series: Series, written: readonly CandleDelta[]): void {
  for (const { startUs, candle } of written.slice(-RECENT_CANDLES)) {
    series.recent.delete(startUs);
    series.recent.set(startUs, candle);
    series.newestUs = Math.max(series.newestUs, startUs);
  }
  // What was written but not remembered must not be remembered as it was before.
  for (const { startUs } of written.slice(0, -RECENT_CANDLES)) series.recent.delete(startUs);
  for (const startUs of series.recent.keys()) {
    if (series.recent.size <= RECENT_CANDLES) break;
    series.recent.delete(startUs);
  }
}

async function loadSeries(store: BookStore): Promise<Map<number, Series>> {
  const known = new Map<number, Series>();
  for (const interval of INTERVALS) {
    for (const { row } of await store.latestCandles(interval)) {
      known.set(seriesKey(row), { newestUs: row.startUs, recent: new Map([[row.startUs, row.candle]]) });
    }
  }
  return known;
}

async function load(store: BookStore, keys: readonly CandleKey[]): Promise<Map<string, Candle>> {
  const stored = new Map<string, Candle>();
  for (let from = 0; from < keys.length; from += LOAD_CHUNK_KEYS) {
    const chunk = keys.slice(from, from + LOAD_CHUNK_KEYS);
    for (const row of await store.loadCandles(chunk)) stored.set(candleKey(row), row.candle);
  }
  return stored;
}

/** Above any interval code. */
const CODES = 32;

function seriesKey({ instrumentId, interval }: Pick<CandleKey, 'instrumentId' | 'interval'>): number {
  return instrumentId * CODES + INTERVAL_CODES[interval];
}

function candleKey(key: CandleKey): string {
  return `${seriesKey(key)}:${key.startUs}`;
}
