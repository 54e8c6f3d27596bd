'use client';

import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { type CandleChart, type ChartContent, createCandleChart } from '../lib/candle-chart.ts';
import { useKeys } from '../lib/use-keys.ts';

interface ChartProps {
  readonly content: ChartContent;
  readonly label: string;
  readonly onNeedOlder: () => Promise<void>;
  readonly onHover: (startMs: number | null) => void;
}

/** The canvas: everything here is an effect on the chart library. */
export function Chart({ content, label, onNeedOlder, onHover }: ChartProps) {
  const frame = useRef<HTMLDivElement>(null);
  const chart = useRef<CandleChart>(null);
  const needOlder = useEffectEvent(onNeedOlder);
  const hover = useEffectEvent(onHover);
  const [away, setAway] = useState(false);
  const showNewest = (): void => chart.current?.scrollToNewest();
  useKeys((key) => {
    if (key !== 'End' || !away) return false;
    showNewest();
    return true;
  });

  useEffect(() => {
    if (frame.current === null) return;
    const created = createCandleChart(frame.current, {
      onNeedOlder: () => void needOlder(),
      onHover: (startMs) => hover(startMs),
      onAway: setAway,
    });
    created.paint();
    chart.current = created;
    const stopWatching = onThemeChange(() => created.paint());
    return () => {
      stopWatching();
      created.remove();
      chart.current = null;
    };
  }, []);

  const { key, interval, priceDigits, candles } = content;
  useEffect(() => {
    if (candles.length > 0) chart.current?.show({ key, interval, priceDigits, candles });
  }, [key, interval, priceDigits, candles]);

  return (
    <>
      <div
        className="canvas"
        ref={frame}
        role="img"
        aria-label={label}
        data-candles={candles.length}
        data-oldest={candles[0]?.startMs}
        data-empty={candles.length === 0}
      />
      {away && candles.length > 0 ? (
        <button type="button" className="button to-newest" title="Back to the newest candle (End)" onClick={showNewest}>
          Newest <span aria-hidden="true">»</span>
        </button>
      ) : null}
    </>
  );
}

/** The theme is the attribute of the root element, or what the system prefers. */
function onThemeChange(task: () => void): () => void {
  const attribute = new MutationObserver(task);
  attribute.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  const preference = window.matchMedia('(prefers-color-scheme: dark)');
  preference.addEventListener('change', task);
  return () => {
    attribute.disconnect();
    preference.removeEventListener('change', task);
  };
}
