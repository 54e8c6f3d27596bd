import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFold } from '../../../src/candles/fold.ts';
import { type Candle, mergeCandles } from '../../../src/core/candle.ts';
import { formatDecimal } from '../../../src/core/decimal.ts';
import { INTERVALS } from '../../../src/core/interval.ts';
import { dump, type OracleCandle, oracleCandles } from '../../oracle/oracle.ts';
import { arbitraryTrades, type Trade, tickOf } from './trades.ts';

const SYMBOLS = ['A', 'B', 'C'];

/** The fold's answer in the oracle's words. */
function folded(trades: readonly Trade[], batchSizes: readonly number[] = [trades.length]): OracleCandle[] {
  const merged = new Map<string, { key: [number, number, number]; candle: Candle }>();
  const fold = createFold();
  let from = 0;
  const takeBatch = (size: number): void => {
    for (const trade of trades.slice(from, from + size)) fold.add(SYMBOLS.indexOf(trade.symbol), tickOf(trade));
    from += size;
    for (const delta of fold.take()) {
      const key: [number, number, number] = [delta.instrumentId, INTERVALS.indexOf(delta.interval), delta.startUs];
      const present = merged.get(key.join());
      merged.set(key.join(), { key, candle: present ? mergeCandles(present.candle, delta.candle) : delta.candle });
    }
  };
  for (const size of batchSizes) takeBatch(size);
  takeBatch(trades.length);
  const rows = [...merged.values()].sort((a, b) => a.key[0] - b.key[0] || a.key[1] - b.key[1] || a.key[2] - b.key[2]);
  return rows.map(({ key, candle }) => ({
    symbol: SYMBOLS[key[0]] as string,
    interval: INTERVALS[key[1]] as string,
    startMs: key[2] / 1_000,
    open: formatDecimal(candle.open.price),
    high: formatDecimal(candle.high),
    low: formatDecimal(candle.low),
    close: formatDecimal(candle.close.price),
    volume: formatDecimal(candle.volume),
    trades: candle.trades,
  }));
}

describe('fold', () => {
  it('R10 R12 R16 R31 equals the oracle in all intervals, digit for digit', () => {
    fc.assert(
      fc.property(arbitraryTrades(SYMBOLS), (trades) => {
        expect(dump(folded(trades))).toBe(dump(oracleCandles(trades)));
      }),
    );
  });

  it('R11 any order and any split into batches gives the same candles', () => {
    const shuffledAndSplit = arbitraryTrades(SYMBOLS).chain((trades) =>
      fc.tuple(
        fc.constant(trades),
        fc.shuffledSubarray(trades, { minLength: trades.length }),
        fc.array(fc.integer({ min: 0, max: 7 }), { maxLength: 12 }),
      ),
    );
    fc.assert(
      fc.property(shuffledAndSplit, ([trades, shuffled, sizes]) => {
        expect(dump(folded(shuffled, sizes))).toBe(dump(folded(trades)));
      }),
    );
  });

  it('R18 low <= open, close <= high', () => {
    fc.assert(
      fc.property(arbitraryTrades(SYMBOLS), (trades) => {
        for (const c of folded(trades)) {
          const [open, high, low, close] = [c.open, c.high, c.low, c.close].map(Number) as [
            number,
            number,
            number,
            number,
          ];
          expect(low <= Math.min(open, close) && Math.max(open, close) <= high).toBe(true);
        }
      }),
    );
  });

  it('R15 quote volume is the exact sum of price times size', () => {
    const fold = createFold();
    for (let i = 0; i < 10; i++)
      fold.add(0, tickOf({ symbol: 'A', tsUs: 0n, seq: 0n, id: String(i), price: '0.1', size: '0.1' }));
    const day = fold.take().find((delta) => delta.interval === '1d');
    expect(day && formatDecimal(day.candle.quoteVolume)).toBe('0.1');
  });
});
