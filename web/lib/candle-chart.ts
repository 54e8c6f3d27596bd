import {
  CandlestickSeries,
  createChart,
  HistogramSeries,
  type IChartApi,
  type IPriceLine,
  type ISeriesApi,
  LineStyle,
  type UTCTimestamp,
} from 'lightweight-charts';
import type { CandleView } from '../../src/core/candle.ts';
import type { Interval } from '../../src/core/interval.ts';
import { diffCandles } from './candle-book.ts';
import { type ChartColors, readColors } from './chart-colors.ts';
import { createChartView } from './chart-view.ts';
import { formatStart, hasSeconds, isIntraday } from './format.ts';

export interface ChartContent {
  /** Another key is another symbol or interval: the view jumps to its newest candles. */
  readonly key: string;
  readonly interval: Interval;
  readonly priceDigits: number;
  readonly candles: readonly CandleView[];
}

export interface ChartEvents {
  /** The reader nears the oldest candle. Called often. */
  readonly onNeedOlder: () => void;
  /** The candle under the crosshair; null when it left the chart. */
  readonly onHover: (startMs: number | null) => void;
  /** Whether the newest candle is out of sight. */
  readonly onAway: (away: boolean) => void;
}

export interface CandleChart {
  show(content: ChartContent): void;
  scrollToNewest(): void;
  /** Takes the colours from the style sheet again, after the theme changed. */
  paint(): void;
  remove(): void;
}

/** Draws candles with their volume below. Floating point is for pixels only: exact numbers are the legend's. */
export function createCandleChart(element: HTMLElement, events: ChartEvents): CandleChart {
  const chart = createChart(element, { autoSize: true, layout: { attributionLogo: false } });
  // The series' own tag is of the last close in sight; a line of ours is of the newest one wherever the reader is.
  const unmarked = { lastValueVisible: false, priceLineVisible: false };
  const price = chart.addSeries(CandlestickSeries, { borderVisible: false, ...unmarked });
  const volume = chart.addSeries(HistogramSeries, { priceScaleId: '', priceFormat: { type: 'volume' }, ...unmarked });
  price.priceScale().applyOptions({ scaleMargins: { top: 0.16, bottom: 0.24 } });
  volume.priceScale().applyOptions({ scaleMargins: { top: 0.82, bottom: 0 } });
  const last = price.createPriceLine({ price: 0, lineWidth: 1, lineStyle: LineStyle.Dotted, ...LAST_HIDDEN });
  const view = createChartView(chart, element, events.onAway);

  let shown: ChartContent | undefined;
  let colors = readColors(element);
  const needOlder = (): void => {
    const range = chart.timeScale().getVisibleLogicalRange();
    if (shown !== undefined && range !== null && range.from < OLDER_MARGIN_BARS) events.onNeedOlder();
  };
  chart.timeScale().subscribeVisibleLogicalRangeChange(needOlder);
  chart.subscribeCrosshairMove(({ time }) => events.onHover(typeof time === 'number' ? time * 1_000 : null));

  const drawAll = (candles: readonly CandleView[]): void => {
    price.setData(candles.map(priceBar));
    volume.setData(candles.map((candle) => volumeBar(candle, colors)));
  };
  return {
    show(content) {
      const before = shown;
      shown = content;
      if (before?.key !== content.key || before.priceDigits !== content.priceDigits) applyScales(chart, price, content);
      if (before?.key !== content.key) {
        drawAll(content.candles);
        markLast(last, content.candles.at(-1), colors);
        view.start(content.candles.length);
        return;
      }
      const change = diffCandles(before.candles, content.candles);
      if (change.kind === 'all') drawAll(content.candles);
      else for (const candle of change.candles) updateBar(price, volume, candle, before.candles.at(-1), colors);
      markLast(last, content.candles.at(-1), colors);
      if (content.candles.length !== before.candles.length) view.follow(content.candles.length);
      needOlder();
    },
    scrollToNewest: view.scrollToNewest,
    paint() {
      colors = readColors(element);
      applyColors(chart, price, colors);
      if (shown === undefined) return;
      volume.setData(shown.candles.map((candle) => volumeBar(candle, colors)));
      markLast(last, shown.candles.at(-1), colors);
    },
    remove: () => chart.remove(),
  };
}

/** Older candles are asked for this long before the reader can see where they are missing. */
const OLDER_MARGIN_BARS = 150;

const LAST_HIDDEN = { lineVisible: false, axisLabelVisible: false };

/** The line and the tag of the newest close, wherever the reader is. */
function markLast(line: IPriceLine, newest: CandleView | undefined, colors: ChartColors): void {
  if (newest === undefined) return line.applyOptions(LAST_HIDDEN);
  const color = hasRisen(newest) ? colors.up : colors.down;
  return line.applyOptions({ price: Number(newest.close), color, lineVisible: true, axisLabelVisible: true });
}

function hasRisen(candle: CandleView): boolean {
  return Number(candle.close) >= Number(candle.open);
}

function priceBar(candle: CandleView) {
  return {
    time: timeOf(candle),
    open: Number(candle.open),
    high: Number(candle.high),
    low: Number(candle.low),
    close: Number(candle.close),
  };
}

function volumeBar(candle: CandleView, colors: ChartColors) {
  const color = hasRisen(candle) ? colors.upFaint : colors.downFaint;
  return { time: timeOf(candle), value: Number(candle.volume), color };
}

function timeOf(candle: CandleView): UTCTimestamp {
  return (candle.startMs / 1_000) as UTCTimestamp;
}

function updateBar(
  price: ISeriesApi<'Candlestick'>,
  volume: ISeriesApi<'Histogram'>,
  candle: CandleView,
  newest: CandleView | undefined,
  colors: ChartColors,
): void {
  const isHistory = newest !== undefined && candle.startMs < newest.startMs;
  price.update(priceBar(candle), isHistory);
  volume.update(volumeBar(candle, colors), isHistory);
}

function applyScales(
  chart: IChartApi,
  price: ISeriesApi<'Candlestick'>,
  { interval, priceDigits }: ChartContent,
): void {
  price.applyOptions({ priceFormat: { type: 'price', precision: priceDigits, minMove: 10 ** -priceDigits } });
  chart.applyOptions({
    localization: { locale: 'en-GB', timeFormatter: (time: number) => formatStart(time * 1_000, interval) },
    timeScale: { timeVisible: isIntraday(interval), secondsVisible: hasSeconds(interval) },
  });
}

function applyColors(chart: IChartApi, price: ISeriesApi<'Candlestick'>, colors: ChartColors): void {
  chart.applyOptions({
    layout: {
      background: { color: 'transparent' },
      textColor: colors.muted,
      fontFamily: getComputedStyle(document.body).fontFamily,
      fontSize: 11,
    },
    grid: { vertLines: { color: colors.grid }, horzLines: { color: colors.grid } },
    rightPriceScale: { borderColor: colors.line },
    timeScale: { borderColor: colors.line },
    crosshair: {
      vertLine: { color: colors.muted, labelBackgroundColor: colors.label },
      horzLine: { color: colors.muted, labelBackgroundColor: colors.label },
    },
  });
  price.applyOptions({
    upColor: colors.up,
    downColor: colors.down,
    wickUpColor: colors.up,
    wickDownColor: colors.down,
  });
}
