import {
  addDecimals,
  compareDecimals,
  type Decimal,
  divideDecimals,
  formatDecimal,
  isNegative,
  multiplyDecimals,
  parseDecimal,
} from '../../src/core/decimal.ts';
import type { SymbolsAnswer, SymbolView, TickView } from './api.ts';

/** The watch list: the last answer of the API, moved on by ticks. */
export interface Market {
  /** Something here is simulated; once true it stays so for the life of the page (T1). */
  readonly simulated: boolean;
  readonly quotes: readonly Quote[];
}

export interface Quote extends SymbolView {
  /** Which way the last price went, and how often it has moved: a display flashes when the count changes. */
  readonly move: 'up' | 'down' | null;
  readonly moves: number;
}

export const EMPTY_MARKET: Market = { simulated: false, quotes: [] };

/** The whole list: symbols it does not name are gone. */
export function applySymbols(market: Market, answer: SymbolsAnswer): Market {
  const known = new Map(market.quotes.map((quote) => [quote.symbol, quote]));
  return {
    simulated: market.simulated || isSimulated(answer),
    quotes: answer.symbols.map((view) => renewQuote(known.get(view.symbol), view)),
  };
}

/** The symbols of one stream, which may be a part of the list: the others stay as they are. */
export function applySnapshot(market: Market, answer: SymbolsAnswer): Market {
  const views = new Map(answer.symbols.map((view) => [view.symbol, view]));
  return {
    simulated: market.simulated || isSimulated(answer),
    quotes: market.quotes.map((quote) => {
      const view = views.get(quote.symbol);
      return view === undefined ? quote : renewQuote(quote, view);
    }),
  };
}

function isSimulated(answer: SymbolsAnswer): boolean {
  return answer.simulated || answer.symbols.some((view) => view.simulated);
}

/** Ticks of unknown symbols are left out: the next answer of the API brings the symbol with its digits and source. */
export function applyTicks(market: Market, ticks: readonly TickView[]): Market {
  const latest = new Map<string, TickView>();
  for (const tick of ticks) {
    if (tick.tsMs >= (latest.get(tick.symbol)?.tsMs ?? -Infinity)) latest.set(tick.symbol, tick);
  }
  if (latest.size === 0) return market;
  return {
    simulated: market.simulated || ticks.some((tick) => tick.simulated),
    quotes: market.quotes.map((quote) => {
      const tick = latest.get(quote.symbol);
      return tick === undefined ? quote : moveQuote(quote, tick);
    }),
  };
}

function moveQuote(quote: Quote, tick: TickView): Quote {
  if (quote.lastTsMs !== null && tick.tsMs < quote.lastTsMs) return quote;
  const simulated = quote.simulated || tick.simulated;
  const change = changeSince(referenceOf(quote), tick.price);
  return renewQuote(quote, { ...quote, ...change, simulated, last: tick.price, lastTsMs: tick.tsMs });
}

function renewQuote(before: Quote | undefined, view: SymbolView): Quote {
  if (before === undefined) return { ...view, move: null, moves: 0 };
  if (isOlder(view, before)) {
    const change = changeSince(referenceOf(view), before.last);
    return { ...before, ...view, ...change, last: before.last, lastTsMs: before.lastTsMs };
  }
  const direction = comparePrices(before.last, view.last);
  if (direction === 0) return { ...view, move: before.move, moves: before.moves };
  return { ...view, move: direction < 0 ? 'up' : 'down', moves: before.moves + 1 };
}

/** An answer may have left the server before a tick that is already shown. */
function isOlder(view: SymbolView, shown: Quote): boolean {
  return shown.lastTsMs !== null && (view.lastTsMs === null || view.lastTsMs < shown.lastTsMs);
}

function comparePrices(a: string | null, b: string | null): number {
  const left = parse(a);
  const right = parse(b);
  return left === undefined || right === undefined ? 0 : compareDecimals(left, right);
}

/** What the API measured the change from. It names the previous close, but on a first day it means the open. */
function referenceOf({ previousClose, last, change }: SymbolView): Decimal | undefined {
  const named = parse(previousClose);
  const price = parse(last);
  const difference = parse(change);
  return named ?? (price === undefined || difference === undefined ? undefined : subtract(price, difference));
}

function changeSince(from: Decimal | undefined, last: string | null): Pick<SymbolView, 'change' | 'changePercent'> {
  const to = parse(last);
  if (from === undefined || to === undefined) return { change: null, changePercent: null };
  const change = subtract(to, from);
  const size = isNegative(from) ? multiplyDecimals(from, MINUS_ONE) : from;
  const percent = divideDecimals(multiplyDecimals(change, HUNDRED), size, 2);
  return { change: formatDecimal(change), changePercent: percent === undefined ? null : formatDecimal(percent) };
}

const HUNDRED: Decimal = { units: 100, digits: 0 };
const MINUS_ONE: Decimal = { units: -1, digits: 0 };

function subtract(a: Decimal, b: Decimal): Decimal {
  return addDecimals(a, multiplyDecimals(b, MINUS_ONE));
}

function parse(text: string | null): Decimal | undefined {
  return text === null ? undefined : parseDecimal(text);
}
