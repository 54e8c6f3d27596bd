import { beforeEach, describe, expect, it } from 'vitest';
import type { CandleView } from '../../../src/core/candle.ts';
import type { Instrument } from '../../../src/core/instrument.ts';
import { createMarket, type Market } from '../../../src/live/index.ts';
import { tickOf } from '../../../src/testkit/store-fixtures.ts';

const DAY_MS = 86_400_000;

const instrument = (symbol: string, fields: Partial<Instrument> = {}): Instrument => ({
  instrumentId: 1,
  symbol,
  source: 'file',
  simulated: false,
  priceDigits: 2,
  sizeDigits: 0,
  closedThroughUs: 0,
  ...fields,
});

const candle = (fields: Partial<CandleView>): CandleView => ({
  symbol: 'IBM',
  interval: '1d',
  startMs: 10 * DAY_MS,
  open: '100',
  high: '120',
  low: '90',
  close: '110',
  volume: '5',
  trades: 3,
  quoteVolume: '500',
  vwap: '100',
  simulated: false,
  state: 'open',
  revision: 1,
  ...fields,
});

let market: Market;

beforeEach(() => {
  market = createMarket();
  market.setInstrument(instrument('IBM'));
});

const last = (price: string, tsUs = 10 * DAY_MS * 1_000): void => market.applyTick(tickOf({ price, tsUs }));
const change = (): (string | null | undefined)[] => {
  const view = market.symbol('IBM');
  return [view?.last, view?.previousClose, view?.change, view?.changePercent];
};

describe('change', () => {
  it('W is null before there is a price, and before there is a reference', () => {
    expect(change()).toEqual([null, null, null, null]);
    last('105');
    expect(change()).toEqual(['105', null, null, null]);
  });

  it('W is measured from the close of the day before', () => {
    market.applyCandle(candle({}), '80');
    last('100');
    expect(change()).toEqual(['100', '80', '20', '25']);
    last('79.9');
    expect(change()).toEqual(['79.9', '80', '-0.1', '-0.13']);
  });

  it('W is measured from the open of the day on a symbol’s first day', () => {
    market.applyCandle(candle({}));
    last('101.25');
    expect(change()).toEqual(['101.25', null, '1.25', '1.25']);
  });

  it('W the close of a day becomes the reference when the next day begins', () => {
    market.applyCandle(candle({ close: '110' }), '80');
    market.applyCandle(candle({ startMs: 11 * DAY_MS, open: '112', close: '112' }));
    last('121');
    expect(change()).toEqual(['121', '110', '11', '10']);
  });

  it('R23 W a late trade that revises the day before moves the reference', () => {
    market.applyCandle(candle({ close: '110' }), '80');
    market.applyCandle(candle({ startMs: 11 * DAY_MS, open: '112', close: '112', revision: 2 }));
    market.applyCandle(candle({ close: '100', revision: 3 }));
    last('121');
    expect(change()).toEqual(['121', '100', '21', '21']);
    market.applyCandle(candle({ close: '1', revision: 2 }));
    market.applyCandle(candle({ startMs: 9 * DAY_MS, close: '2', revision: 4 }));
    expect(change()).toEqual(['121', '100', '21', '21']);
    expect(market.candle('IBM', '1d')?.startMs).toBe(11 * DAY_MS);
  });

  it('R15 F1 from zero there is no percentage, and from a negative price its size counts', () => {
    market.applyCandle(candle({}), '0');
    last('5');
    expect(change()).toEqual(['5', '0', '5', null]);
    market = createMarket();
    market.setInstrument(instrument('IBM'));
    market.applyCandle(candle({}), '-40');
    last('-30');
    expect(change()).toEqual(['-30', '-40', '10', '25']);
    last('0');
    expect(change()).toEqual(['0', '-40', '40', '100']);
  });

  it('R12 numbers beyond 2^53 stay exact', () => {
    market.applyCandle(candle({}), '9007199254740993.01');
    last('9007199254740993.02');
    expect(change().slice(2)).toEqual(['0.01', '0']);
  });
});

describe('candles and prices', () => {
  it('LIVE-10 an older revision and an older candle are ignored, an equal and a newer one count', () => {
    const close = (): string | undefined => market.candle('IBM', '1m')?.close;
    market.applyCandle(candle({ interval: '1m', startMs: 60_000, close: '5', revision: 5 }));
    market.applyCandle(candle({ interval: '1m', startMs: 60_000, close: '4', revision: 4 }));
    expect(close()).toBe('5');
    market.applyCandle(candle({ interval: '1m', startMs: 0, close: '9', revision: 9 }));
    expect(close()).toBe('5');
    market.applyCandle(candle({ interval: '1m', startMs: 60_000, close: '6', revision: 6 }));
    expect(close()).toBe('6');
    market.applyCandle(candle({ interval: '1m', startMs: 120_000, close: '1', revision: 2 }));
    expect(close()).toBe('1');
  });

  it('V1 the last price follows event time: an older tick or candle does not replace it', () => {
    last('105', 2_000_000);
    last('104', 1_000_000);
    expect(market.symbol('IBM')).toMatchObject({ last: '105', lastTsMs: 2_000 });
    market.applyCandle(candle({ interval: '1s', startMs: 1_000, close: '103' }));
    expect(market.symbol('IBM')?.last).toBe('105');
    market.applyCandle(candle({ interval: '1s', startMs: 3_000, close: '106' }));
    expect(market.symbol('IBM')).toMatchObject({ last: '106', lastTsMs: 3_000 });
  });

  it('IDS-4 digits widen with a tick and never shrink, whatever the store says later', () => {
    last('105.125');
    expect(market.symbol('IBM')).toMatchObject({ priceDigits: 3, sizeDigits: 0 });
    market.applyTick(tickOf({ size: '0.5' }));
    expect(market.symbol('IBM')).toMatchObject({ priceDigits: 3, sizeDigits: 1 });
    market.setInstrument(instrument('IBM', { closedThroughUs: 7 }));
    expect(market.symbol('IBM')).toMatchObject({ priceDigits: 3, sizeDigits: 1 });
    expect(market.instrument('IBM')?.closedThroughUs).toBe(7);
  });

  it('T1 each symbol says whether it is simulated; symbols nobody registered are left out', () => {
    market.setInstrument(instrument('ACME', { simulated: true, source: 'simulated' }));
    market.applyTick(tickOf({ symbol: 'NOBODY' }));
    market.applyCandle(candle({ symbol: 'NOBODY' }));
    expect(market.symbols().map(({ symbol, simulated }) => [symbol, simulated])).toEqual([
      ['ACME', true],
      ['IBM', false],
    ]);
    expect([market.has('NOBODY'), market.symbol('NOBODY'), market.candle('NOBODY', '1d')]).toEqual([
      false,
      undefined,
      undefined,
    ]);
  });
});
