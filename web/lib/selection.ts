import { INTERVALS, type Interval, isInterval } from '../../src/core/interval.ts';

/** What the page shows; the address bar holds it, so a link or a reload shows the same. */
export interface Selection {
  /** Null before any symbol is known. */
  readonly symbol: string | null;
  readonly interval: Interval;
}

const INTERVAL_DEFAULT: Interval = '1m';

/** A symbol in the address wins even if unknown: the page then says so instead of showing another one. */
export function readSelection(query: URLSearchParams, symbols: readonly string[]): Selection {
  const interval = query.get('interval') ?? '';
  return {
    symbol: query.get('symbol') || (symbols[0] ?? null),
    interval: isInterval(interval) ? interval : INTERVAL_DEFAULT,
  };
}

export function hrefOf({ symbol, interval }: Selection): string {
  return `?${new URLSearchParams({ ...(symbol === null ? {} : { symbol }), interval })}`;
}

/** Where a key leads; null when the key is not ours. Arrows walk the list, 1 to 9 and 0 choose the interval. */
export function selectByKey(key: string, at: Selection, symbols: readonly string[]): Selection | null {
  if (key === 'ArrowDown' || key === 'ArrowUp') {
    const from = symbols.indexOf(at.symbol ?? '');
    const symbol = symbols[from < 0 ? 0 : from + (key === 'ArrowDown' ? 1 : -1)];
    return symbol === undefined ? null : { ...at, symbol };
  }
  if (!/^\d$/.test(key)) return null;
  const interval = INTERVALS[(Number(key) + 9) % 10];
  return interval === undefined ? null : { ...at, interval };
}
