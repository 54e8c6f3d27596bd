import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CandleView } from '../../../src/core/candle.ts';
import {
  abandonReload,
  applyLive,
  beginReload,
  type CandleBook,
  diffCandles,
  EMPTY_BOOK,
  findCandle,
  finishReload,
  mergeCandleLists,
  prependOlder,
} from '../../../web/lib/candle-book.ts';

const MINUTE_MS = 60_000;

function candle(minute: number, revision = 1): CandleView {
  return {
    symbol: 'IBM',
    interval: '1m',
    startMs: minute * MINUTE_MS,
    open: '1',
    high: '1',
    low: '1',
    close: String(revision),
    volume: '1',
    trades: 1,
    quoteVolume: '1',
    vwap: '1',
    simulated: false,
    state: 'closed',
    revision,
  };
}

const brief = (candles: readonly CandleView[]) =>
  candles.map(({ startMs, revision }) => [startMs / MINUTE_MS, revision]);
const book = (...candles: CandleView[]): CandleBook => ({ ...EMPTY_BOOK, candles });

describe('T8 the candles of the page', () => {
  it('T8 the higher revision wins, in whatever order and however often it comes', () => {
    const arbitrary = fc.array(fc.tuple(fc.integer({ min: -5, max: 20 }), fc.integer({ min: 1, max: 9 })), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(arbitrary, fc.integer({ min: 1, max: 9 }), (versions, chunk) => {
        const highest = new Map<number, number>();
        for (const [minute, revision] of versions) highest.set(minute, Math.max(revision, highest.get(minute) ?? 0));
        const wanted = [...highest].sort(([a], [b]) => a - b);
        let merged: readonly CandleView[] = [];
        for (let at = 0; at < versions.length; at += chunk) {
          const part = mergeCandleLists(
            [],
            versions.slice(at, at + chunk).map(([minute, revision]) => candle(minute, revision)),
          );
          merged = mergeCandleLists(mergeCandleLists(merged, part), part);
        }
        expect(brief(merged)).toEqual(wanted);
      }),
    );
  });

  it('T8 merging leaves its inputs alone and keeps the identity of what did not change', () => {
    const before = [candle(1), candle(2)];
    const after = mergeCandleLists(before, [candle(2, 5), candle(3)]);
    expect(brief(before)).toEqual([
      [1, 1],
      [2, 1],
    ]);
    expect(after[0]).toBe(before[0]);
    expect(brief(after)).toEqual([
      [1, 1],
      [2, 5],
      [3, 1],
    ]);
  });

  it('D7 a live candle that came while a reload ran is newer than its answer', () => {
    let at = beginReload(book(candle(1), candle(2)));
    at = applyLive(at, [candle(2, 7), candle(3, 8)]);
    at = finishReload(at, [candle(1), candle(2, 3)], true, 100);
    expect(brief(at.candles)).toEqual([
      [1, 1],
      [2, 7],
      [3, 8],
    ]);
    expect(at.arrived).toBeNull();
  });

  it('D7 a reload replaces what it covers, even with lower revisions, and keeps older candles that join it', () => {
    const held = book(candle(1, 9), candle(2, 9), candle(3, 9));
    expect(brief(finishReload(beginReload(held), [candle(2, 4), candle(3, 4)], true, 2).candles)).toEqual([
      [1, 9],
      [2, 4],
      [3, 4],
    ]);
  });

  it('D7 after a reset, or where a hole may be between, nothing older is kept', () => {
    const held = book(candle(1, 9), candle(2, 9));
    expect(brief(finishReload(beginReload(held), [candle(2, 4)], false, 1).candles)).toEqual([[2, 4]]);
    expect(brief(finishReload(beginReload(held), [candle(7, 4)], true, 1).candles)).toEqual([[7, 4]]);
  });

  it('W an answer shorter than asked for is the beginning of the data', () => {
    expect(finishReload(beginReload(EMPTY_BOOK), [candle(5)], true, 2).complete).toBe(true);
    const full = finishReload(beginReload(EMPTY_BOOK), [candle(5), candle(6)], true, 2);
    expect(full.complete).toBe(false);
    const longer = prependOlder(full, [candle(3), candle(4)], 2);
    expect([brief(longer.candles), longer.complete]).toEqual([
      [
        [3, 1],
        [4, 1],
        [5, 1],
        [6, 1],
      ],
      false,
    ]);
    expect(prependOlder(longer, [], 2).complete).toBe(true);
  });

  it('D7 an abandoned reload stops collecting', () => {
    expect(applyLive(abandonReload(beginReload(EMPTY_BOOK)), [candle(1)]).arrived).toBeNull();
  });

  it('W finds a candle by its start, and only that', () => {
    const candles = [candle(1), candle(5)];
    expect(findCandle(candles, 5 * MINUTE_MS)).toBe(candles[1]);
    expect(findCandle(candles, 3 * MINUTE_MS)).toBeUndefined();
  });
});

describe('W what a chart has to redraw', () => {
  const before = [candle(1), candle(2), candle(3)];

  it('W a revised candle and a new one, wherever they are', () => {
    const after = mergeCandleLists(before, [candle(1, 2), candle(3, 2), candle(4)]);
    const change = diffCandles(before, after);
    expect(change.kind === 'some' && brief(change.candles)).toEqual([
      [1, 2],
      [3, 2],
      [4, 1],
    ]);
    expect(diffCandles(before, before)).toEqual({ kind: 'some', candles: [] });
  });

  it('W everything, when candles moved to another place', () => {
    expect(diffCandles(before, mergeCandleLists([candle(0)], before))).toEqual({ kind: 'all' });
    expect(diffCandles([candle(1), candle(3)], before)).toEqual({ kind: 'all' });
    expect(diffCandles(before, before.slice(1))).toEqual({ kind: 'all' });
    expect(diffCandles([], before)).toEqual({ kind: 'all' });
  });
});
