import { addUnits, type Decimal, formatDecimal, parseDecimal, parseUnits, type Units } from '../../core/decimal.ts';
import { TickerError } from '../../core/errors.ts';
import type { TickMark } from '../../core/tick.ts';

/** SCHEMA-2: a mark without its price, `tsUs:ns:seq:size:id`; the id comes last and may hold any character. */
export function encodeMark(mark: TickMark): string {
  return `${mark.tsUs}:${mark.ns}:${mark.seq}:${formatDecimal(mark.size)}:${escapeText(mark.id)}`;
}

export function decodeMark(text: string, price: Decimal): TickMark {
  const match = /^(-?\d+):(\d+):(-?\d+):([^:]+):(.*)$/s.exec(text);
  const seq = parseUnits(match?.[3] ?? '') ?? wideUnits(match?.[3] ?? '');
  if (!match || seq === undefined) throw unreadable('mark', text);
  return {
    tsUs: Number(match[1]),
    ns: Number(match[2]),
    seq,
    size: decodeDecimal(match[4] ?? ''),
    id: unescapeText(match[5] ?? ''),
    price,
  };
}

/** Stored decimals have no limit of digits: a sum of products is wider than anything a wire may bring. */
export function decodeDecimal(text: string): Decimal {
  const narrow = parseDecimal(text);
  if (narrow !== undefined) return narrow;
  const match = /^(-?\d+)(?:\.(\d+))?$/.exec(text);
  if (!match) throw unreadable('decimal', text);
  const fraction = match[2] ?? '';
  return { units: addUnits(BigInt((match[1] ?? '') + fraction), 0), digits: fraction.length };
}

/**
 * Text without NUL, at which SQLite would cut it, without VALUE_SEPARATOR, and without surrogates, of which a lone one
 * has no UTF-8.
 */
export function escapeText(text: string): string {
  return text.replace(UNSTORABLE, (unit) => `%${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

export function unescapeText(text: string): string {
  return text.replace(/%([0-9a-f]{4})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

// oxlint-disable-next-line no-control-regex -- control characters are what must not reach SQLite
const UNSTORABLE = /[%\u0000\u001f\ud800-\udfff]/g;

function wideUnits(text: string): Units | undefined {
  return /^-?\d+$/.test(text) ? addUnits(BigInt(text), 0) : undefined;
}

function unreadable(what: string, text: string): TickerError {
  return new TickerError('STORE_UNUSABLE', `the store holds a ${what} that cannot be read: '${text.slice(0, 80)}'`);
}
