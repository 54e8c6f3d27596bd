/**
 * The independent answer: candles from rows by schoolbook arithmetic on bigints and calendar strings. Shares no code
 * with src/ on purpose; slow and obvious.
 */
export interface OracleRow {
  symbol: string;
  tsUs: bigint;
  ns?: bigint;
  seq?: bigint;
  id: string;
  price: string;
  size: string;
}

export interface OracleCandle {
  symbol: string;
  interval: string;
  startMs: number;
  open: string;
  high: string;
  low: string;
  close: string;
  volume: string;
  trades: number;
}

export const ORACLE_INTERVALS = ['1s', '5s', '1m', '5m', '15m', '1h', '4h', '1d', '1w', '1M'];

const SCALE = 18n;

export function oracleCandles(rows: Iterable<OracleRow>): OracleCandle[] {
  const trades = new Map<string, OracleRow>();
  for (const row of rows) {
    const hour = floorDiv(row.tsUs, 3_600_000_000n);
    const identity = JSON.stringify([row.symbol, hour.toString(), row.id]);
    if (!trades.has(identity)) trades.set(identity, row);
  }
  const groups = new Map<string, { symbol: string; interval: string; startMs: number; rows: OracleRow[] }>();
  for (const row of trades.values()) {
    for (const interval of ORACLE_INTERVALS) {
      const startMs = bucketMs(interval, row.tsUs);
      const key = `${row.symbol} ${interval} ${startMs}`;
      const group = groups.get(key) ?? { symbol: row.symbol, interval, startMs, rows: [] };
      groups.set(key, group);
      group.rows.push(row);
    }
  }
  const order = (a: OracleCandle, b: OracleCandle): number =>
    compare(a.symbol, b.symbol) ||
    ORACLE_INTERVALS.indexOf(a.interval) - ORACLE_INTERVALS.indexOf(b.interval) ||
    a.startMs - b.startMs;
  return [...groups.values()].map(candleOf).sort(order);
}

/** The lines `ticker candles` is compared with: only what the trades determine (D1). */
export function dump(candles: Iterable<OracleCandle>): string {
  let text = '';
  for (const c of candles) {
    text += `${JSON.stringify({ symbol: c.symbol, interval: c.interval, startMs: c.startMs, open: c.open, high: c.high, low: c.low, close: c.close, volume: c.volume, trades: c.trades })}\n`;
  }
  return text;
}

/** Reads plain native CSV, as the fixtures and the sample data are written: no quotes, ts_ms or ts_us. */
export function oracleRows(csv: string): OracleRow[] {
  const [header = '', ...lines] = csv.trim().split(/\r?\n/);
  const names = header.split(',');
  return lines.map((line) => {
    const cells = line.split(',');
    const cell = (name: string): string | undefined => cells[names.indexOf(name)];
    const us = cell('ts_us') ?? `${cell('ts_ms')}000`;
    return {
      symbol: cell('symbol') ?? '',
      tsUs: BigInt(us),
      seq: BigInt(cell('seq') ?? '0'),
      id: cell('id') ?? '',
      price: cell('price') ?? '',
      size: cell('size') ?? '',
    };
  });
}

function candleOf(group: { symbol: string; interval: string; startMs: number; rows: OracleRow[] }): OracleCandle {
  const rows = [...group.rows].sort(compareRows);
  const prices = rows.map((row) => scaled(row.price));
  const first = prices[0] as bigint;
  const last = prices[prices.length - 1] as bigint;
  const volume = rows.reduce((sum, row) => sum + scaled(row.size), 0n);
  const high = prices.reduce((a, b) => (b > a ? b : a));
  const low = prices.reduce((a, b) => (b < a ? b : a));
  const { symbol, interval, startMs } = group;
  return {
    symbol,
    interval,
    startMs,
    open: text(first),
    high: text(high),
    low: text(low),
    close: text(last),
    volume: text(volume),
    trades: rows.length,
  };
}

function compareRows(a: OracleRow, b: OracleRow): number {
  return (
    compare(a.tsUs, b.tsUs) ||
    compare(a.ns ?? 0n, b.ns ?? 0n) ||
    compare(a.seq ?? 0n, b.seq ?? 0n) ||
    Buffer.compare(Buffer.from(a.id), Buffer.from(b.id)) ||
    compare(scaled(a.price), scaled(b.price)) ||
    compare(scaled(a.size), scaled(b.size))
  );
}

function bucketMs(interval: string, tsUs: bigint): number {
  const ms = floorDiv(tsUs, 1000n);
  const iso = new Date(Number(ms)).toISOString();
  const startOf = (text: string): number => Date.parse(text);
  const seconds: Record<string, bigint> = {
    '1s': 1n,
    '5s': 5n,
    '1m': 60n,
    '5m': 300n,
    '15m': 900n,
    '1h': 3600n,
    '4h': 14400n,
  };
  const length = seconds[interval];
  if (length !== undefined) return Number(floorDiv(ms, length * 1000n) * length * 1000n);
  if (interval === '1M') return startOf(`${iso.slice(0, -16)}01T00:00:00.000Z`);
  const day = startOf(`${iso.slice(0, -14)}T00:00:00.000Z`);
  if (interval === '1d') return day;
  let monday = day;
  while (new Date(monday).getUTCDay() !== 1) monday -= 86_400_000;
  return monday;
}

function scaled(decimal: string): bigint {
  const negative = decimal.startsWith('-');
  const [whole = '0', fraction = ''] = decimal.replace('-', '').split('.');
  const value = BigInt(whole) * 10n ** SCALE + BigInt(fraction.padEnd(Number(SCALE), '0'));
  return negative ? -value : value;
}

function text(value: bigint): string {
  const digits = (value < 0n ? -value : value).toString().padStart(Number(SCALE) + 1, '0');
  const whole = digits.slice(0, -Number(SCALE));
  const fraction = digits.slice(-Number(SCALE)).replace(/0+$/, '');
  return `${value < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

function floorDiv(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return a % b !== 0n && a < 0n !== b < 0n ? quotient - 1n : quotient;
}

function compare<T extends string | number | bigint>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
