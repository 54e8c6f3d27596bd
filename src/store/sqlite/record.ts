import type { CandleRow } from '../../core/candle.ts';
import { type Decimal, formatDecimal } from '../../core/decimal.ts';
import { assert } from '../../core/errors.ts';
import { INTERVAL_CODES, intervalOfCode } from '../../core/interval.ts';
import { decodeDecimal, decodeMark, encodeMark } from './mark.ts';

/** A candle as SQLite holds it: the values of CANDLE_COLUMNS, in that order. */
export type CandleRecord = readonly [
  instrumentId: number,
  intervalCode: number,
  startUs: number,
  open: string | null,
  high: string | null,
  low: string | null,
  close: string | null,
  volume: string,
  quoteVolume: string,
  trades: number,
  openMark: string | null,
  closeMark: string | null,
  rev: number,
];

export const CANDLE_COLUMNS =
  'instrument_id, interval_code, start_us, open, high, low, close, volume, quote_volume, trades, open_mark, close_mark, rev';

/** Values of a record that the writer gives; `rev` is the store's. */
export const CANDLE_VALUES = 12;

/** Appends the values of one candle, without `rev`, to the flat list that crosses to the worker. */
export function appendCandle(values: (string | number)[], { candle, ...key }: Omit<CandleRow, 'rev'>): void {
  const { price } = candle.open;
  const open = formatDecimal(price);
  // Most one-second candles hold one price: it is written once.
  const text = (value: Decimal): string => (value === price ? open : formatDecimal(value));
  values.push(
    key.instrumentId,
    INTERVAL_CODES[key.interval],
    key.startUs,
    open,
    text(candle.high),
    text(candle.low),
    text(candle.close.price),
    formatDecimal(candle.volume),
    formatDecimal(candle.quoteVolume),
    candle.trades,
    encodeMark(candle.open),
    encodeMark(candle.close),
  );
}

export function decodeCandle(record: CandleRecord): CandleRow {
  const [instrumentId, intervalCode, startUs, open, high, low, close, volume, quoteVolume, trades] = record;
  const [openMark, closeMark, rev] = [record[10], record[11], record[12]];
  assert(
    open !== null && high !== null && low !== null && close !== null && openMark !== null && closeMark !== null,
    'a candle without prices',
  );
  return {
    instrumentId,
    interval: intervalOfCode(intervalCode),
    startUs,
    candle: {
      open: decodeMark(openMark, decodeDecimal(open)),
      high: decodeDecimal(high),
      low: decodeDecimal(low),
      close: decodeMark(closeMark, decodeDecimal(close)),
      volume: decodeDecimal(volume),
      quoteVolume: decodeDecimal(quoteVolume),
      trades,
    },
    rev,
  };
}
