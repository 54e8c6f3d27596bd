'use client';

import { useEffect, useEffectEvent, useReducer, useState } from 'react';
import { systemClock } from '../../src/core/clock.ts';
import type { ApiFault, SymbolsAnswer, TickView } from './api.ts';
import { fetchJson } from './fetch-json.ts';
import { applySnapshot, applySymbols, applyTicks, EMPTY_MARKET, type Market } from './market.ts';

type MarketAction =
  | { readonly kind: 'symbols' | 'snapshot'; readonly answer: SymbolsAnswer }
  | { readonly kind: 'ticks'; readonly ticks: readonly TickView[] };

export interface MarketHandle {
  readonly market: Market;
  /** Why the last request failed; null when it did not. */
  readonly fault: ApiFault | null;
  readonly dispatch: (action: MarketAction) => void;
}

/** New symbols and a new day's previous close come by request; ticks and snapshots in between by the stream. */
const REFRESH_MS = 30_000;
/** With nothing to show, look often. */
const REFRESH_EMPTY_MS = 3_000;

/** The watch list, from the served page on, kept fresh for as long as the page is open. */
export function useMarket(initial: SymbolsAnswer | null): MarketHandle {
  const [market, dispatch] = useReducer(reduce, initial, (answer) =>
    answer === null ? EMPTY_MARKET : applySymbols(EMPTY_MARKET, answer),
  );
  const [fault, setFault] = useState<ApiFault | null>(initial === null ? FAULT_AT_START : null);
  const empty = market.quotes.length === 0;
  const refresh = useEffectEvent(async (signal: AbortSignal) => {
    const answer = await fetchJson<SymbolsAnswer>('/api/v1/symbols', signal);
    if (signal.aborted) return;
    setFault(answer.ok ? null : answer.error);
    if (answer.ok) dispatch({ kind: 'symbols', answer: answer.value });
  });

  useEffect(() => {
    const leaving = new AbortController();
    const { signal } = leaving;
    const keepFresh = async (): Promise<void> => {
      while (!signal.aborted) {
        await systemClock.sleep(empty ? REFRESH_EMPTY_MS : REFRESH_MS, signal);
        if (!signal.aborted) await refresh(signal);
      }
    };
    void keepFresh();
    return () => leaving.abort();
  }, [empty]);

  return { market, fault, dispatch };
}

const FAULT_AT_START: ApiFault = {
  code: 'API_UNREACHABLE',
  message: 'The Ticker API does not answer.',
  fix: 'Start it with `ticker start`. The page reconnects by itself.',
};

function reduce(market: Market, action: MarketAction): Market {
  switch (action.kind) {
    case 'symbols':
      return applySymbols(market, action.answer);
    case 'snapshot':
      return applySnapshot(market, action.answer);
    case 'ticks':
      return applyTicks(market, action.ticks);
  }
}
