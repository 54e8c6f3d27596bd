import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareDecimals, formatDecimal } from '../../../src/core/decimal.ts';
import { decodeDecimal, decodeMark, encodeMark } from '../../../src/store/sqlite/mark.ts';
import { decimalOf, markOf, tickOf } from '../../../src/testkit/store-fixtures.ts';

const wide = fc.bigInt({ min: -(10n ** 70n), max: 10n ** 70n });

describe('marks and decimals as text', () => {
  it('SCHEMA-2 a mark comes back whatever its id, sequence and size', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', minLength: 1 }),
        wide,
        fc.integer(),
        fc.integer({ min: 0, max: 999 }),
        (id, seq, tsUs, ns) => {
          const mark = markOf({ ...tickOf({ id, tsUs, ns, size: '0.25' }), seq });
          const text = encodeMark(mark);
          expect(text).not.toContain('\u0000');
          expect(text).not.toMatch(/[\ud800-\udfff]/);
          const back = decodeMark(text, mark.price);
          expect({ ...back, seq: BigInt(back.seq) }).toEqual(mark);
        },
      ),
    );
  });

  it('SCHEMA-1 a decimal of any width comes back as the same value and the same text', () => {
    fc.assert(
      fc.property(wide, fc.integer({ min: 0, max: 60 }), (units, digits) => {
        const text = formatDecimal({ units, digits });
        const back = decodeDecimal(text);
        expect(compareDecimals(back, { units, digits })).toBe(0);
        expect(formatDecimal(back)).toBe(text);
      }),
    );
  });

  it.each(['', 'x', '1:2', 'NaN:0:1:1:id', '1:0:1:x:id'])('SCHEMA-2 text that is no mark is a fault: %j', (text) => {
    expect(() => decodeMark(text, decimalOf('1'))).toThrow(expect.objectContaining({ code: 'STORE_UNUSABLE' }));
  });

  it.each(['', '.', '1.', 'abc', '0x10'])('SCHEMA-1 text that is no decimal is a fault: %j', (text) => {
    expect(() => decodeDecimal(text)).toThrow(expect.objectContaining({ code: 'STORE_UNUSABLE' }));
  });
});
