import { type Candle, type CandleKey, mergeCandles } from '../core/candle.ts';
import { INTERVAL_CODES } from '../core/interval.ts';
import type { CandleDelta } from './fold.ts';

/** Where stored candles come from. */
export interface CandleSource {
  loadCandles(keys: readonly CandleKey[]): Promise<(CandleKey & { readonly candle: Candle })[]>;
}

/**
 * The stored candles that the next trades will most likely touch again. Writing absolute candles needs what is stored
 * (R33, R34); the book spares the read while trades keep coming to the same buckets.
 */
export interface CandleBook {
  /** The absolute candles after merging `deltas` into what is stored. Nothing is remembered before `committed`. */
  merge(deltas: readonly CandleDelta[]): Promise<CandleDelta[]>;
  /** These candles are stored now. */
  committed(candles: readonly CandleDelta[]): void;
  /** Forget everything: somebody else may have written. */
  reset(): void;
}

/** Ten intervals of a few thousand symbols; about 1 kB each. */
export const BOOK_CANDLES_MAX = 50_000;

/** Keys read in one request to the store. */
const LOAD_CHUNK_KEYS = 10_000;

export function createCandleBook(source: CandleSource, candlesMax: number = BOOK_CANDLES_MAX): CandleBook {
  const candles = new Map<string, Candle>();
  return {
    async merge(deltas) {
      const stored = await load(
        source,
        deltas.filter((delta) => !candles.has(bookKey(delta))),
      );
      return deltas.map((delta) => {
        const key = bookKey(delta);
        const base = candles.get(key) ?? stored.get(key);
        return base === undefined ? delta : { ...delta, candle: mergeCandles(base, delta.candle) };
      });
    },
    committed(written) {
      for (const entry of written) {
        const key = bookKey(entry);
        candles.delete(key);
        candles.set(key, entry.candle);
      }
      for (const key of candles.keys()) {
        if (candles.size <= candlesMax) break;
        candles.delete(key);
      }
    },
    reset: () => candles.clear(),
  };
}

async function load(source: CandleSource, keys: readonly CandleKey[]): Promise<Map<string, Candle>> {
  const stored = new Map<string, Candle>();
  for (let from = 0; from < keys.length; from += LOAD_CHUNK_KEYS) {
    const chunk = keys.slice(from, from + LOAD_CHUNK_KEYS);
    for (const row of await source.loadCandles(chunk)) stored.set(bookKey(row), row.candle);
  }
  return stored;
}

function bookKey(key: CandleKey): string {
  return `${key.instrumentId}:${INTERVAL_CODES[key.interval]}:${key.startUs}`;
}
