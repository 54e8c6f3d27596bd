import { parseDecimal, rescale } from '../core/decimal.ts';
import { err, ok, type Result } from '../core/result.ts';
import type { Tick } from '../core/tick.ts';
import type { Fields } from './codec.ts';

/**
 * Reads the entries of the library that Ticker replaces (seed 001): `symbol`, `last_price`, `volume` and `timestamp` in Unix
 * seconds, possibly fractional (D1, STREAM-3). They carry no trade id, so the id of the entry is their identity.
 */
export function decodeLegacyTick(entryId: string, fields: Fields): Result<Tick, string> {
  const symbol = fields.get('symbol');
  if (symbol === undefined) return err('symbol: is missing');
  const price = parseDecimal(fields.get('last_price') ?? '');
  if (price === undefined) return err('last_price: is missing or not a number');
  const size = parseDecimal(fields.get('volume') ?? '');
  if (size === undefined) return err('volume: is missing or not a number');
  const time = parseSeconds(fields.get('timestamp') ?? '');
  if (time === undefined) return err('timestamp: is missing or not Unix seconds');
  return ok({ symbol, ...time, seq: 0, id: entryId, price, size, exchange: '', conditions: '', side: '' });
}

/** Years 1900 to 2200 in seconds: beyond, the time was written in another unit. */
const SECONDS_MIN = -2_208_988_800;
const SECONDS_MAX = 7_258_118_400;

/** Exact to the nanosecond; further digits are cut off. Binary floating point would lose them at a microsecond. */
function parseSeconds(text: string): { tsUs: number; ns: number } | undefined {
  const seconds = parseDecimal(text);
  if (seconds === undefined) return undefined;
  const digits = Math.max(seconds.digits, 9);
  const scale = 10n ** BigInt(digits - 9);
  const scaled = BigInt(rescale(seconds, digits));
  const totalNs = scaled >= 0n ? scaled / scale : -((-scaled + scale - 1n) / scale);
  const ns = Number(((totalNs % 1000n) + 1000n) % 1000n);
  const tsUs = Number((totalNs - BigInt(ns)) / 1000n);
  const inRange = tsUs >= SECONDS_MIN * 1e6 && tsUs <= SECONDS_MAX * 1e6;
  return inRange ? { tsUs, ns } : undefined;
}
