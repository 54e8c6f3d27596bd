import type { IChartApi } from 'lightweight-charts';

/**
 * Which candles are in sight: all of them while they are few, otherwise the newest. Once the reader has moved it, it
 * stays where it was put, until another series starts or the reader comes back.
 */
export interface ChartView {
  /** Another series, of `count` candles. */
  start(count: number): void;
  /** The same series has `count` candles now. */
  follow(count: number): void;
  /** To the newest candle, as wide as candles are now. */
  scrollToNewest(): void;
}

/** `onAway` says whether the newest candle is out of sight. */
export function createChartView(chart: IChartApi, element: HTMLElement, onAway: (away: boolean) => void): ChartView {
  const scale = chart.timeScale();
  let moved = false;
  let away = false;
  const onMove = (): void => {
    moved = true;
  };
  for (const kind of ['pointerdown', 'wheel'] as const) element.addEventListener(kind, onMove, { passive: true });
  scale.subscribeVisibleLogicalRangeChange(() => {
    const isAway = scale.scrollPosition() < AWAY_BARS;
    if (isAway !== away) onAway(isAway);
    away = isAway;
  });

  const show = (count: number): void => {
    const { clientWidth } = element;
    const bars = Math.min(Math.max(count, clientWidth / WIDEST_PX), clientWidth / WIDTH_PX);
    // Too few to fill it stand in its middle.
    const from = count < bars ? (count - bars) / 2 : count - bars;
    scale.setVisibleLogicalRange({ from, to: from + bars * (1 + AHEAD) });
  };
  return {
    start(count) {
      moved = false;
      show(count);
    },
    follow(count) {
      if (!moved && count * WIDTH_PX <= element.clientWidth) show(count);
    },
    scrollToNewest: () => scale.scrollToPosition(BARS_AHEAD, false),
  };
}

/** A candle with the space beside it, and the widest one that few candles grow to. */
const WIDTH_PX = 9;
const WIDEST_PX = 60;
/** Free space after the newest candle, as a part of the candles in sight, and in candles. */
const AHEAD = 0.04;
const BARS_AHEAD = 4;
/** Half the newest candle is beyond the edge. */
const AWAY_BARS = -0.5;
