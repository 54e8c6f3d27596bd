import type { Clock } from '../core/clock.ts';
import { formatDecimal } from '../core/decimal.ts';
import type { CandleFrame, TickEntry } from '../core/stream-entry.ts';
import { formatStreamId } from '../core/stream-id.ts';
import type { Subscription } from './connection.ts';
import type { FeedState } from './hub.ts';
import { type Market, SNAPSHOT_INTERVALS } from './market.ts';
import { encodeEvent } from './sse.ts';

/** What a reader is told about the time it was away (V2). */
export type Verdict =
  | { readonly verdict: 'fresh' | 'exact' }
  | { readonly verdict: 'replayed'; readonly missed: number }
  | { readonly verdict: 'reset'; readonly reason: string };

/** The events of the stream as text. Every one says whether it holds simulated data (T1). */
export interface Encoder {
  snapshot(subscription: Subscription, verdict: Verdict, id: string): string;
  resumed(missed: number, id: string): string;
  /** undefined when nothing in it is subscribed. */
  ticks(entries: readonly TickEntry[], subscription: Subscription, id: string): string | undefined;
  candles(frames: readonly CandleFrame[], shard: number, subscription: Subscription, id: string): string | undefined;
  heartbeat(id: string): string;
  bye(id: string): string;
}

export function createEncoder({ market, clock, feedState }: { market: Market; clock: Clock; feedState: () => FeedState }): Encoder {
  const tickTexts = new WeakMap<TickEntry, string>();

  function tickText(entry: TickEntry): string {
    let text = tickTexts.get(entry);
    if (text === undefined) tickTexts.set(entry, (text = JSON.stringify(viewTick(entry))));
    return text;
  }

  function snapshotData(verdict: Verdict, symbols: readonly unknown[], candles: readonly unknown[], simulated: boolean): string {
    return JSON.stringify({ ...verdict, serverTimeMs: clock.nowMs(), simulated, feed: feedState(), symbols, candles });
  }

  return {
    snapshot(subscription, verdict, id) {
      const symbols = [...subscription.symbols].flatMap((name) => market.symbol(name) ?? []);
      const intervals = SNAPSHOT_INTERVALS.filter((interval) => subscription.intervals.has(interval));
      const candles = symbols.flatMap(({ symbol }) => intervals.flatMap((interval) => market.candle(symbol, interval) ?? []));
      const simulated = symbols.some((symbol) => symbol.simulated);
      return encodeEvent('snapshot', snapshotData(verdict, symbols, candles, simulated), id);
    },
    resumed(missed, id) {
      const verdict: Verdict = missed === 0 ? { verdict: 'exact' } : { verdict: 'replayed', missed };
      return encodeEvent('snapshot', snapshotData(verdict, [], [], feedState().state === 'simulated'), id);
    },
    ticks(entries, subscription, id) {
      const wanted = entries.filter((entry) => subscription.symbols.has(entry.tick.symbol));
      if (wanted.length === 0) return undefined;
      const simulated = wanted.some((entry) => entry.simulated);
      return encodeEvent('ticks', `{"simulated":${simulated},"ticks":[${wanted.map(tickText).join(',')}]}`, id);
    },
    candles(frames, shard, subscription, id) {
      const wanted = frames.flatMap((frame) =>
        frame.candles
          .filter((candle) => subscription.symbols.has(candle.symbol) && subscription.intervals.has(candle.interval))
          .map((candle) => ({ ...candle, shard, commitNo: frame.commitNo, through: formatStreamId(frame.through) })),
      );
      if (wanted.length === 0) return undefined;
      return encodeEvent('candles', JSON.stringify({ simulated: wanted.some((candle) => candle.simulated), candles: wanted }), id);
    },
    heartbeat(id) {
      const feed = feedState();
      return encodeEvent('heartbeat', JSON.stringify({ serverTimeMs: clock.nowMs(), simulated: feed.state === 'simulated', feed }), id);
    },
    bye(id) {
      return encodeEvent('bye', JSON.stringify({ serverTimeMs: clock.nowMs(), reason: 'draining' }), id);
    },
  };
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
