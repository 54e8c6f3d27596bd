import type { Clock } from '../core/clock.ts';
import { formatDecimal } from '../core/decimal.ts';
import type { CandleFrame, TickEntry } from '../core/stream-entry.ts';
import { formatStreamId } from '../core/stream-id.ts';
import type { Subscription } from './connection.ts';
import { type Market, SNAPSHOT_INTERVALS } from './market.ts';
import type { FeedState } from './shard.ts';
import { encodeEvent } from './sse.ts';

/** What a reader is told about the time it was away (V2). */
export type Verdict =
  | { readonly verdict: 'fresh' | 'exact' }
  | { readonly verdict: 'replayed'; readonly missed: number }
  | { readonly verdict: 'reset'; readonly reason: string };

/** The events of the stream as text. Every one says whether it holds simulated data (T1). */
export interface Encoder {
  snapshot(subscription: Subscription, verdict: Verdict, id: string): string;
  resumed(subscription: Subscription, missed: number, id: string): string;
  /** undefined when nothing in it is subscribed. */
  ticks(entries: readonly TickEntry[], subscription: Subscription, id: string): string | undefined;
  candles(frames: readonly CandleFrame[], shard: number, subscription: Subscription, id: string): string | undefined;
  heartbeat(id: string): string;
  bye(id: string): string;
}

export interface EncoderOptions {
  readonly market: Market;
  readonly clock: Clock;
  readonly feedState: () => FeedState;
}

export function createEncoder(options: EncoderOptions): Encoder {
  return new JsonEncoder(options);
}

class JsonEncoder implements Encoder {
  readonly #options: EncoderOptions;
  /** Each tick is written once, however many subscriptions it is in. */
  readonly #tickTexts = new WeakMap<TickEntry, string>();

  constructor(options: EncoderOptions) {
    this.#options = options;
  }

  snapshot(subscription: Subscription, verdict: Verdict, id: string): string {
    const { market } = this.#options;
    const symbols = [...subscription.symbols].flatMap((name) => market.symbol(name) ?? []);
    const intervals = SNAPSHOT_INTERVALS.filter((interval) => subscription.intervals.has(interval));
    const candles = symbols.flatMap(({ symbol }) =>
      intervals.flatMap((interval) => market.candle(symbol, interval) ?? []),
    );
    const simulated = symbols.some((symbol) => symbol.simulated);
    return encodeEvent('snapshot', this.#snapshotData(verdict, symbols, candles, simulated), id);
  }

  resumed(subscription: Subscription, missed: number, id: string): string {
    const verdict: Verdict = missed === 0 ? { verdict: 'exact' } : { verdict: 'replayed', missed };
    const simulated = [...subscription.symbols].some((name) => this.#options.market.symbol(name)?.simulated);
    return encodeEvent('snapshot', this.#snapshotData(verdict, [], [], simulated), id);
  }

  ticks(entries: readonly TickEntry[], subscription: Subscription, id: string): string | undefined {
    const wanted = entries.filter((entry) => subscription.symbols.has(entry.tick.symbol));
    if (wanted.length === 0) return undefined;
    const simulated = wanted.some((entry) => entry.simulated);
    const texts = wanted.map((entry) => this.#tickText(entry)).join(',');
    return encodeEvent('ticks', `{"simulated":${simulated},"ticks":[${texts}]}`, id);
  }

  candles(frames: readonly CandleFrame[], shard: number, subscription: Subscription, id: string): string | undefined {
    const wanted = frames.flatMap((frame) =>
      frame.candles
        .filter(({ symbol, interval }) => subscription.symbols.has(symbol) && subscription.intervals.has(interval))
        .map((candle) => ({ ...candle, shard, commitNo: frame.commitNo, through: formatStreamId(frame.through) })),
    );
    if (wanted.length === 0) return undefined;
    const simulated = wanted.some((candle) => candle.simulated);
    return encodeEvent('candles', JSON.stringify({ simulated, candles: wanted }), id);
  }

  heartbeat(id: string): string {
    const feed = this.#options.feedState();
    const data = { serverTimeMs: this.#options.clock.nowMs(), simulated: feed.state === 'simulated', feed };
    return encodeEvent('heartbeat', JSON.stringify(data), id);
  }

  bye(id: string): string {
    const data = { serverTimeMs: this.#options.clock.nowMs(), reason: 'draining' };
    return encodeEvent('bye', JSON.stringify(data), id);
  }

  #tickText(entry: TickEntry): string {
    let text = this.#tickTexts.get(entry);
    if (text === undefined) this.#tickTexts.set(entry, (text = JSON.stringify(viewTick(entry))));
    return text;
  }

  #snapshotData(
    verdict: Verdict,
    symbols: readonly unknown[],
    candles: readonly unknown[],
    simulated: boolean,
  ): string {
    const { clock, feedState } = this.#options;
    return JSON.stringify({ ...verdict, serverTimeMs: clock.nowMs(), simulated, feed: feedState(), symbols, candles });
  }
}

function viewTick({ tick, id, simulated }: TickEntry): object {
  return {
    symbol: tick.symbol,
    tsMs: Math.floor(tick.tsUs / 1_000),
    tsUs: tick.tsUs,
    price: formatDecimal(tick.price),
    size: formatDecimal(tick.size),
    id: tick.id,
    streamId: formatStreamId(id),
    simulated,
  };
}
