/**
 * Candle intervals and their buckets (R1 to R4): half-open [start, end), labelled by start, keyed by event time.
 * Times are Unix microseconds. Fixed intervals align to the epoch, weeks to Monday 00:00 UTC, months to the calendar.
 */
export type Interval = (typeof INTERVALS)[number];

export const INTERVALS = ['1s', '5s', '1m', '5m', '15m', '1h', '4h', '1d', '1w', '1M'] as const;

/** Small integers for stores, where `1m` and `1M` would differ only in case (D1). Never renumber. */
export const INTERVAL_CODES: Record<Interval, number> = {
  '1s': 1,
  '5s': 2,
  '1m': 3,
  '5m': 4,
  '15m': 5,
  '1h': 6,
  '4h': 7,
  '1d': 8,
  '1w': 9,
  '1M': 10,
};

export const US_PER_MS = 1_000;
export const US_PER_SECOND = 1_000_000;
export const US_PER_HOUR = 3_600 * US_PER_SECOND;

const US_PER_DAY = 86_400 * US_PER_SECOND;
/** 1970-01-01 was a Thursday; the Monday before it. */
const MONDAY_ORIGIN_US = -3 * US_PER_DAY;

const FIXED_LENGTH_US: Partial<Record<Interval, number>> = {
  '1s': US_PER_SECOND,
  '5s': 5 * US_PER_SECOND,
  '1m': 60 * US_PER_SECOND,
  '5m': 300 * US_PER_SECOND,
  '15m': 900 * US_PER_SECOND,
  '1h': US_PER_HOUR,
  '4h': 4 * US_PER_HOUR,
  '1d': US_PER_DAY,
  '1w': 7 * US_PER_DAY,
};

export function isInterval(text: string): text is Interval {
  return Object.hasOwn(INTERVAL_CODES, text);
}

export function intervalOfCode(code: number): Interval {
  const interval = INTERVALS.find((candidate) => INTERVAL_CODES[candidate] === code);
  if (interval === undefined) throw new RangeError(`unknown interval code ${code}`);
  return interval;
}

/** Start of the bucket that holds `tsUs`. Floor division, also before 1970 (R2). */
export function bucketStartUs(interval: Interval, tsUs: number): number {
  const lengthUs = FIXED_LENGTH_US[interval];
  if (lengthUs === undefined) return monthStartUs(tsUs, 0);
  const originUs = interval === '1w' ? MONDAY_ORIGIN_US : 0;
  return Math.floor((tsUs - originUs) / lengthUs) * lengthUs + originUs;
}

/** End of the bucket that starts at `startUs`; also the start of the next one (R6). */
export function bucketEndUs(interval: Interval, startUs: number): number {
  const lengthUs = FIXED_LENGTH_US[interval];
  return lengthUs === undefined ? monthStartUs(startUs, 1) : startUs + lengthUs;
}

/** When every candle that holds `tsUs`, of whatever interval, has ended. */
export function endOfAllBucketsUs(tsUs: number): number {
  return Math.max(...INTERVALS.map((interval) => bucketEndUs(interval, bucketStartUs(interval, tsUs))));
}

/** The finer interval a candle is rolled up from: it divides the interval and shares its alignment (R31). */
export const ROLLUP_PARENT: Record<Interval, Interval | undefined> = {
  '1s': undefined,
  '5s': '1s',
  '1m': '5s',
  '5m': '1m',
  '15m': '5m',
  '1h': '15m',
  '4h': '1h',
  '1d': '4h',
  '1w': '1d',
  '1M': '1d',
};

function monthStartUs(tsUs: number, monthsLater: number): number {
  const date = new Date(Math.floor(tsUs / US_PER_MS));
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + monthsLater, 1) * US_PER_MS;
}
