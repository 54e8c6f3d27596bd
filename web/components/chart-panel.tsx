'use client';

import { useState } from 'react';
import type { CandleView } from '../../src/core/candle.ts';
import { INTERVALS } from '../../src/core/interval.ts';
import type { ApiFault } from '../lib/api.ts';
import { findCandle } from '../lib/candle-book.ts';
import { decimalPlaces, directionOf, formatStart, NONE, padDigits, pastDayOf, withSign } from '../lib/format.ts';
import type { Quote } from '../lib/market.ts';
import type { Selection } from '../lib/selection.ts';
import type { CandlesHandle } from '../lib/use-candles.ts';
import { Chart } from './chart.tsx';
import { ChartNotice } from './chart-notice.tsx';
import { Legend } from './legend.tsx';

interface ChartPanelProps {
  readonly selection: Selection;
  readonly quote: Quote | undefined;
  /** All there are, for the choice when the selected one is unknown. */
  readonly symbols: readonly string[];
  readonly today: string;
  readonly candles: CandlesHandle;
  /** Why the watch list could not be loaded. */
  readonly fault: ApiFault | null;
  readonly onSelect: (next: Selection) => void;
}

export function ChartPanel({ selection, quote, symbols, today, candles, fault, onSelect }: ChartPanelProps) {
  const [hoveredMs, setHoveredMs] = useState<number | null>(null);
  const { state } = candles;
  const { symbol, interval } = selection;
  const all = state.load === 'ready' ? state.book.candles : NO_CANDLES;
  const shown = (hoveredMs === null ? undefined : findCandle(all, hoveredMs)) ?? all.at(-1);
  const priceDigits = axisDigits(quote, all);
  return (
    <section className="panel" aria-label="Chart">
      <header className="panel-head">
        <h1 className="panel-symbol" aria-live="polite">
          {symbol ?? 'No symbol'}
        </h1>
        {quote?.simulated === true || state.simulated ? (
          <strong className="mark mark-large" data-mark="simulated">
            SIMULATED
          </strong>
        ) : null}
        {quote === undefined ? null : <PanelQuote quote={quote} pastDay={pastDayOf(quote.lastTsMs, today)} />}
        <IntervalSwitch selection={selection} onSelect={onSelect} />
      </header>
      <div className="canvas-frame">
        <Legend candle={shown} interval={interval} priceDigits={priceDigits} />
        <Chart
          content={{ key: state.key, interval, priceDigits, candles: all }}
          label={describeChart(selection, state.simulated, all.at(-1)?.close)}
          onNeedOlder={candles.loadOlder}
          onHover={setHoveredMs}
        />
        <ChartNotice selection={selection} symbols={symbols} candles={candles} fault={fault} onSelect={onSelect} />
      </div>
    </section>
  );
}

const NO_CANDLES: readonly CandleView[] = [];

/** The digits a symbol is known to need, or its newest candles have: the API learns of finer prices a little later. */
function axisDigits(quote: Quote | undefined, candles: readonly CandleView[]): number {
  const seen = candles
    .slice(-AXIS_CANDLES)
    .map(({ open, close }) => Math.max(decimalPlaces(open), decimalPlaces(close)));
  return Math.max(quote?.priceDigits ?? 0, ...seen);
}

const AXIS_CANDLES = 50;

function PanelQuote({ quote, pastDay }: { quote: Quote; pastDay: string | null }) {
  const { last, change, changePercent, priceDigits, lastTsMs } = quote;
  const direction = (moved: string) => (pastDay === null ? directionOf(moved) : 'flat');
  return (
    <p className="panel-quote" title={lastTsMs === null ? undefined : `Last trade ${formatStart(lastTsMs, '1s')}`}>
      <span className="panel-last">{last === null ? NONE : padDigits(last, priceDigits)}</span>
      {change === null || changePercent === null ? null : (
        <>
          <span data-direction={direction(change)}>{withSign(padDigits(change, priceDigits))}</span>
          <span data-direction={direction(changePercent)}>({withSign(padDigits(changePercent, 2))}%)</span>
        </>
      )}
      {pastDay === null ? null : <span className="panel-day">{pastDay}</span>}
    </p>
  );
}

function IntervalSwitch({ selection, onSelect }: { selection: Selection; onSelect: (next: Selection) => void }) {
  return (
    <div className="intervals" role="group" aria-label="Interval">
      {INTERVALS.map((interval) => (
        <button
          key={interval}
          type="button"
          aria-pressed={interval === selection.interval}
          onClick={() => onSelect({ ...selection, interval })}
        >
          {interval}
        </button>
      ))}
    </div>
  );
}

function describeChart({ symbol, interval }: Selection, simulated: boolean, close: string | undefined): string {
  const what = `Candle chart of ${symbol ?? 'no symbol'}, ${interval} candles${simulated ? ', simulated data' : ''}`;
  return close === undefined ? what : `${what}, last close ${close}`;
}
