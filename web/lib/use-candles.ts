'use client';

import { useEffect, useEffectEvent, useReducer, useRef } from 'react';
import type { CandleView } from '../../src/core/candle.ts';
import { systemClock } from '../../src/core/clock.ts';
import { type ApiFault, type CandlesAnswer, PAGE_CANDLES } from './api.ts';
import {
  abandonReload,
  applyLive,
  beginReload,
  type CandleBook,
  EMPTY_BOOK,
  finishReload,
  prependOlder,
} from './candle-book.ts';
import { fetchJson } from './fetch-json.ts';
import type { Selection } from './selection.ts';

export interface CandlesState {
  /** `symbol interval` of what is held; another key means that a switch has just happened. */
  readonly key: string;
  readonly book: CandleBook;
  readonly simulated: boolean;
  readonly load: 'loading' | 'ready' | 'failed';
  readonly older: 'idle' | 'loading' | 'failed';
  readonly fault: ApiFault | null;
}

export interface CandlesHandle {
  readonly state: CandlesState;
  readonly applyLive: (candles: readonly CandleView[]) => void;
  /** Loads the newest page again; `keepOlder` is false when the server declared a reset. */
  readonly reload: (keepOlder: boolean) => Promise<void>;
  readonly loadOlder: () => Promise<void>;
}

/**
 * The candles of the selection: the newest page, live events on top, and older pages as the reader scrolls back. While
 * the stream is about to open the page waits for it, because whoever hears its first event reloads anyway.
 */
export function useCandles({ symbol, interval }: Selection, streamOpen: boolean): CandlesHandle {
  const key = `${symbol ?? ''} ${interval}`;
  const [held, dispatch] = useReducer(reduce, key, startState);
  const state = held.key === key ? held : startState(key);
  const reloading = useRef<AbortController>(null);
  const goingBack = useRef<AbortController>(null);

  const reload = async (keepOlder: boolean): Promise<void> => {
    if (symbol === null) return;
    goingBack.current?.abort();
    const signal = restart(reloading);
    dispatch({ kind: 'reload', key });
    const answer = await fetchJson<CandlesAnswer>(candlesUrl(symbol, interval), signal);
    if (signal.aborted) return;
    dispatch(
      answer.ok
        ? { kind: 'loaded', key, answer: answer.value, keepOlder }
        : { kind: 'failed', key, fault: answer.error },
    );
  };

  const loadOlder = async (): Promise<void> => {
    const oldest = state.book.candles[0];
    const busy = state.load !== 'ready' || state.older === 'loading' || state.book.arrived !== null;
    if (symbol === null || oldest === undefined || state.book.complete || busy) return;
    const signal = restart(goingBack);
    dispatch({ kind: 'olderLoading', key });
    const answer = await fetchJson<CandlesAnswer>(candlesUrl(symbol, interval, oldest.startMs), signal);
    if (signal.aborted) return;
    dispatch(answer.ok ? { kind: 'olderLoaded', key, answer: answer.value } : { kind: 'olderFailed', key });
  };

  const loadFirst = useEffectEvent(async () => {
    const signal = restart(reloading);
    if (!streamOpen) await systemClock.sleep(STREAM_WAIT_MS, signal);
    if (!signal.aborted) await reload(false);
  });
  useEffect(() => {
    void loadFirst();
    return () => {
      reloading.current?.abort();
      goingBack.current?.abort();
    };
  }, [key]);

  return {
    state,
    applyLive: (candles) => {
      const ours = candles.filter((candle) => candle.symbol === symbol && candle.interval === interval);
      if (ours.length > 0) dispatch({ kind: 'live', key, candles: ours });
    },
    reload,
    loadOlder,
  };
}

/** Without a stream there are candles all the same, a little later. */
const STREAM_WAIT_MS = 1_000;

/** Abandons the request that runs, if any, and returns the signal of the next. */
function restart(running: { current: AbortController | null }): AbortSignal {
  running.current?.abort();
  running.current = new AbortController();
  return running.current.signal;
}

function candlesUrl(symbol: string, interval: string, toMs?: number): string {
  const query = new URLSearchParams({ symbol, interval, limit: String(PAGE_CANDLES) });
  if (toMs !== undefined) query.set('to', String(toMs));
  return `/api/v1/candles?${query}`;
}

type CandlesAction = { readonly key: string } & (
  | { readonly kind: 'reload' }
  | { readonly kind: 'loaded'; readonly answer: CandlesAnswer; readonly keepOlder: boolean }
  | { readonly kind: 'failed'; readonly fault: ApiFault }
  | { readonly kind: 'olderLoading' }
  | { readonly kind: 'olderLoaded'; readonly answer: CandlesAnswer }
  | { readonly kind: 'olderFailed' }
  | { readonly kind: 'live'; readonly candles: readonly CandleView[] }
);

function startState(key: string): CandlesState {
  return { key, book: EMPTY_BOOK, simulated: false, load: 'loading', older: 'idle', fault: null };
}

function reduce(held: CandlesState, action: CandlesAction): CandlesState {
  const state = held.key === action.key ? held : startState(action.key);
  const { book } = state;
  switch (action.kind) {
    case 'reload':
      return { ...state, book: beginReload(book), older: 'idle' };
    case 'loaded': {
      const { candles, simulated } = action.answer;
      const next = finishReload(book, candles, action.keepOlder, PAGE_CANDLES);
      return { ...state, book: next, simulated: state.simulated || simulated, load: 'ready', fault: null };
    }
    case 'failed':
      // Candles on the screen stay: the stream says that they are old.
      return {
        ...state,
        book: abandonReload(book),
        load: state.load === 'ready' ? 'ready' : 'failed',
        fault: action.fault,
      };
    case 'olderLoading':
      return { ...state, older: 'loading' };
    case 'olderLoaded': {
      const { candles, simulated } = action.answer;
      const next = prependOlder(book, candles, PAGE_CANDLES);
      return { ...state, book: next, simulated: state.simulated || simulated, older: 'idle' };
    }
    case 'olderFailed':
      return { ...state, older: 'failed' };
    case 'live': {
      const simulated = state.simulated || action.candles.some((candle) => candle.simulated);
      return { ...state, book: applyLive(book, action.candles), simulated };
    }
  }
}
