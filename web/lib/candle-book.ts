import type { CandleView } from '../../src/core/candle.ts';

/**
 * The candles of one symbol and interval, ascending, put together from pages of history and live events in any order.
 * Of two versions of a candle the higher revision wins, so duplicates and late answers change nothing (T8).
 */
export interface CandleBook {
  readonly candles: readonly CandleView[];
  /** Live candles since the running reload began: they outlive its answer. Null when no reload runs. */
  readonly arrived: readonly CandleView[] | null;
  /** Nothing older exists. */
  readonly complete: boolean;
}

/** What a chart holds in memory at most; 1s candles of 55 hours. */
export const BOOK_CANDLES_MAX = 200_000;

export const EMPTY_BOOK: CandleBook = { candles: [], arrived: null, complete: false };

export function applyLive(book: CandleBook, candles: readonly CandleView[]): CandleBook {
  if (candles.length === 0) return book;
  return {
    ...book,
    candles: mergeCandleLists(book.candles, candles),
    arrived: book.arrived === null ? null : mergeCandleLists(book.arrived, candles),
  };
}

export function beginReload(book: CandleBook): CandleBook {
  return { ...book, arrived: [] };
}

export function abandonReload(book: CandleBook): CandleBook {
  return { ...book, arrived: null };
}

/**
 * The newest page replaces what it covers, whatever the revisions: after a restored store they may have gone back.
 * Older candles stay only if `keepOlder`, that is if the server did not declare a reset.
 */
export function finishReload(
  book: CandleBook,
  page: readonly CandleView[],
  keepOlder: boolean,
  limit: number,
): CandleBook {
  const firstMs = page[0]?.startMs;
  const older = keepOlder && firstMs !== undefined ? book.candles.filter((candle) => candle.startMs < firstMs) : [];
  // Without an overlap candles between the two may be missing: start again from the page.
  const joined = older.length > 0 && book.candles.some((candle) => candle.startMs === firstMs) ? older : [];
  return {
    candles: mergeCandleLists([...joined, ...page], book.arrived ?? []),
    arrived: null,
    complete: joined.length > 0 ? book.complete : page.length < limit,
  };
}

export function prependOlder(book: CandleBook, page: readonly CandleView[], limit: number): CandleBook {
  const candles = mergeCandleLists(page, book.candles);
  return { ...book, candles, complete: page.length < limit || candles.length >= BOOK_CANDLES_MAX };
}

export function findCandle(candles: readonly CandleView[], startMs: number): CandleView | undefined {
  const candle = candles[lowerBound(candles, startMs)];
  return candle?.startMs === startMs ? candle : undefined;
}

/** Both ascend; so does the answer, with one candle per start: the higher revision, and of equals the second list's. */
export function mergeCandleLists(a: readonly CandleView[], b: readonly CandleView[]): readonly CandleView[] {
  const merged = a.slice();
  for (const candle of b) {
    const at = lowerBound(merged, candle.startMs);
    const present = merged[at];
    if (present?.startMs !== candle.startMs) merged.splice(at, 0, candle);
    else if (candle.revision >= present.revision) merged[at] = candle;
  }
  return merged;
}

export type CandleChange =
  | { readonly kind: 'all' }
  /** Ascending; each replaces its namesake or comes after the last one. */
  | { readonly kind: 'some'; readonly candles: readonly CandleView[] };

/** The least a chart has to redraw to get from one list to the next. */
export function diffCandles(before: readonly CandleView[], after: readonly CandleView[]): CandleChange {
  if (before.length === 0 || after.length < before.length) return { kind: 'all' };
  const candles: CandleView[] = [];
  for (const [index, candle] of after.entries()) {
    const old = before[index];
    if (candle === old) continue;
    if (old !== undefined && old.startMs !== candle.startMs) return { kind: 'all' };
    candles.push(candle);
    if (candles.length > REDRAW_SOME_MAX) return { kind: 'all' };
  }
  return { kind: 'some', candles };
}

/** Beyond it one full redraw is cheaper. */
const REDRAW_SOME_MAX = 50;

/** Index of the first candle that does not start before `startMs`. */
function lowerBound(candles: readonly CandleView[], startMs: number): number {
  let low = 0;
  let high = candles.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((candles[middle]?.startMs ?? 0) < startMs) low = middle + 1;
    else high = middle;
  }
  return low;
}
