import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addDecimals,
  compareDecimals,
  type Decimal,
  divideDecimals,
  formatDecimal,
  multiplyDecimals,
  parseDecimal,
  parseUnits,
} from '../../../src/core/decimal.ts';

const decimal = (text: string): Decimal => {
  const parsed = parseDecimal(text);
  if (parsed === undefined) throw new Error(`not a decimal: ${text}`);
  return parsed;
};

/** Value times 10^40, by string work alone. */
const exact = (text: string): bigint => {
  const negative = text.startsWith('-');
  const [whole = '0', fraction = ''] = text.replace('-', '').split('.');
  const value = BigInt(whole + fraction.padEnd(40, '0'));
  return negative ? -value : value;
};

const decimalText = fc
  .tuple(fc.boolean(), fc.bigInt({ min: 0n, max: 10n ** 24n }), fc.integer({ min: 0, max: 18 }))
  .map(([negative, units, digits]) => {
    const padded = units.toString().padStart(digits + 1, '0');
    const text = digits === 0 ? padded : `${padded.slice(0, -digits)}.${padded.slice(-digits)}`;
    return negative ? `-${text}` : text;
  });

describe('decimal', () => {
  it('R12 ten times 0.1 is exactly 1', () => {
    let sum = decimal('0');
    for (let i = 0; i < 10; i++) sum = addDecimals(sum, decimal('0.1'));
    expect(formatDecimal(sum)).toBe('1');
  });

  it('D1 writes no exponent, no trailing zeros, no -0, no plus', () => {
    const cases: [string, string][] = [
      ['182.10', '182.1'],
      ['-0', '0'],
      ['-0.00', '0'],
      ['1e3', '1000'],
      ['1.5E-7', '0.00000015'],
      ['00012.5', '12.5'],
      ['9007199254740993', '9007199254740993'],
      ['0.000000000000000001', '0.000000000000000001'],
      ['123456789012345678901234567890.5', '123456789012345678901234567890.5'],
    ];
    for (const [given, canonical] of cases) expect(formatDecimal(decimal(given))).toBe(canonical);
  });

  it('R13 refuses what is not a decimal, or more places than it can hold', () => {
    for (const text of [
      '',
      '-',
      '.',
      '.5',
      '5.',
      '+1',
      '1,5',
      'NaN',
      'Infinity',
      '0x10',
      '1e',
      '1e400',
      ' 1',
      '1 ',
      '1e-19',
      `1.${'1'.repeat(19)}`,
      '1'.repeat(65),
    ]) {
      expect(parseDecimal(text), text).toBeUndefined();
    }
  });

  it('R13 R14 round-trips any decimal without loss', () => {
    fc.assert(fc.property(decimalText, (text) => exact(formatDecimal(decimal(text))) === exact(text)));
  });

  it('R12 sums, products and order are exact', () => {
    fc.assert(
      fc.property(decimalText, decimalText, (a, b) => {
        expect(exact(formatDecimal(addDecimals(decimal(a), decimal(b))))).toBe(exact(a) + exact(b));
        const product = multiplyDecimals(decimal(a), decimal(b));
        expect(BigInt(product.units) * 10n ** BigInt(80 - product.digits)).toBe(exact(a) * exact(b));
        expect(Math.sign(compareDecimals(decimal(a), decimal(b)))).toBe(
          exact(a) < exact(b) ? -1 : exact(a) > exact(b) ? 1 : 0,
        );
      }),
    );
  });

  it('R15 divides with half away from zero and never by zero', () => {
    const quotient = (a: string, b: string, digits: number): string | undefined => {
      const value = divideDecimals(decimal(a), decimal(b), digits);
      return value && formatDecimal(value);
    };
    expect(quotient('1', '3', 4)).toBe('0.3333');
    expect(quotient('2', '3', 4)).toBe('0.6667');
    expect(quotient('-1', '8', 2)).toBe('-0.13');
    expect(quotient('1', '0', 2)).toBeUndefined();
  });

  it('R40 whole numbers beyond 2^53 keep every digit', () => {
    expect(parseUnits('9007199254740993')).toBe(9007199254740993n);
    expect(parseUnits('-12')).toBe(-12);
    expect(parseUnits('1.5')).toBeUndefined();
  });
});
