import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IdSet } from '../../../src/candles/id-set.ts';

describe('id set', () => {
  const id = fc.oneof(
    fc.nat(40).map(String),
    fc.nat(5_000).map(String),
    fc.bigInt({ min: 0n, max: 10n ** 17n }).map(String),
    fc.constantFrom(
      '',
      '0',
      '00',
      '01',
      '1',
      '+1',
      '-1',
      '1.0',
      '1e3',
      ' 1',
      '1023',
      '1024',
      '999999999999999',
      '1000000000000000',
    ),
    fc.string({ maxLength: 4, unit: 'binary' }),
  );

  it('R20 D1 answers what a set of texts answers, for any ids in any order', () => {
    fc.assert(
      fc.property(fc.array(id, { maxLength: 300 }), (ids) => {
        const ours = new IdSet();
        const plain = new Set<string>();
        for (const one of ids) {
          expect(ours.add(one)).toBe(!plain.has(one));
          plain.add(one);
        }
      }),
    );
  });

  it('R38 a dense million of ids takes less than a quarter of a megabyte, and each is known again', () => {
    const ids = new IdSet();
    for (let number = 5_000_000; number < 6_000_000; number++)
      if (!ids.add(String(number))) throw new Error(String(number));
    expect(ids.sizeBytes).toBeLessThan(262_144);
    for (let number = 5_999_999; number >= 5_000_000; number -= 997) expect(ids.add(String(number))).toBe(false);
    expect(ids.add('4999999')).toBe(true);
  });

  it('R38 its size grows with sparse and textual ids', () => {
    const ids = new IdSet();
    for (let i = 0; i < 100; i++) ids.add(String(i * 1_000_003));
    const sparse = ids.sizeBytes;
    expect(sparse).toBeGreaterThan(100 * 100);
    ids.add('a-trade');
    expect(ids.sizeBytes).toBeGreaterThan(sparse);
  });
});
