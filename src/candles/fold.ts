import { type Candle, type CandleKey, candleOfTick, mergeCandles } from '../core/candle.ts';
import { addDecimals, compareDecimals, multiplyDecimals } from '../core/decimal.ts';
import { bucketEndUs, bucketStartUs, INTERVALS, type Interval, ROLLUP_PARENT } from '../core/interval.ts';
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
  /** Trades added since the last take. */
  readonly ticks: number;
  /** The deltas of everything added so far, ordered by (instrument, interval, start); leaves the fold empty. */
  take(): CandleDelta[];
}

export function createFold(): Fold {
  let series = new Map<number, SecondSeries>();
  let ticks = 0;
  return {
    get ticks() {
      return ticks;
    },
    add(instrumentId, tick) {
      let seconds = series.get(instrumentId);
      if (seconds === undefined) series.set(instrumentId, (seconds = createSecondSeries()));
      foldTick(seconds, tick);
      ticks++;
    },
    take() {
      const deltas: CandleDelta[] = [];
      for (const instrumentId of [...series.keys()].sort((a, b) => a - b)) {
        appendDeltas(deltas, instrumentId, (series.get(instrumentId) as SecondSeries).candles);
      }
      series = new Map();
      ticks = 0;
      return deltas;
    },
  };
}

type MutableCandle = { -readonly [Field in keyof Candle]: Candle[Field] };

/** One instrument's one-second candles; `current` spares the lookup while trades come in order. */
interface SecondSeries {
  readonly candles: Map<number, MutableCandle>;
  current: MutableCandle | undefined;
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
    series.current = series.candles.get(series.startUs);
    if (series.current === undefined) {
      series.current = candleOfTick(tick);
      series.candles.set(series.startUs, series.current);
      return;
    }
  }
  const candle = series.current;
  if (compareTicks(tick, candle.open) < 0) candle.open = tick;
  if (compareTicks(tick, candle.close) > 0) candle.close = tick;
  if (compareDecimals(tick.price, candle.high) > 0) candle.high = tick.price;
  if (compareDecimals(tick.price, candle.low) < 0) candle.low = tick.price;
  candle.volume = addDecimals(candle.volume, tick.size);
  candle.quoteVolume = addDecimals(candle.quoteVolume, multiplyDecimals(tick.price, tick.size));
  candle.trades++;
}

function appendDeltas(deltas: CandleDelta[], instrumentId: number, seconds: ReadonlyMap<number, Candle>): void {
  const byInterval = new Map<Interval, ReadonlyMap<number, Candle>>();
  for (const interval of INTERVALS) {
    const parent = ROLLUP_PARENT[interval];
    const candles =
      parent === undefined ? seconds : rollUp(interval, byInterval.get(parent) as ReadonlyMap<number, Candle>);
    byInterval.set(interval, candles);
    const starts = [...candles.keys()].sort((a, b) => a - b);
    for (const startUs of starts)
      deltas.push({ instrumentId, interval, startUs, candle: candles.get(startUs) as Candle });
  }
}

/** Candles of `interval` from those of a finer one that divides it (R31). */
function rollUp(interval: Interval, finer: ReadonlyMap<number, Candle>): Map<number, Candle> {
  const candles = new Map<number, Candle>();
  for (const [startUs, candle] of finer) {
    const bucketUs = bucketStartUs(interval, startUs);
    const present = candles.get(bucketUs);
    candles.set(bucketUs, present === undefined ? candle : mergeCandles(present, candle));
  }
  return candles;
}
