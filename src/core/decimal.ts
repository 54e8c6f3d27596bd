/**
 * Exact decimals (D1, R12 to R14): a scaled integer and its number of decimal places. Integers that fit in 53 bits are
 * plain numbers, larger ones bigint; the result of every operation is exact, and binary floating point never holds a
 * price, a size or a sum of them.
 */
export interface Decimal {
  /** value = units / 10^digits */
  readonly units: Units;
  /** Decimal places, 0 to DIGITS_MAX. */
  readonly digits: number;
}

/** A whole number: a safe integer, or a bigint when it does not fit in 53 bits. */
export type Units = number | bigint;

/** Wider inputs are refused: 10^-18 covers every venue we know (an ether in wei). */
export const DIGITS_MAX = 18;

/** Longest accepted text, so that a hostile row cannot cost a megabyte of bigint. */
const TEXT_LENGTH_MAX = 64;

/**
 * The first Decimal of a process holds a bigint, so that the engine gives the field its widest form at once. Otherwise it
 * starts with small integers, and every object made before the first large sum is converted when it is next touched
 * (measured: a third of the time of an import).
 */
formatDecimal({ units: 1n, digits: 0 });

/** Parses decimal text as it stood on the wire: optional minus, digits, optional fraction, optional exponent. */
export function parseDecimal(text: string): Decimal | undefined {
  const length = text.length;
  if (length === 0 || length > TEXT_LENGTH_MAX) return undefined;
  const negative = text.charCodeAt(0) === 45;
  let units = 0;
  let digits = -1;
  let count = 0;
  for (let i = negative ? 1 : 0; i < length; i++) {
    const code = text.charCodeAt(i);
    if (code >= 48 && code <= 57) {
      units = units * 10 + (code - 48);
      count++;
      if (digits >= 0) digits++;
    } else if (code === 46 && digits < 0 && count > 0) {
      digits = 0;
    } else {
      return parseWide(text);
    }
  }
  if (count === 0 || digits === 0 || count > 15 || digits > DIGITS_MAX) return parseWide(text);
  return { units: negative && units !== 0 ? -units : units, digits: digits < 0 ? 0 : digits };
}

/** Canonical text: no exponent, no trailing zeros, no "-0", no "+" (D1). */
export function formatDecimal(value: Decimal): string {
  let { units, digits } = value;
  if (typeof units === 'number') {
    while (digits > 0 && units % 10 === 0) {
      units /= 10;
      digits--;
    }
  } else {
    while (digits > 0 && units % 10n === 0n) {
      units /= 10n;
      digits--;
    }
  }
  const text = units.toString();
  if (digits === 0) return text;
  const negative = units < 0;
  const padded = (negative ? text.slice(1) : text).padStart(digits + 1, '0');
  const point = padded.length - digits;
  return `${negative ? '-' : ''}${padded.slice(0, point)}.${padded.slice(point)}`;
}

export function addDecimals(a: Decimal, b: Decimal): Decimal {
  if (a.digits === b.digits) return { units: addUnits(a.units, b.units), digits: a.digits };
  if (a.digits < b.digits) return { units: addUnits(rescale(a, b.digits), b.units), digits: b.digits };
  return { units: addUnits(a.units, rescale(b, a.digits)), digits: a.digits };
}

export function multiplyDecimals(a: Decimal, b: Decimal): Decimal {
  return { units: multiplyUnits(a.units, b.units), digits: a.digits + b.digits };
}

/** Negative, zero or positive, as a sorts before, with or after b. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  if (a.digits === b.digits) return compareUnits(a.units, b.units);
  if (a.digits < b.digits) return compareUnits(rescale(a, b.digits), b.units);
  return compareUnits(a.units, rescale(b, a.digits));
}

/** a / b rounded half away from zero to `digits` places; undefined when b is zero (R15: never NaN). */
export function divideDecimals(a: Decimal, b: Decimal, digits: number): Decimal | undefined {
  if (b.units === 0 || b.units === 0n) return undefined;
  const numerator = BigInt(a.units) * 10n ** BigInt(digits + b.digits);
  const denominator = BigInt(b.units) * 10n ** BigInt(a.digits);
  const negative = numerator < 0n !== denominator < 0n;
  const top = numerator < 0n ? -numerator : numerator;
  const bottom = denominator < 0n ? -denominator : denominator;
  const rounded = (top * 2n + bottom) / (bottom * 2n);
  return { units: narrow(negative ? -rounded : rounded), digits };
}

export function isNegative(value: Decimal): boolean {
  return value.units < 0;
}

export function isZero(value: Decimal): boolean {
  return value.units === 0 || value.units === 0n;
}

/** Parses a whole number of any size; undefined when the text is not one. */
export function parseUnits(text: string): Units | undefined {
  if (!/^-?\d{1,40}$/.test(text)) return undefined;
  return text.length <= 15 ? Number(text) + 0 : narrow(BigInt(text));
}

export function compareUnits(a: Units, b: Units): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export function addUnits(a: Units, b: Units): Units {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b;
    if (Number.isSafeInteger(sum)) return sum;
  }
  return narrow(BigInt(a) + BigInt(b));
}

export function multiplyUnits(a: Units, b: Units): Units {
  if (typeof a === 'number' && typeof b === 'number') {
    const product = a * b;
    if (Number.isSafeInteger(product)) return product + 0;
  }
  return narrow(BigInt(a) * BigInt(b));
}

/** The units of the same value at more decimal places. */
export function rescale(value: Decimal, digits: number): Units {
  const more = digits - value.digits;
  const factor = POWERS_OF_TEN[more];
  if (factor !== undefined) return multiplyUnits(value.units, factor);
  return narrow(BigInt(value.units) * 10n ** BigInt(more));
}

const POWERS_OF_TEN = Array.from({ length: 16 }, (_, power) => 10 ** power);

/** One representation per value: a bigint only where a number would not be exact. */
function narrow(value: bigint): Units {
  return value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;
}

/** The slow road: more than 15 digits, or an exponent (JSON numbers may carry one). */
function parseWide(text: string): Decimal | undefined {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/.exec(text);
  if (!match) return undefined;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  let mantissa = BigInt(whole + fraction);
  let digits = fraction.length - Number(exponent);
  while (digits > 0 && mantissa % 10n === 0n && (mantissa !== 0n || digits > 0)) {
    mantissa /= 10n;
    digits--;
  }
  if (digits > DIGITS_MAX || digits < -TEXT_LENGTH_MAX) return undefined;
  if (digits < 0) mantissa *= 10n ** BigInt(-digits);
  return { units: narrow(sign === '-' ? -mantissa : mantissa), digits: Math.max(digits, 0) };
}
