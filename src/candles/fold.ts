import { type Candle, type CandleKey, mergeCandles } from '../core/candle.ts';
import {
  addDecimals,
  addUnits,
  compareDecimals,
  type Decimal,
  multiplyDecimals,
  multiplyUnits,
  type Units,
} from '../core/decimal.ts';
import {
  bucketEndUs,
  bucketStartUs,
  INTERVALS,
  type Interval,
  ROLLUP_PARENT,
  US_PER_SECOND,
} from '../core/interval.ts';
import { compareTicks, type TickMark } from '../core/tick.ts';

/** The part of a candle that a batch of trades adds: merge it into what is stored. */
export interface CandleDelta extends CandleKey {
  readonly candle: Candle;
}

/**
 * Folds trades into candles of all intervals: exact, and the same whatever the order of arrival (R10, R11, R31).
 * Trades go into one-second candles only; coarser intervals are rolled up from finer ones when the deltas are taken.
 */
export interface Fold {
  add(instrumentId: number, tick: TickMark): void;
  /** The deltas of everything added so far, ordered by (instrument, interval, start); leaves the fold empty. */
  take(): CandleDelta[];
}

export function createFold(): Fold {
  let series = new Map<number, SecondSeries>();
  return {
    add(instrumentId, tick) {
      let seconds = series.get(instrumentId);
      if (seconds === undefined) series.set(instrumentId, (seconds = createSecondSeries()));
      foldTick(seconds, tick);
    },
    take() {
      const deltas: CandleDelta[] = [];
      for (const [instrumentId, { candles }] of [...series].sort(([a], [b]) => a - b)) {
        appendDeltas(deltas, instrumentId, candles);
      }
      series = new Map();
      return deltas;
    },
  };
}

/** A candle in the making: sums as bare units, because an object for each sum of each trade costs more than the sum. */
interface Accumulator {
  open: TickMark;
  close: TickMark;
  high: Decimal;
  low: Decimal;
  volume: Units;
  volumeDigits: number;
  quoteVolume: Units;
  quoteDigits: number;
  trades: number;
}

/** One instrument's one-second candles, by second; `current` spares the lookup while trades come in order. */
interface SecondSeries {
  readonly candles: Map<number, Accumulator>;
  current: Accumulator | undefined;
  startUs: number;
  endUs: number;
}

function createSecondSeries(): SecondSeries {
  return { candles: new Map(), current: undefined, startUs: 0, endUs: 0 };
}

function foldTick(series: SecondSeries, tick: TickMark): void {
  if (series.current === undefined || tick.tsUs < series.startUs || tick.tsUs >= series.endUs) {
    series.startUs = bucketStartUs('1s', tick.tsUs);
    series.endUs = bucketEndUs('1s', series.startUs);
    // Seconds are small integers for the engine, microseconds are not: a map of them is several times faster.
    const second = series.startUs / US_PER_SECOND;
    series.current = series.candles.get(second);
    if (series.current === undefined) {
      series.current = accumulatorOf(tick);
      series.candles.set(second, series.current);
      return;
    }
  }
  accumulate(series.current, tick);
}

function accumulatorOf(tick: TickMark): Accumulator {
  const { price, size } = tick;
  return {
    open: tick,
    close: tick,
    high: price,
    low: price,
    volume: size.units,
    volumeDigits: size.digits,
    quoteVolume: multiplyUnits(price.units, size.units),
    quoteDigits: price.digits + size.digits,
    trades: 1,
  };
}

function accumulate(sums: Accumulator, tick: TickMark): void {
  const { price, size } = tick;
  if (compareTicks(tick, sums.open) < 0) sums.open = tick;
  if (compareTicks(tick, sums.close) > 0) sums.close = tick;
  if (compareDecimals(price, sums.high) > 0) sums.high = price;
  if (compareDecimals(price, sums.low) < 0) sums.low = price;
  sums.trades++;
  const quoteDigits = price.digits + size.digits;
  if (size.digits === sums.volumeDigits && quoteDigits === sums.quoteDigits) {
    sums.volume = addUnits(sums.volume, size.units);
    sums.quoteVolume = addUnits(sums.quoteVolume, multiplyUnits(price.units, size.units));
    return;
  }
  const volume = addDecimals({ units: sums.volume, digits: sums.volumeDigits }, size);
  const quoteVolume = addDecimals({ units: sums.quoteVolume, digits: sums.quoteDigits }, multiplyDecimals(price, size));
  sums.volume = volume.units;
  sums.volumeDigits = volume.digits;
  sums.quoteVolume = quoteVolume.units;
  sums.quoteDigits = quoteVolume.digits;
}

function candleOf({ open, high, low, close, trades, ...sums }: Accumulator): Candle {
  return {
    open,
    high,
    low,
    close,
    volume: { units: sums.volume, digits: sums.volumeDigits },
    quoteVolume: { units: sums.quoteVolume, digits: sums.quoteDigits },
    trades,
  };
}

function appendDeltas(deltas: CandleDelta[], instrumentId: number, seconds: ReadonlyMap<number, Accumulator>): void {
  const byInterval = new Map<Interval, readonly CandleDelta[]>();
  for (const interval of INTERVALS) {
    const parent = ROLLUP_PARENT[interval];
    const finer = parent === undefined ? undefined : byInterval.get(parent);
    const candles = finer === undefined ? oneSecondDeltas(instrumentId, seconds) : rollUp(interval, finer);
    byInterval.set(interval, candles);
    for (const delta of candles) deltas.push(delta);
  }
}

function oneSecondDeltas(instrumentId: number, seconds: ReadonlyMap<number, Accumulator>): CandleDelta[] {
  return [...seconds]
    .sort(([a], [b]) => a - b)
    .map(([second, sums]) => ({
      instrumentId,
      interval: '1s',
      startUs: second * US_PER_SECOND,
      candle: candleOf(sums),
    }));
}

/** Candles of `interval` from ascending ones of a finer interval that divides it (R31). */
function rollUp(interval: Interval, finer: readonly CandleDelta[]): CandleDelta[] {
  const candles: CandleDelta[] = [];
  let merged: Candle | undefined;
  let startUs = 0;
  let endUs = Number.NEGATIVE_INFINITY;
  for (const { instrumentId, startUs: finerUs, candle } of finer) {
    if (merged !== undefined && finerUs < endUs) {
      merged = mergeCandles(merged, candle);
      candles[candles.length - 1] = { instrumentId, interval, startUs, candle: merged };
      continue;
    }
    merged = candle;
    startUs = bucketStartUs(interval, finerUs);
    endUs = bucketEndUs(interval, startUs);
    candles.push({ instrumentId, interval, startUs, candle });
  }
  return candles;
}
