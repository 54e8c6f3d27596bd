import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addDecimals, compareDecimals, formatDecimal, parseDecimal } from '../../../src/core/decimal.ts';
import { bucketEndUs, bucketStartUs, INTERVAL_CODES, INTERVALS } from '../../../src/core/interval.ts';
import { isSymbol, shardOfSymbol } from '../../../src/core/symbol.ts';
import { compareTicks } from '../../../src/core/tick.ts';
import { hourOf } from '../../../src/store/archive/index.ts';
import { decimalOf, T0_US, tickOf } from '../../../src/testkit/store-fixtures.ts';

describe('docs/spec/ids.md', () => {
  it('IDS-1 symbols', () => {
    for (const symbol of ['IBM', 'BRK.B', 'BTC/USD', 'X:BTC-USD', 'a_b'.replace('_', '-'), 'x'.repeat(48)])
      expect(isSymbol(symbol)).toBe(true);
    for (const symbol of ['', ' ', 'A B', '{IBM}', 'IBM%', 'ÉA', 'x'.repeat(49), 'IBM\n'])
      expect(isSymbol(symbol)).toBe(false);
  });

  it('IDS-5 the shard of a symbol is crc32 mod N, the same everywhere', () => {
    expect([4, 1].map((shards) => shardOfSymbol('IBM', shards))).toEqual([crc32('IBM') % 4, 0]);
    expect(shardOfSymbol('123456789', 1_000_000)).toBe(0xcbf43926 % 1_000_000);
  });

  it('IDS-7 the total order: time, ns, seq, id by bytes, price, size', () => {
    const ordered = [
      tickOf({ tsUs: T0_US - 1, ns: 999, seq: 9 }),
      tickOf({ ns: 0, seq: 5 }),
      tickOf({ ns: 1, seq: 4 }),
      tickOf({ ns: 1, seq: 10n ** 20n }),
      tickOf({ ns: 2, seq: 1, id: '10' }),
      tickOf({ ns: 2, seq: 1, id: '9' }),
      tickOf({ ns: 2, seq: 1, id: '\uffff' }),
      tickOf({ ns: 2, seq: 1, id: '😀' }),
      tickOf({ ns: 2, seq: 1, id: '😀', price: '182.11' }),
      tickOf({ ns: 2, seq: 1, id: '😀', price: '182.11', size: '100.5' }),
    ];
    expect(ordered.toReversed().toSorted(compareTicks)).toEqual(ordered);
  });

  it('IDS-9 the scope of an id is the UTC hour of event time', () => {
    expect(hourOf(T0_US)).toBe(bucketStartUs('1h', T0_US));
    expect(hourOf(-1)).toBe(-3_600_000_000);
    expect(hourOf(3_600_000_000)).toBe(3_600_000_000);
  });

  it('IDS-11 one representation for one value, and sums are exact', () => {
    const tenth = decimalOf('0.1');
    const sum = Array.from({ length: 10 }, () => tenth).reduce(addDecimals);
    expect(formatDecimal(sum)).toBe('1');
    expect(decimalOf('9007199254740991').units).toBe(9_007_199_254_740_991);
    expect(decimalOf('9007199254740993').units).toBe(9_007_199_254_740_993n);
    expect(addDecimals(decimalOf('9007199254740993'), decimalOf('-2')).units).toBe(9_007_199_254_740_991);
  });

  it('IDS-12 equal values have equal, canonical text', () => {
    const cases = {
      '1.500': '1.5',
      '-0': '0',
      '-0.00': '0',
      '1e3': '1000',
      '0.10': '0.1',
      '100': '100',
      '1e-2': '0.01',
    };
    for (const [text, canonical] of Object.entries(cases)) expect(formatDecimal(decimalOf(text))).toBe(canonical);
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }),
        fc.integer({ min: 0, max: 18 }),
        (units, digits) => {
          const text = formatDecimal({ units, digits });
          expect(text).toMatch(/^(?:0|-?(?:[1-9]\d*|0(?=\.))(?:\.\d*[1-9])?)$/);
          const back = parseDecimal(text);
          expect(back === undefined ? undefined : compareDecimals(back, { units, digits })).toBe(0);
        },
      ),
    );
  });

  it('IDS-13 codes of intervals are fixed', () => {
    expect(INTERVALS.map((interval) => INTERVAL_CODES[interval])).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  it('IDS-14 buckets are half-open, floored, weeks on Monday, months by the calendar', () => {
    expect(bucketStartUs('1m', -1_000)).toBe(-60_000_000);
    expect(bucketStartUs('1w', Date.UTC(2026, 10, 30, 12) * 1_000)).toBe(Date.UTC(2026, 10, 30) * 1_000);
    expect(bucketStartUs('1M', Date.UTC(2024, 2, 17) * 1_000)).toBe(Date.UTC(2024, 2, 1) * 1_000);
    for (const interval of INTERVALS) {
      const startUs = bucketStartUs(interval, T0_US);
      const endUs = bucketEndUs(interval, startUs);
      expect([bucketStartUs(interval, endUs - 1), bucketStartUs(interval, endUs)]).toEqual([startUs, endUs]);
    }
  });
});
