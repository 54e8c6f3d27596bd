import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  bucketEndUs,
  bucketStartUs,
  INTERVAL_CODES,
  INTERVALS,
  intervalOfCode,
  ROLLUP_PARENT,
} from '../../../src/core/interval.ts';

const us = (iso: string): number => Date.parse(iso) * 1_000;

describe('interval', () => {
  it('R1 a trade at exactly the end belongs to the next bucket', () => {
    const start = us('2026-11-30T12:00:00Z');
    expect(bucketStartUs('1m', start + 59_999_999)).toBe(start);
    expect(bucketStartUs('1m', start + 60_000_000)).toBe(start + 60_000_000);
  });

  it('R2 floors also before 1970', () => {
    expect(bucketStartUs('1m', -1_000)).toBe(-60_000_000);
    expect(bucketStartUs('1d', -1)).toBe(us('1969-12-31T00:00:00Z'));
  });

  it('R3 weeks start on Monday', () => {
    expect(bucketStartUs('1w', us('2026-11-30T12:00:00Z'))).toBe(us('2026-11-30T00:00:00Z'));
    expect(bucketStartUs('1w', us('2026-11-29T23:59:59Z'))).toBe(us('2026-11-23T00:00:00Z'));
    expect(bucketStartUs('1w', us('1970-01-01T00:00:00Z'))).toBe(us('1969-12-29T00:00:00Z'));
  });

  it('R4 months are calendar months', () => {
    expect(bucketStartUs('1M', us('2024-03-17T08:00:00Z'))).toBe(us('2024-03-01T00:00:00Z'));
    expect(bucketEndUs('1M', us('2024-02-01T00:00:00Z'))).toBe(us('2024-03-01T00:00:00Z'));
    expect(bucketEndUs('1M', us('2023-12-01T00:00:00Z'))).toBe(us('2024-01-01T00:00:00Z'));
  });

  it('R6 every instant lies in one bucket, and buckets touch', () => {
    const instant = fc.integer({ min: us('1900-01-02T00:00:00Z'), max: us('2199-12-31T00:00:00Z') });
    fc.assert(
      fc.property(instant, fc.constantFrom(...INTERVALS), (tsUs, interval) => {
        const start = bucketStartUs(interval, tsUs);
        const end = bucketEndUs(interval, start);
        expect(start <= tsUs && tsUs < end).toBe(true);
        expect(bucketStartUs(interval, end)).toBe(end);
        expect(bucketStartUs(interval, start)).toBe(start);
      }),
    );
  });

  it('R31 a coarser bucket is made of whole finer ones', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: us('1960-01-01T00:00:00Z'), max: us('2100-01-01T00:00:00Z') }),
        fc.constantFrom(...INTERVALS),
        (tsUs, interval) => {
          const parent = ROLLUP_PARENT[interval];
          if (parent === undefined) return;
          expect(bucketStartUs(interval, bucketStartUs(parent, tsUs))).toBe(bucketStartUs(interval, tsUs));
        },
      ),
    );
  });

  it('D1 codes are unique and lead back', () => {
    expect(new Set(Object.values(INTERVAL_CODES)).size).toBe(INTERVALS.length);
    for (const interval of INTERVALS) expect(intervalOfCode(INTERVAL_CODES[interval])).toBe(interval);
  });
});
