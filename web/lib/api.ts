import type { CandleView } from '../../src/core/candle.ts';
import type { Interval } from '../../src/core/interval.ts';

/**
 * What the API says, as docs/http.md words it: times in Unix milliseconds, prices and sizes as exact decimal text.
 */
export interface SymbolView {
  readonly symbol: string;
  readonly source: string;
  readonly simulated: boolean;
  readonly priceDigits: number;
  readonly sizeDigits: number;
  readonly last: string | null;
  readonly lastTsMs: number | null;
  /** Close of the daily candle before the current one. */
  readonly previousClose: string | null;
  /** Since the previous close; on a symbol's first day since its open. */
  readonly change: string | null;
  readonly changePercent: string | null;
}

export interface SymbolsAnswer {
  readonly simulated: boolean;
  readonly symbols: readonly SymbolView[];
}

/** Candles ascend by startMs. */
export interface CandlesAnswer {
  readonly symbol: string;
  readonly interval: Interval;
  readonly simulated: boolean;
  readonly candles: readonly CandleView[];
}

export interface ApiFault {
  readonly code: string;
  readonly message: string;
  readonly fix?: string;
}

export interface TickView {
  readonly symbol: string;
  readonly tsMs: number;
  readonly price: string;
  readonly size: string;
  readonly id: string;
  readonly simulated: boolean;
}

/** V7: what the server knows about its upstream. */
export interface FeedHealth {
  readonly state: 'live' | 'stale' | 'closed' | 'simulated';
  readonly lastTickMs: number | null;
}

/** The first event of every connection; the verdict says whether anything was missed since the cursor (V2). */
export interface Snapshot extends SymbolsAnswer {
  readonly verdict: 'fresh' | 'exact' | 'replayed' | 'reset';
  readonly reason?: string;
  readonly missed?: number;
  readonly serverTimeMs: number;
  readonly feed?: FeedHealth;
  readonly candles: readonly CandleView[];
}

/** The events of /v1/stream by name; anything else on the wire is ignored. */
export interface StreamEvents {
  readonly snapshot: Snapshot;
  readonly ticks: { readonly ticks: readonly TickView[] };
  readonly candles: { readonly candles: readonly CandleView[] };
  readonly heartbeat: { readonly serverTimeMs: number; readonly feed: FeedHealth };
  readonly bye: unknown;
}

export type StreamEvent = {
  [Name in keyof StreamEvents]: { readonly name: Name; readonly data: StreamEvents[Name] };
}[keyof StreamEvents];

/** Candles of the first load, and of each step back in time. The API gives at most 5000. */
export const PAGE_CANDLES = 1_000;

/** Symbols one stream may ask for: the watch list beyond it is refreshed by request only. */
export const STREAM_SYMBOLS_MAX = 100;
