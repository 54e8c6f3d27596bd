import {
  addDecimals,
  compareDecimals,
  type Decimal,
  divideDecimals,
  formatDecimal,
  multiplyDecimals,
} from './decimal.ts';
import type { Interval } from './interval.ts';
import { compareTicks, type TickMark } from './tick.ts';

/**
 * What a set of trades determines: exact, and independent of the order in which they came (R10 to R16). Open and close
 * keep the whole mark of their trade, so that two candles of the same bucket merge commutatively and associatively.
 */
export interface Candle {
  readonly open: TickMark;
  readonly high: Decimal;
  readonly low: Decimal;
  readonly close: TickMark;
  readonly volume: Decimal;
  /** Sum of price times size. */
  readonly quoteVolume: Decimal;
  readonly trades: number;
}

/** Where a candle belongs. `startUs` is Unix microseconds. */
export interface CandleKey {
  readonly instrumentId: number;
  readonly interval: Interval;
  readonly startUs: number;
}

/** A candle as stored: with the commit that last changed it (D5: rev = commitNo of its shard). */
export interface CandleRow extends CandleKey {
  readonly candle: Candle;
  readonly rev: number;
}

/** The candle of one trade. */
export function candleOfTick(tick: TickMark): Candle {
  return {
    open: tick,
    high: tick.price,
    low: tick.price,
    close: tick,
    volume: tick.size,
    quoteVolume: multiplyDecimals(tick.price, tick.size),
    trades: 1,
  };
}

/** The candle of two disjoint sets of trades. Commutative and associative. */
export function mergeCandles(a: Candle, b: Candle): Candle {
  return {
    open: compareTicks(a.open, b.open) <= 0 ? a.open : b.open,
    high: compareDecimals(a.high, b.high) >= 0 ? a.high : b.high,
    low: compareDecimals(a.low, b.low) <= 0 ? a.low : b.low,
    close: compareTicks(a.close, b.close) >= 0 ? a.close : b.close,
    volume: addDecimals(a.volume, b.volume),
    quoteVolume: addDecimals(a.quoteVolume, b.quoteVolume),
    trades: a.trades + b.trades,
  };
}

export type CandleState = 'open' | 'closed';

/** One candle as every reader sees it: the CLI, HTTP and SSE share this shape. Decimals are text, times Unix ms. */
export interface CandleView {
  readonly symbol: string;
  readonly interval: Interval;
  readonly startMs: number;
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  readonly volume: string;
  readonly trades: number;
  readonly quoteVolume: string;
  readonly vwap: string | null;
  readonly simulated: boolean;
  readonly state: CandleState;
  readonly revision: number;
}

/** Decimal places of a VWAP: it is a quotient, the one value here that is rounded. */
const VWAP_DIGITS = 8;

export function viewCandle(row: CandleRow, of: { symbol: string; simulated: boolean; state: CandleState }): CandleView {
  const { candle } = row;
  const vwap = divideDecimals(candle.quoteVolume, candle.volume, VWAP_DIGITS);
  return {
    symbol: of.symbol,
    interval: row.interval,
    startMs: row.startUs / 1_000,
    open: formatDecimal(candle.open.price),
    high: formatDecimal(candle.high),
    low: formatDecimal(candle.low),
    close: formatDecimal(candle.close.price),
    volume: formatDecimal(candle.volume),
    trades: candle.trades,
    quoteVolume: formatDecimal(candle.quoteVolume),
    vwap: vwap === undefined ? null : formatDecimal(vwap),
    simulated: of.simulated,
    state: of.state,
    revision: row.rev,
  };
}
