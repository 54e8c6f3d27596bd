'use client';

import { useMemo, useState } from 'react';
import type { StreamEvent, SymbolsAnswer } from '../lib/api.ts';
import { formatDay, padDigits } from '../lib/format.ts';
import type { Quote } from '../lib/market.ts';
import type { Theme } from '../lib/theme.ts';
import { useCandles } from '../lib/use-candles.ts';
import { useMarket } from '../lib/use-market.ts';
import { useSelection } from '../lib/use-selection.ts';
import { useStream } from '../lib/use-stream.ts';
import { ChartPanel } from './chart-panel.tsx';
import { ConnectionStatus } from './connection-status.tsx';
import { ThemeSwitch } from './theme-switch.tsx';
import { WatchList } from './watch-list.tsx';

interface MarketPageProps {
  readonly initial: SymbolsAnswer | null;
  readonly initialToday: string;
  readonly initialTheme: Theme;
}

/** The market page: a watch list and a chart, joined by one live stream. */
export function MarketPage({ initial, initialToday, initialTheme }: MarketPageProps) {
  const { market, fault, dispatch } = useMarket(initial);
  const symbols = useMemo(() => market.quotes.map((quote) => quote.symbol), [market.quotes]);
  const [selection, select] = useSelection(symbols);
  const [today, setToday] = useState(initialToday);
  const quote = market.quotes.find(({ symbol }) => symbol === selection.symbol);

  const stream = useStream(symbols, selection, (event: StreamEvent) => {
    switch (event.name) {
      case 'snapshot': {
        const { verdict, serverTimeMs } = event.data;
        // Asked only after the stream is open, so that nothing falls between the answer and the first event.
        if (!stream.open || verdict === 'fresh' || verdict === 'reset' || candles.state.fault !== null) {
          void candles.reload(verdict !== 'reset');
        }
        setToday(formatDay(serverTimeMs));
        dispatch({ kind: 'snapshot', answer: event.data });
        return candles.applyLive(event.data.candles);
      }
      case 'ticks':
        return dispatch({ kind: 'ticks', ticks: event.data.ticks });
      case 'candles':
        return candles.applyLive(event.data.candles);
      case 'heartbeat':
        if (candles.state.fault !== null) void candles.reload(true);
        return setToday(formatDay(event.data.serverTimeMs));
      case 'bye':
        return undefined;
    }
  });

  const candles = useCandles(selection, stream.open);

  const simulated = market.simulated || candles.state.simulated;
  return (
    <div className="shell">
      <title>{titleOf(quote, candles.state.simulated)}</title>
      <header className="top">
        <p className="brand">Ticker</p>
        {simulated ? <SimulatedBanner partly={market.quotes.some((other) => !other.simulated)} /> : null}
        <ConnectionStatus connection={stream.connection} />
        <ThemeSwitch initial={initialTheme} />
      </header>
      <main className="market">
        <ChartPanel
          selection={selection}
          quote={quote}
          symbols={symbols}
          today={today}
          candles={candles}
          fault={fault}
          onSelect={select}
        />
        <WatchList quotes={market.quotes} selection={selection} today={today} onSelect={select} />
      </main>
      <Footer />
    </div>
  );
}

function Footer() {
  return (
    <footer className="foot">
      <p className="keys">
        <kbd>↑</kbd> <kbd>↓</kbd> symbol, <kbd>1</kbd>–<kbd>9</kbd> <kbd>0</kbd> interval, <kbd>End</kbd> newest candle
      </p>
      <p>
        Times in UTC. Charts: <a href="https://www.tradingview.com/">TradingView Lightweight Charts™</a>
      </p>
    </footer>
  );
}

/** Where real symbols stand beside simulated ones, it must not call them generated. */
function SimulatedBanner({ partly }: { partly: boolean }) {
  return (
    <p className="banner" data-mark="simulated">
      <strong>{partly ? 'PARTLY SIMULATED' : 'SIMULATED'}</strong>
      <span className="banner-why">
        {partly ? ' Prices marked SIM are generated.' : ' These prices are generated and not from any market.'}
      </span>
    </p>
  );
}

/** The tab shows the price while the reader is elsewhere; not without saying what it is. */
function titleOf(quote: Quote | undefined, simulatedCandles: boolean): string {
  const what = simulatedCandles || quote?.simulated === true ? 'Ticker (simulated)' : 'Ticker';
  if (quote === undefined || quote.last === null) return what;
  return `${padDigits(quote.last, quote.priceDigits)} ${quote.symbol} · ${what}`;
}
