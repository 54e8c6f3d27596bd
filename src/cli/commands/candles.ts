import { Command, Option } from 'commander';
import { type CandleView, viewCandle } from '../../core/candle.ts';
import { systemClock } from '../../core/clock.ts';
import { TickerError } from '../../core/errors.ts';
import type { Instrument } from '../../core/instrument.ts';
import { bucketEndUs, INTERVALS, type Interval, isInterval, US_PER_MS } from '../../core/interval.ts';
import { openSqliteStore, type Store } from '../../store/index.ts';
import { type Run, STORE_OPTION, settingsOf, storePath, withSettings } from '../options.ts';
import { EXIT, print } from '../output.ts';

interface CandlesFlags {
  readonly symbol?: string;
  readonly interval?: string;
  readonly from?: string;
  readonly to?: string;
  readonly store?: string;
  readonly format: Format;
}

type Format = 'jsonl' | 'csv' | 'table';

/** `ticker candles`: reads stored candles, ascending, exact. Never writes, and needs no running server. */
export function candlesCommand(run: Run): Command {
  const command = new Command('candles')
    .description('Print stored candles, oldest first. Decimals are exact text, times Unix milliseconds.')
    .option('--symbol <names>', 'symbols, joined by commas (default: all)')
    .option('--interval <names>', `intervals, joined by commas: ${INTERVALS.join(' ')} (default: all)`)
    .option('--from <time>', 'first candle start, inclusive: Unix ms or ISO 8601')
    .option('--to <time>', 'last candle start, exclusive: Unix ms or ISO 8601')
    .option('--store <url>', STORE_OPTION)
    .addOption(new Option('--format <name>', 'how to print').choices(['jsonl', 'csv', 'table']).default('jsonl'))
    .addHelpText(
      'after',
      '\nExample:\n  ticker candles --symbol IBM --interval 1m --store sqlite:./x.db --format table',
    );
  withSettings(command, ['dataDir']);
  return command.action((flags: CandlesFlags) =>
    run(() => printCandles(flags, storePath(flags.store, settingsOf(command)))),
  );
}

/** Rows read at once; a year of one-second candles must not be held in memory. */
const PAGE_ROWS = 5_000;

const COLUMNS = [
  'symbol',
  'interval',
  'startMs',
  'open',
  'high',
  'low',
  'close',
  'volume',
  'trades',
  'quoteVolume',
  'vwap',
  'simulated',
  'state',
  'revision',
] as const;

async function printCandles(flags: CandlesFlags, path: string): Promise<number> {
  const intervals = (flags.interval?.split(',') ?? [...INTERVALS]).map(parseInterval);
  const fromUs = parseTimeUs('--from', flags.from);
  const toUs = parseTimeUs('--to', flags.to);
  const store = await openSqliteStore({ path, mode: 'read', ownerLabel: 'ticker candles', clock: systemClock });
  try {
    const instruments = selectInstruments(await store.instruments(), flags.symbol);
    if (flags.format !== 'jsonl') print(header(flags.format));
    for (const instrument of instruments) {
      for (const interval of intervals) {
        for await (const view of readAll(store, instrument, interval, { fromUs, toUs }))
          print(FORMATS[flags.format](view));
      }
    }
  } finally {
    await store.close();
  }
  return EXIT.done;
}

async function* readAll(
  store: Store,
  instrument: Instrument,
  interval: Interval,
  window: { fromUs: number | undefined; toUs: number | undefined },
): AsyncIterable<CandleView> {
  let { fromUs } = window;
  for (;;) {
    const { rows, closedThroughUs } = await store.readCandles({
      instrumentId: instrument.instrumentId,
      shard: 0,
      interval,
      limit: PAGE_ROWS,
      keep: 'first',
      ...(fromUs === undefined ? {} : { fromUs }),
      ...(window.toUs === undefined ? {} : { toUs: window.toUs }),
    });
    for (const row of rows) {
      const closed = bucketEndUs(interval, row.startUs) <= closedThroughUs;
      yield viewCandle(row, {
        symbol: instrument.symbol,
        simulated: instrument.simulated,
        state: closed ? 'closed' : 'open',
      });
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE_ROWS) return;
    fromUs = last.startUs + 1;
  }
}

function selectInstruments(known: readonly Instrument[], names: string | undefined): Instrument[] {
  const sorted = [...known].sort((a, b) => (a.symbol < b.symbol ? -1 : 1));
  if (names === undefined) return sorted;
  return names.split(',').map((name) => {
    const instrument = sorted.find(({ symbol }) => symbol === name);
    if (instrument !== undefined) return instrument;
    const hint =
      sorted.length === 0
        ? 'the store is empty'
        : `it has ${sorted
            .slice(0, 10)
            .map(({ symbol }) => symbol)
            .join(', ')}${sorted.length > 10 ? ', ..' : ''}`;
    throw new TickerError('SYMBOL_UNKNOWN', `--symbol: no trades of "${name}" are stored; ${hint}`);
  });
}

function parseInterval(text: string): Interval {
  if (isInterval(text)) return text;
  throw new TickerError('USAGE', `--interval: "${text}" is none of ${INTERVALS.join(', ')}`);
}

function parseTimeUs(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ms = /^-?\d{1,15}$/.test(text) ? Number(text) : Date.parse(text);
  if (Number.isNaN(ms))
    throw new TickerError('USAGE', `${flag}: "${text}" is neither Unix milliseconds nor an ISO 8601 time`);
  return ms * US_PER_MS;
}

const FORMATS: Record<Format, (view: CandleView) => string> = {
  jsonl: (view) => JSON.stringify(view),
  csv: (view) => COLUMNS.map((column) => view[column] ?? '').join(','),
  table: (view) =>
    tableRow([
      view.symbol,
      view.interval,
      new Date(view.startMs).toISOString(),
      view.open,
      view.high,
      view.low,
      view.close,
      view.volume,
      String(view.trades),
      view.state,
    ]),
};

function header(format: 'csv' | 'table'): string {
  return format === 'csv'
    ? COLUMNS.join(',')
    : tableRow(['symbol', 'int', 'start', 'open', 'high', 'low', 'close', 'volume', 'trades', 'state']);
}

const WIDTHS = [-12, -4, -24, 14, 14, 14, 14, 16, 9, -6];

function tableRow(cells: readonly string[]): string {
  return cells
    .map((cell, index) =>
      (WIDTHS[index] ?? 0) < 0 ? cell.padEnd(-(WIDTHS[index] ?? 0)) : cell.padStart(WIDTHS[index] ?? 0),
    )
    .join(' ')
    .trimEnd();
}
