import { compareDecimals, compareUnits, type Decimal, isNegative, isZero, type Units } from './decimal.ts';
import { err, ok, type Result } from './result.ts';
import { isSymbol } from './symbol.ts';

/** One trade, normalized: what a feed hands on, what the stream carries, what candles are made of. */
export interface Tick {
  readonly symbol: string;
  /** Event time at the venue, Unix microseconds (safe integer), and the rest below a microsecond, 0 to 999 ns. */
  readonly tsUs: number;
  readonly ns: number;
  /** The venue's order of trades; 0 when it has none. */
  readonly seq: Units;
  /** The venue's trade id, opaque text; with the source's id scope it is the identity of the trade (D1, D6). */
  readonly id: string;
  readonly price: Decimal;
  readonly size: Decimal;
  readonly exchange: string;
  /** Condition codes joined by `;`, as the venue names them. */
  readonly conditions: string;
  /** Who took: `buy`, `sell`, or unknown. */
  readonly side: '' | 'buy' | 'sell';
}

/** What a source declares about its trades; decides validation (R17) and the guard against the future (R9). */
export interface TickRules {
  readonly allowNonPositivePrice: boolean;
  /** Latest acceptable event time, Unix microseconds. */
  readonly tsMaxUs: number;
}

export interface TickFault {
  readonly field: string;
  readonly reason: string;
}

/** Years 1900 to 2200: outside it, the unit of a time was mistaken. */
const TS_MIN_US = -2_208_988_800_000_000;
const TS_MAX_US = 7_258_118_400_000_000;

export const ID_LENGTH_MAX = 128;

/** F1: a tick is checked before it may enter the stream; a fault names the field and the reason. */
export function validateTick(tick: Tick, rules: TickRules): Result<Tick, TickFault> {
  if (!isSymbol(tick.symbol)) return fault('symbol', symbolReason(tick.symbol));
  if (!Number.isSafeInteger(tick.tsUs)) return fault('ts', 'is not a whole number of microseconds');
  if (tick.tsUs < TS_MIN_US || tick.tsUs > TS_MAX_US)
    return fault('ts', 'is outside the years 1900 to 2200: wrong unit?');
  if (tick.tsUs > rules.tsMaxUs) return fault('ts', 'lies in the future');
  if (!(tick.ns >= 0 && tick.ns <= 999)) return fault('ns', 'is not between 0 and 999');
  if (isNegative(tick.price) && !rules.allowNonPositivePrice) return fault('price', 'is negative');
  if (isZero(tick.price) && !rules.allowNonPositivePrice) return fault('price', 'is zero');
  if (isNegative(tick.size)) return fault('size', 'is negative');
  if (tick.id.length === 0) return fault('id', 'is empty');
  if (tick.id.length > ID_LENGTH_MAX) return fault('id', `is longer than ${ID_LENGTH_MAX} characters`);
  return ok(tick);
}

/** The fields that place a trade in the total order of D1. */
export type TickMark = Pick<Tick, 'tsUs' | 'ns' | 'seq' | 'id' | 'price' | 'size'>;

/** The total order of trades (D1, R10): (tsUs, ns, seq, id bytewise, price, size). */
export function compareTicks(a: TickMark, b: TickMark): number {
  if (a.tsUs !== b.tsUs) return a.tsUs - b.tsUs;
  if (a.ns !== b.ns) return a.ns - b.ns;
  if (a.seq !== b.seq) return compareUnits(a.seq, b.seq);
  if (a.id !== b.id) return compareBytes(a.id, b.id);
  return compareDecimals(a.price, b.price) || compareDecimals(a.size, b.size);
}

/** Order of the UTF-8 bytes, which is the order of code points and not that of UTF-16 units. */
function compareBytes(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const left = a.charCodeAt(i);
    const right = b.charCodeAt(i);
    if (left === right) continue;
    const leftSurrogate = left >= 0xd800 && left <= 0xdfff;
    const rightSurrogate = right >= 0xd800 && right <= 0xdfff;
    if (leftSurrogate !== rightSurrogate) return leftSurrogate ? 1 : -1;
    return left - right;
  }
  return a.length - b.length;
}

function symbolReason(symbol: string): string {
  return symbol === '' ? 'is empty' : 'has characters outside A-Z a-z 0-9 . _ : / - or is longer than 48';
}

function fault(field: string, reason: string): Result<never, TickFault> {
  return err({ field, reason });
}
