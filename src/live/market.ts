import type { CandleView } from '../core/candle.ts';
import {
  addDecimals,
  compareDecimals,
  type Decimal,
  divideDecimals,
  formatDecimal,
  parseDecimal,
} from '../core/decimal.ts';
import type { Instrument } from '../core/instrument.ts';
import { INTERVALS, type Interval } from '../core/interval.ts';
import type { Tick } from '../core/tick.ts';

/** One line of a watch list: what /v1/symbols and every snapshot say of a symbol. */
export interface SymbolView {
  readonly symbol: string;
  readonly source: string;
  readonly simulated: boolean;
  readonly priceDigits: number;
  readonly sizeDigits: number;
  readonly last: string | null;
  readonly lastTsMs: number | null;
  /** Close of the last day before the current one; change is measured from it, on a symbol's first day from its open. */
  readonly previousClose: string | null;
  readonly change: string | null;
  readonly changePercent: string | null;
}

/** The present of every symbol, for snapshots: last trade, newest candle of each interval. Fed by the hub. */
export interface Market {
  setInstrument(instrument: Instrument): void;
  has(symbol: string): boolean;
  instrument(symbol: string): Instrument | undefined;
  /** The newest stored candle and the close of the one before it; also newer ones as they are committed. */
  applyCandle(view: CandleView, previousClose?: string): void;
  applyTick(tick: Tick): void;
  symbols(): SymbolView[];
  symbol(name: string): SymbolView | undefined;
  candle(symbol: string, interval: Interval): CandleView | undefined;
}

export function createMarket(): Market {
  const entries = new Map<string, Entry>();
  return {
    setInstrument(instrument) {
      const present = entries.get(instrument.symbol);
      if (present) present.instrument = widest(instrument, present.instrument);
      else
        entries.set(instrument.symbol, {
          instrument,
          candles: new Map(),
          last: undefined,
          previousClose: undefined,
          previousDay: undefined,
          dayOpen: undefined,
        });
    },
    has: (symbol) => entries.has(symbol),
    instrument: (symbol) => entries.get(symbol)?.instrument,
    applyCandle(view, previousClose) {
      const entry = entries.get(view.symbol);
      if (entry) applyCandle(entry, view, previousClose);
    },
    applyTick(tick) {
      const entry = entries.get(tick.symbol);
      if (entry === undefined) return;
      applyLast(entry, tick.price, Math.floor(tick.tsUs / 1_000));
      entry.instrument = widest(entry.instrument, { priceDigits: tick.price.digits, sizeDigits: tick.size.digits });
    },
    symbols: () => [...entries.values()].map(viewEntry).sort((a, b) => (a.symbol < b.symbol ? -1 : 1)),
    symbol(name) {
      const entry = entries.get(name);
      return entry && viewEntry(entry);
    },
    candle: (symbol, interval) => entries.get(symbol)?.candles.get(interval),
  };
}

/** Intervals that an entry keeps a newest candle of: all of them. */
export const SNAPSHOT_INTERVALS: readonly Interval[] = INTERVALS;

interface Entry {
  instrument: Instrument;
  readonly candles: Map<Interval, CandleView>;
  last: { readonly price: Decimal; readonly tsMs: number } | undefined;
  previousClose: Decimal | undefined;
  /** The day before the newest one, once it was seen: a late trade may revise it. */
  previousDay: CandleView | undefined;
  dayOpen: Decimal | undefined;
}

function applyCandle(entry: Entry, view: CandleView, previousClose: string | undefined): void {
  const newest = entry.candles.get(view.interval);
  if (newest !== undefined && view.startMs < newest.startMs) return revisePreviousDay(entry, view);
  if (newest !== undefined && view.startMs === newest.startMs && view.revision < newest.revision) return;
  if (view.interval === '1d') {
    const ended = newest !== undefined && view.startMs > newest.startMs ? newest : undefined;
    const before = previousClose ?? ended?.close;
    if (ended !== undefined) entry.previousDay = ended;
    if (before !== undefined) entry.previousClose = parseDecimal(before);
    entry.dayOpen = parseDecimal(view.open);
  }
  entry.candles.set(view.interval, view);
  const close = parseDecimal(view.close);
  if (close !== undefined && view.interval === '1s') applyLast(entry, close, view.startMs);
}

function revisePreviousDay(entry: Entry, view: CandleView): void {
  const { previousDay } = entry;
  if (view.interval !== '1d' || view.startMs !== previousDay?.startMs || view.revision < previousDay.revision) return;
  entry.previousDay = view;
  entry.previousClose = parseDecimal(view.close);
}

function applyLast(entry: Entry, price: Decimal, tsMs: number): void {
  if (entry.last !== undefined && tsMs < entry.last.tsMs) return;
  entry.last = { price, tsMs };
}

/** The store raises the digits with its next commit; readers of a new symbol must not wait for it (IDS-4). */
function widest(instrument: Instrument, seen: Pick<Instrument, 'priceDigits' | 'sizeDigits'>): Instrument {
  const priceDigits = Math.max(instrument.priceDigits, seen.priceDigits);
  const sizeDigits = Math.max(instrument.sizeDigits, seen.sizeDigits);
  const same = priceDigits === instrument.priceDigits && sizeDigits === instrument.sizeDigits;
  return same ? instrument : { ...instrument, priceDigits, sizeDigits };
}

function viewEntry({ instrument, last, previousClose, dayOpen }: Entry): SymbolView {
  const reference = previousClose ?? dayOpen;
  const change = last && reference ? subtract(last.price, reference) : undefined;
  const percent = change && reference ? percentOf(change, reference) : undefined;
  return {
    symbol: instrument.symbol,
    source: instrument.source,
    simulated: instrument.simulated,
    priceDigits: instrument.priceDigits,
    sizeDigits: instrument.sizeDigits,
    last: last ? formatDecimal(last.price) : null,
    lastTsMs: last ? last.tsMs : null,
    previousClose: previousClose ? formatDecimal(previousClose) : null,
    change: change ? formatDecimal(change) : null,
    changePercent: percent ? formatDecimal(percent) : null,
  };
}

function subtract(a: Decimal, b: Decimal): Decimal {
  return addDecimals(a, { units: -b.units, digits: b.digits });
}

/** Change over the size of the reference, in percent with two places; undefined from zero. */
function percentOf(change: Decimal, from: Decimal): Decimal | undefined {
  const size = compareDecimals(from, { units: 0, digits: 0 }) < 0 ? { units: -from.units, digits: from.digits } : from;
  return divideDecimals({ units: BigInt(change.units) * 100n, digits: change.digits }, size, 2);
}
