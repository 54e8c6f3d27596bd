import { describe, expect, it } from 'vitest';
import type { CandleView } from '../../../src/core/candle.ts';
import { INTERVALS } from '../../../src/core/interval.ts';
import {
  directionOf,
  formatDay,
  formatStart,
  groupThousands,
  legendOf,
  padDigits,
  pastDayOf,
  withSign,
} from '../../../web/lib/format.ts';
import { hrefOf, readSelection, selectByKey } from '../../../web/lib/selection.ts';
import { nextTheme, readTheme } from '../../../web/lib/theme.ts';

describe('W exact text', () => {
  it('R12 the legend has the exact decimals of the API, with zeros and separators at most', () => {
    const candle: CandleView = {
      symbol: 'X',
      interval: '1m',
      startMs: 0,
      open: '0.000000000000000001',
      high: '12345678901234567890.5',
      low: '-1.10',
      close: '2',
      volume: '9007199254740993.25',
      trades: 1234,
      quoteVolume: '1',
      vwap: null,
      simulated: false,
      state: 'open',
      revision: 1,
    };
    expect(legendOf(candle, 2).map(({ label, value }) => `${label} ${value}`)).toEqual([
      'O 0.000000000000000001',
      'H 12345678901234567890.50',
      'L -1.10',
      'C 2.00',
      'Vol 9,007,199,254,740,993.25',
      'Trades 1,234',
      'VWAP –',
    ]);
    const average = (vwap: string) => legendOf({ ...candle, vwap }, 2).at(-1);
    expect(average('113.452349999999999999')).toMatchObject({ value: '113.4523', exact: '113.452349999999999999' });
    expect(average('113.45235')).toMatchObject({ value: '113.4524', exact: '113.45235' });
    expect(average('113.4')).toMatchObject({ value: '113.40' });
    expect(average('-0.00005')).toMatchObject({ value: '-0.0001' });
  });

  it('W thousands are separated in the whole part only', () => {
    expect(['0', '999', '1000', '-1234567.8901', '12345678901234567890'].map(groupThousands)).toEqual([
      '0',
      '999',
      '1,000',
      '-1,234,567.8901',
      '12,345,678,901,234,567,890',
    ]);
  });

  it('W a price of another day has its date, one of today or none has not', () => {
    const today = formatDay(Date.UTC(2026, 11, 1));
    expect(today).toBe('01 Dec 2026');
    expect(pastDayOf(Date.UTC(2013, 9, 10, 23, 59, 59, 999), today)).toBe('10 Oct 2013');
    expect(pastDayOf(Date.UTC(2026, 10, 30, 23, 59, 59, 999), today)).toBe('30 Nov 2026');
    expect(pastDayOf(Date.UTC(2026, 11, 1, 0, 0), today)).toBeNull();
    expect(pastDayOf(null, today)).toBeNull();
  });

  it('W prices of one column get equally many decimal places, and never fewer than they have', () => {
    expect([padDigits('182', 2), padDigits('182.1', 2), padDigits('-0.125', 2), padDigits('5', 0)]).toEqual([
      '182.00',
      '182.10',
      '-0.125',
      '5',
    ]);
  });

  it('W signs and directions come from the text', () => {
    expect([withSign('1.5'), withSign('-1.5'), withSign('0.00'), withSign('-0.00')]).toEqual([
      '+1.5',
      '−1.5',
      '0.00',
      '0.00',
    ]);
    expect([
      directionOf('0.01'),
      directionOf('-0.01'),
      directionOf('0'),
      directionOf('-0.00'),
      directionOf(null),
    ]).toEqual(['up', 'down', 'flat', 'flat', 'flat']);
  });

  it('W a start is as fine as its interval, in UTC', () => {
    const atMs = Date.UTC(2013, 9, 8, 13, 47, 5);
    expect(['1s', '1m', '1d', '1M'].map((interval) => formatStart(atMs, interval as '1s'))).toEqual([
      '08 Oct 2013, 13:47:05 UTC',
      '08 Oct 2013, 13:47 UTC',
      '08 Oct 2013',
      'Oct 2013',
    ]);
  });
});

describe('W the selection in the address', () => {
  const symbols = ['AIG', 'BTC/USD', 'IBM'];

  it('W reads back what it wrote, also of awkward names', () => {
    const selection = { symbol: 'BTC/USD', interval: '4h' } as const;
    expect(readSelection(new URLSearchParams(hrefOf(selection)), symbols)).toEqual(selection);
  });

  it('W falls back to the first symbol and one minute, but not from an unknown symbol', () => {
    expect(readSelection(new URLSearchParams('interval=7m'), symbols)).toEqual({ symbol: 'AIG', interval: '1m' });
    expect(readSelection(new URLSearchParams('symbol=NOPE'), symbols).symbol).toBe('NOPE');
    expect(readSelection(new URLSearchParams(), []).symbol).toBeNull();
  });

  it('W arrows stop at the ends of the list, digits reach every interval, other keys are left alone', () => {
    const at = { symbol: 'AIG', interval: '1m' } as const;
    expect(selectByKey('ArrowUp', at, symbols)).toBeNull();
    expect(selectByKey('ArrowDown', at, symbols)?.symbol).toBe('BTC/USD');
    expect(selectByKey('ArrowDown', { ...at, symbol: 'IBM' }, symbols)).toBeNull();
    expect(selectByKey('ArrowDown', { ...at, symbol: 'NOPE' }, symbols)?.symbol).toBe('AIG');
    expect('1234567890'.split('').map((key) => selectByKey(key, at, symbols)?.interval)).toEqual([...INTERVALS]);
    expect([selectByKey('a', at, symbols), selectByKey('F1', at, symbols)]).toEqual([null, null]);
  });
});

describe('W the theme', () => {
  it('W goes round, and anything unknown is what the system says', () => {
    expect(nextTheme(nextTheme(nextTheme('auto')))).toBe('auto');
    expect([readTheme('dark'), readTheme('purple'), readTheme(undefined)]).toEqual(['dark', 'auto', 'auto']);
  });
});
