import { describe, expect, it } from 'vitest';
import { TickerError } from '../../../src/core/errors.ts';
import { candlesQuery, parseQuery, streamQuery } from '../../../src/server/routes/query.ts';

const refusal = (schema: Parameters<typeof parseQuery>[0], query: unknown): string => {
  try {
    parseQuery(schema, query);
  } catch (error) {
    if (error instanceof TickerError && error.code === 'REQUEST_INVALID') return error.message;
    throw error;
  }
  return 'accepted';
};

describe('query', () => {
  it('accepts what the documentation says', () => {
    expect(parseQuery(candlesQuery, { symbol: 'IBM', interval: '1M', from: '-5', to: '7', limit: '5000' })).toEqual({
      symbol: 'IBM',
      interval: '1M',
      from: -5,
      to: 7,
      limit: 5000,
    });
    expect(parseQuery(streamQuery, { symbols: 'A,B,,A', candles: '1m,1M' })).toEqual({
      symbols: ['A', 'B'],
      candles: ['1m', '1M'],
    });
    expect(parseQuery(streamQuery, { symbols: 'A' })).toEqual({ symbols: ['A'], candles: [] });
  });

  it('Q7 refuses with the parameter and the reason', () => {
    const good = { symbol: 'IBM', interval: '1m' };
    const cases: [unknown, RegExp][] = [
      [{ interval: '1m' }, /^symbol: is missing$/],
      [{ symbol: 'IBM' }, /^interval: is missing$/],
      [{ ...good, symbol: 'A B' }, /^symbol: is not a symbol/],
      [{ ...good, symbol: '{x}' }, /^symbol: /],
      [{ ...good, symbol: ['A', 'B'] }, /^symbol: is given twice$/],
      [{ ...good, interval: '2m' }, /^interval: "2m" is none of 1s, 5s/],
      [{ ...good, from: 'today' }, /^from: is not a whole number/],
      [{ ...good, from: '9999999999999999' }, /^from: is not a time$/],
      [{ ...good, from: '5', to: '4' }, /^from: is after `to`$/],
      [{ ...good, limit: '0' }, /^limit: is not between/],
      [{ ...good, limit: '5001' }, /^limit: is not between/],
      [{ ...good, limt: '5' }, /^limt: is not a parameter of this path$/],
    ];
    for (const [query, message] of cases) expect(refusal(candlesQuery, query)).toMatch(message);
    expect(refusal(streamQuery, { symbols: '' })).toMatch(/^symbols: names nothing$/);
    expect(refusal(streamQuery, { symbols: Array.from({ length: 201 }, (_, i) => `S${i}`).join(',') })).toMatch(
      /^symbols: names more than 200$/,
    );
    expect(refusal(streamQuery, { symbols: 'A', candles: '7m' })).toMatch(/^candles: /);
    expect(refusal(streamQuery, {})).toMatch(/^symbols: is missing$/);
  });
});
