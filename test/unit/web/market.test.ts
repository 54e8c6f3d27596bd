import { describe, expect, it } from 'vitest';
import type { SymbolView, TickView } from '../../../web/lib/api.ts';
import { applySnapshot, applySymbols, applyTicks, EMPTY_MARKET, type Market } from '../../../web/lib/market.ts';

function view(symbol: string, over: Partial<SymbolView> = {}): SymbolView {
  return {
    symbol,
    source: 'file',
    simulated: false,
    priceDigits: 2,
    sizeDigits: 0,
    last: '100.1',
    lastTsMs: 1_000,
    previousClose: '100',
    change: '0.1',
    changePercent: '0.1',
    ...over,
  };
}

function tick(symbol: string, tsMs: number, price: string, simulated = false): TickView {
  return { symbol, tsMs, price, size: '1', id: `${tsMs}`, simulated };
}

const marketOf = (...symbols: SymbolView[]): Market => applySymbols(EMPTY_MARKET, { simulated: false, symbols });
const only = (market: Market) => {
  const quote = market.quotes[0];
  if (quote === undefined) throw new Error('the market is empty');
  return quote;
};

describe('W the watch list', () => {
  it('R12 a tick moves price and change exactly, where floating point would not', () => {
    const { last, change, changePercent, move, moves } = only(
      applyTicks(marketOf(view('IBM')), [tick('IBM', 2_000, '100.3')]),
    );
    expect({ last, change, changePercent, move, moves }).toEqual({
      last: '100.3',
      change: '0.3',
      changePercent: '0.3',
      move: 'up',
      moves: 1,
    });
    const huge = applyTicks(marketOf(view('X', { previousClose: '9007199254740993.1' })), [
      tick('X', 2_000, '9007199254740993.3'),
    ]);
    expect(only(huge).change).toBe('0.2');
  });

  it('W on a first day the change goes on from the open that the API measured it from', () => {
    const first = marketOf(view('IBM', { previousClose: null, last: '101', change: '1', changePercent: '1' }));
    expect(only(applyTicks(first, [tick('IBM', 2_000, '98')]))).toMatchObject({
      change: '-2',
      changePercent: '-2',
      move: 'down',
    });
    const unknown = marketOf(view('IBM', { previousClose: null, change: null, changePercent: null }));
    expect(only(applyTicks(unknown, [tick('IBM', 2_000, '98')]))).toMatchObject({
      last: '98',
      change: null,
      changePercent: null,
    });
  });

  it('T8 older and repeated ticks change nothing', () => {
    const market = applyTicks(marketOf(view('IBM')), [tick('IBM', 5_000, '102'), tick('IBM', 4_000, '90')]);
    expect(only(market)).toMatchObject({ last: '102', moves: 1 });
    expect(only(applyTicks(market, [tick('IBM', 4_500, '95'), tick('IBM', 5_000, '102')]))).toMatchObject({
      last: '102',
      moves: 1,
    });
    expect(applyTicks(market, [])).toBe(market);
  });

  it('T8 an answer that left before a shown tick keeps the price, and brings the new previous close', () => {
    const market = applyTicks(marketOf(view('IBM')), [tick('IBM', 5_000, '102')]);
    const late = applySymbols(market, {
      simulated: false,
      symbols: [view('IBM', { lastTsMs: 4_000, last: '99', previousClose: '101', change: '-2' })],
    });
    expect(only(late)).toMatchObject({
      last: '102',
      lastTsMs: 5_000,
      previousClose: '101',
      change: '1',
      changePercent: '0.99',
      moves: 1,
    });
  });

  it('W a snapshot of some symbols leaves the others and the order alone; an answer of all replaces the list', () => {
    const market = marketOf(view('A'), view('B'));
    const partial = applySnapshot(market, { simulated: false, symbols: [view('B', { last: '7', lastTsMs: 9_000 })] });
    expect(partial.quotes.map(({ symbol, last }) => [symbol, last])).toEqual([
      ['A', '100.1'],
      ['B', '7'],
    ]);
    expect(
      applySymbols(partial, { simulated: false, symbols: [view('C')] }).quotes.map(({ symbol }) => symbol),
    ).toEqual(['C']);
  });

  it('T1 simulated anywhere marks the whole page, for good', () => {
    const bySymbol = applySymbols(EMPTY_MARKET, { simulated: false, symbols: [view('A', { simulated: true })] });
    const byAnswer = applySnapshot(EMPTY_MARKET, { simulated: true, symbols: [] });
    const byTick = applyTicks(marketOf(view('A')), [tick('A', 2_000, '1', true)]);
    expect([bySymbol.simulated, byAnswer.simulated, byTick.simulated, only(byTick).simulated]).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(applySymbols(byTick, { simulated: false, symbols: [] }).simulated).toBe(true);
    expect(marketOf(view('A')).simulated).toBe(false);
  });
});
