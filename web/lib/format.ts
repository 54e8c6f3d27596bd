import type { CandleView } from '../../src/core/candle.ts';
import { type Decimal, divideDecimals, formatDecimal, parseDecimal } from '../../src/core/decimal.ts';
import type { Interval } from '../../src/core/interval.ts';

/**
 * Text for the reader. Numbers stay the decimal text of the API: they may gain zeros, a sign, separators or a percent
 * mark, and never pass through floating point.
 */
export interface LegendEntry {
  readonly label: string;
  /** What the label stands for, for screen readers. */
  readonly name: string;
  readonly value: string;
  /** The whole of a value that is shown rounded. */
  readonly exact?: string;
}

/** The exact numbers of one candle, in the order traders read them; only the average is rounded. */
export function legendOf(candle: CandleView, priceDigits: number): readonly LegendEntry[] {
  const { vwap } = candle;
  const average = vwap === null ? NONE : padDigits(roundDigits(vwap, priceDigits + VWAP_MORE_DIGITS), priceDigits);
  return [
    { label: 'O', name: 'Open', value: padDigits(candle.open, priceDigits) },
    { label: 'H', name: 'High', value: padDigits(candle.high, priceDigits) },
    { label: 'L', name: 'Low', value: padDigits(candle.low, priceDigits) },
    { label: 'C', name: 'Close', value: padDigits(candle.close, priceDigits) },
    { label: 'Vol', name: 'Volume', value: groupThousands(candle.volume) },
    { label: 'Trades', name: 'Trades', value: groupThousands(String(candle.trades)) },
    { label: 'VWAP', name: 'Volume-weighted average price', value: average, ...(vwap === null ? {} : { exact: vwap }) },
  ];
}

const VWAP_MORE_DIGITS = 2;

/** Placeholder of a value that does not exist. */
export const NONE = '\u2013';

const MINUS = '\u2212';

export function decimalPlaces(text: string): number {
  const point = text.indexOf('.');
  return point < 0 ? 0 : text.length - point - 1;
}

/** Decimal text with at least `digits` decimal places, so that a column of prices lines up. */
export function padDigits(text: string, digits: number): string {
  const missing = digits - decimalPlaces(text);
  if (missing <= 0) return text;
  return `${text.includes('.') ? text : `${text}.`}${'0'.repeat(missing)}`;
}

/** Decimal text with at most `digits` decimal places, rounded half away from zero. */
export function roundDigits(text: string, digits: number): string {
  const value = decimalPlaces(text) > digits ? parseDecimal(text) : undefined;
  const rounded = value === undefined ? undefined : divideDecimals(value, ONE, digits);
  return rounded === undefined ? text : formatDecimal(rounded);
}

const ONE: Decimal = { units: 1, digits: 0 };

/** Decimal text with a comma between the thousands of its whole part. */
export function groupThousands(text: string): string {
  const [whole = '', fraction] = text.split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** Decimal text with a sign before it, a true minus included; zero has none. */
export function withSign(text: string): string {
  if (directionOf(text) === 'flat') return text.replace('-', '');
  return text.startsWith('-') ? MINUS + text.slice(1) : `+${text}`;
}

export type Direction = 'up' | 'down' | 'flat';

export function directionOf(change: string | null): Direction {
  if (change === null || /^-?[0.]*$/.test(change)) return 'flat';
  return change.startsWith('-') ? 'down' : 'up';
}

/** A candle's start in UTC, as fine as its interval needs. */
export function formatStart(startMs: number, interval: Interval): string {
  const pattern = START_FORMATS[interval] ?? MINUTE_FORMAT;
  return `${pattern.format(startMs)}${isIntraday(interval) ? ' UTC' : ''}`;
}

/** The day in UTC, e.g. 10 Oct 2013. */
export function formatDay(atMs: number): string {
  return DAY_FORMAT.format(atMs);
}

/** The day of a price that is not of `today`; null when it is, or when there is none. */
export function pastDayOf(lastTsMs: number | null, today: string): string | null {
  const day = lastTsMs === null ? today : formatDay(lastTsMs);
  return day === today ? null : day;
}

export function isIntraday(interval: Interval): boolean {
  return !(interval === '1d' || interval === '1w' || interval === '1M');
}

export function hasSeconds(interval: Interval): boolean {
  return interval === '1s' || interval === '5s';
}

/** One fixed locale: the server and the browser must print the same text. */
const LOCALE = 'en-GB';
const DAY: Intl.DateTimeFormatOptions = { timeZone: 'UTC', day: '2-digit', month: 'short', year: 'numeric' };
const MINUTE: Intl.DateTimeFormatOptions = { ...DAY, hour: '2-digit', minute: '2-digit' };
const SECOND: Intl.DateTimeFormatOptions = { ...MINUTE, second: '2-digit' };
const MINUTE_FORMAT = new Intl.DateTimeFormat(LOCALE, MINUTE);
const DAY_FORMAT = new Intl.DateTimeFormat(LOCALE, DAY);
const SECOND_FORMAT = new Intl.DateTimeFormat(LOCALE, SECOND);
const MONTH_FORMAT = new Intl.DateTimeFormat(LOCALE, { timeZone: 'UTC', month: 'short', year: 'numeric' });

const START_FORMATS: Partial<Record<Interval, Intl.DateTimeFormat>> = {
  '1s': SECOND_FORMAT,
  '5s': SECOND_FORMAT,
  '1d': DAY_FORMAT,
  '1w': DAY_FORMAT,
  '1M': MONTH_FORMAT,
};
