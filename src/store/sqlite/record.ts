import type { CandleRow } from '../../core/candle.ts';
import { type Decimal, formatDecimal } from '../../core/decimal.ts';
import { INTERVAL_CODES, INTERVALS, intervalOfCode } from '../../core/interval.ts';
import { type CheckedTable, checksumOf, VALUE_SEPARATOR } from './checked-row.ts';
import { decodeDecimal, decodeMark, encodeMark } from './mark.ts';

/** A candle as it comes from SQLite, whole and checked: the values of CANDLES, parted by VALUE_SEPARATOR. */
export type CandleRecord = string;

export const CANDLES: CheckedTable = {
  describe: ([instrumentId, code, startUs]) => {
    const interval = INTERVALS.find((known) => String(INTERVAL_CODES[known]) === code) ?? `of code ${code}`;
    return `candle of instrument ${instrumentId}, interval ${interval}, start ${startUs} us`;
  },
  columns: [
    'instrument_id',
    'interval_code',
    'start_us',
    'open',
    'high',
    'low',
    'close',
    'volume',
    'quote_volume',
    'trades',
    'open_mark',
    'close_mark',
  ],
  counters: ['rev'],
};

/** What appendCandle appends, and the commit number as ?1. */
export const CANDLE_INSERT = {
  into: `REPLACE INTO candle (${CANDLES.columns.join(', ')}, checksum, rev)`,
  row: `(${CANDLES.columns.map(() => '?').join(', ')}, ? + ?1, ?1)`,
} as const;

/** Appends the values of one candle and their checksum, without `rev`, to the flat list that crosses to the worker. */
export function appendCandle(values: (string | number)[], { candle, ...key }: Omit<CandleRow, 'rev'>): void {
  const { price } = candle.open;
  const open = formatDecimal(price);
  // Most one-second candles hold one price: it is written once.
  const text = (value: Decimal): string => (value === price ? open : formatDecimal(value));
  const row = [
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
  ];
  values.push(...row, checksumOf(row));
}

/** Whose candle it is and when it starts, without decoding the rest. */
export function keyOfRecord(record: CandleRecord): { readonly instrumentId: number; readonly startUs: number } {
  const [instrumentId, , startUs] = record.split(VALUE_SEPARATOR, 3);
  return { instrumentId: Number(instrumentId), startUs: Number(startUs) };
}

export function decodeCandle(record: CandleRecord): CandleRow {
  const values = record.split(VALUE_SEPARATOR);
  // The checksum has vouched for every one.
  const at = (index: number): string => values[index] as string;
  return {
    instrumentId: Number(at(0)),
    interval: intervalOfCode(Number(at(1))),
    startUs: Number(at(2)),
    candle: {
      open: decodeMark(at(10), decodeDecimal(at(3))),
      high: decodeDecimal(at(4)),
      low: decodeDecimal(at(5)),
      close: decodeMark(at(11), decodeDecimal(at(6))),
      volume: decodeDecimal(at(7)),
      quoteVolume: decodeDecimal(at(8)),
      trades: Number(at(9)),
    },
    rev: Number(at(13)),
  };
}
