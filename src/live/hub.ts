import type { Clock } from '../core/clock.ts';
import { follow } from '../core/continuity.ts';
import type { Interval } from '../core/interval.ts';
import type { Random } from '../core/random.ts';
import type { StreamEntry } from '../core/stream-entry.ts';
import type { StreamId } from '../core/stream-id.ts';
import { createConnection, type LiveConnection, type LiveSocket, type Subscription } from './connection.ts';
import { formatCursor, type LiveCursor, parseCursor } from './cursor.ts';
import { createEncoder, type Encoder } from './encode.ts';
import type { Market } from './market.ts';
import { replay } from './replay.ts';
import type { FeedState, HubShard, ReadOptions } from './shard.ts';
import { encodePreamble } from './sse.ts';

/**
 * Fans the shard streams out to readers (D7). The streams are the truth: a reader's cursor names a place in them, and a
 * reconnect is either continued exactly or told that it was not (V2, V3).
 */
export interface Hub {
  /** `busy`: too many readers; ask again after `retryMs`. */
  attach(request: AttachRequest): { kind: 'attached'; connection: LiveConnection } | { kind: 'busy'; retryMs: number };
  detach(connection: LiveConnection): void;
  readonly connections: number;
  /** Runs until the signal aborts; then says goodbye to every reader. */
  run(signal: AbortSignal): Promise<void>;
}

export interface AttachRequest {
  readonly socket: LiveSocket;
  readonly symbols: readonly string[];
  readonly intervals: readonly Interval[];
  /** What the reader saw last; undefined on a first visit. */
  readonly cursor: string | undefined;
}

export interface HubOptions {
  readonly incarnation: string;
  readonly shards: readonly HubShard[];
  readonly market: Market;
  /** Reads the store again after symbols were added, or more changed than a frame carries. */
  readonly refresh: (market: Market) => Promise<void>;
  readonly clock: Clock;
  readonly random: Random;
  readonly connectionsMax: number;
  readonly bufferMaxBytes: number;
  readonly feedState: () => FeedState;
  readonly observe: (event: HubEvent) => void;
}

export type HubEvent =
  | { readonly kind: 'delivered'; readonly event: 'ticks' | 'candles' | 'heartbeat'; readonly count: number }
  | { readonly kind: 'reset'; readonly reason: string }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'connections'; readonly count: number };

const HEARTBEAT_MS = 10_000;
const READ: ReadOptions = { count: 1_000, blockMs: 1_000 };
/** Base of the jittered reconnect delay: a restart must not bring everybody back in the same instant (V5). */
const RETRY_MS = 1_000;

export function createHub(options: HubOptions): Hub {
  return new StreamHub(options);
}

interface MutablePosition {
  tick: StreamId;
  commitNo: number;
}

class StreamHub implements Hub {
  readonly #options: HubOptions;
  readonly #encoder: Encoder;
  readonly #connections = new Set<LiveConnection>();
  /** Where everything already fanned out ends, for each shard. */
  readonly #positions: readonly MutablePosition[];

  constructor(options: HubOptions) {
    this.#options = options;
    this.#positions = options.shards.map((shard) => ({ ...shard.start }));
    this.#encoder = createEncoder(options);
  }

  get connections(): number {
    return this.#connections.size;
  }

  attach({ socket, symbols, intervals, cursor }: AttachRequest): ReturnType<Hub['attach']> {
    const { connectionsMax, bufferMaxBytes, observe } = this.#options;
    if (this.#connections.size >= connectionsMax) {
      observe({ kind: 'refused', reason: 'connections' });
      return { kind: 'busy', retryMs: this.#retryMs() * 5 };
    }
    const subscription = subscriptionOf(symbols, intervals);
    const onRecover = (slow: LiveConnection): void => this.#reset(slow, 'slow');
    const connection = createConnection({ socket, subscription, bufferMaxBytes, onRecover });
    this.#connections.add(connection);
    observe({ kind: 'connections', count: this.#connections.size });
    connection.send(encodePreamble(this.#retryMs()));
    void this.#greet(connection, cursor);
    return { kind: 'attached', connection };
  }

  detach(connection: LiveConnection): void {
    if (this.#connections.delete(connection))
      this.#options.observe({ kind: 'connections', count: this.#connections.size });
  }

  async run(signal: AbortSignal): Promise<void> {
    const { shards } = this.#options;
    const loops = shards.flatMap((shard, index) => [
      this.#followTicks(shard, index, signal),
      this.#followFrames(shard, index, signal),
    ]);
    await Promise.all([...loops, this.#beat(signal)]);
    for (const connection of this.#connections) connection.end(this.#encoder.bye(this.#cursorText()));
  }

  /** First words of a connection: exact, replayed, or a snapshot (V2). It was attached first, so nothing is lost. */
  async #greet(connection: LiveConnection, seen: string | undefined): Promise<void> {
    if (seen === undefined) {
      connection.send(this.#encoder.snapshot(connection.subscription, { verdict: 'fresh' }, this.#cursorText()));
      return connection.goLive();
    }
    const now = this.#cursor();
    const outcome = await replay({ shards: this.#options.shards, from: parseCursor(seen), to: now }).catch(
      () => UNAVAILABLE,
    );
    if (outcome.kind === 'reset') this.#reset(connection, outcome.reason);
    else {
      const id = formatCursor(now);
      connection.send(this.#encoder.resumed(connection.subscription, outcome.missed, id));
      for (const [index, { ticks, frames }] of outcome.shards.entries()) {
        connection.send(this.#encoder.ticks(ticks, connection.subscription, id) ?? '');
        connection.send(this.#encoder.candles(frames, index, connection.subscription, id) ?? '');
      }
    }
    connection.goLive();
  }

  async #followTicks(shard: HubShard, index: number, signal: AbortSignal): Promise<void> {
    const { market } = this.#options;
    const position = this.#positions[index] as MutablePosition;
    while (!signal.aborted) {
      const entries = await shard.readTicks(position.tick, READ);
      const last = entries.at(-1);
      if (last === undefined) continue;
      const lost = lossIn(position.tick, entries);
      const ticks = entries.flatMap((entry) => (entry.kind === 'tick' ? [entry] : []));
      await this.#learn(ticks.map((entry) => entry.tick.symbol));
      for (const entry of ticks) market.applyTick(entry.tick);
      position.tick = last.id;
      if (lost !== undefined) this.#resetAll(lost);
      else if (ticks.length > 0)
        this.#fanOut('ticks', (subscription, id) => this.#encoder.ticks(ticks, subscription, id));
    }
  }

  async #followFrames(shard: HubShard, index: number, signal: AbortSignal): Promise<void> {
    const { market, refresh } = this.#options;
    const position = this.#positions[index] as MutablePosition;
    while (!signal.aborted) {
      const frames = await shard.readFrames(position.commitNo, READ);
      const last = frames.at(-1);
      if (last === undefined) continue;
      const refetch = frames.some((frame) => frame.kind === 'refetch');
      if (refetch) await refresh(market);
      await this.#learn(frames.flatMap((frame) => frame.candles.map((candle) => candle.symbol)));
      for (const frame of frames) for (const candle of frame.candles) market.applyCandle(candle);
      position.commitNo = last.commitNo;
      if (refetch) this.#resetAll('refetch');
      else this.#fanOut('candles', (subscription, id) => this.#encoder.candles(frames, index, subscription, id));
    }
  }

  /** A named event with the cursor, so that a quiet reader's place moves on and its watchdog is fed (sse.md 4.2). */
  async #beat(signal: AbortSignal): Promise<void> {
    const { clock, observe } = this.#options;
    for (;;) {
      await clock.sleep(HEARTBEAT_MS, signal);
      if (signal.aborted) return;
      const chunk = this.#encoder.heartbeat(this.#cursorText());
      for (const connection of this.#connections) connection.deliver(chunk);
      observe({ kind: 'delivered', event: 'heartbeat', count: this.#connections.size });
    }
  }

  /** One encoding for all readers of one subscription, and one write for each reader (limits.md section 4). */
  #fanOut(event: 'ticks' | 'candles', encode: (subscription: Subscription, id: string) => string | undefined): void {
    const id = this.#cursorText();
    const chunks = new Map<string, string | undefined>();
    let count = 0;
    for (const connection of this.#connections) {
      const { key } = connection.subscription;
      if (!chunks.has(key)) chunks.set(key, encode(connection.subscription, id));
      const chunk = chunks.get(key);
      if (chunk === undefined) continue;
      connection.deliver(chunk);
      count++;
    }
    if (count > 0) this.#options.observe({ kind: 'delivered', event, count });
  }

  async #learn(symbols: readonly string[]): Promise<void> {
    const { market, refresh } = this.#options;
    if (symbols.some((symbol) => !market.has(symbol))) await refresh(market);
  }

  #reset(connection: LiveConnection, reason: string): void {
    this.#options.observe({ kind: 'reset', reason });
    connection.send(this.#encoder.snapshot(connection.subscription, { verdict: 'reset', reason }, this.#cursorText()));
  }

  /** Through the queue, so that a reader still being replayed to gets it in its place. */
  #resetAll(reason: string): void {
    const id = this.#cursorText();
    for (const connection of this.#connections) {
      this.#options.observe({ kind: 'reset', reason });
      connection.deliver(this.#encoder.snapshot(connection.subscription, { verdict: 'reset', reason }, id));
    }
  }

  #cursor(): LiveCursor {
    return { incarnation: this.#options.incarnation, shards: this.#positions.map((position) => ({ ...position })) };
  }

  #cursorText(): string {
    return formatCursor(this.#cursor());
  }

  #retryMs(): number {
    return RETRY_MS + Math.floor(this.#options.random.next() * 2 * RETRY_MS);
  }
}

const UNAVAILABLE = { kind: 'reset', reason: 'unavailable' } as const;

function subscriptionOf(symbols: readonly string[], intervals: readonly Interval[]): Subscription {
  const names = [...new Set(symbols)].sort();
  const spans = [...new Set(intervals)].sort();
  return { symbols: new Set(names), intervals: new Set(spans), key: `${names.join(',')} ${spans.join(',')}` };
}

/** Why these entries do not continue `after` without a hole; undefined when they do (D2: contiguity proves no loss). */
function lossIn(after: StreamId, entries: readonly StreamEntry[]): string | undefined {
  let previous = after;
  for (const entry of entries) {
    const started = previous.epoch === 0 && previous.seq === 0;
    const verdict = follow(started ? undefined : previous, entry);
    if (verdict === 'emptied') return 'restarted';
    if (verdict === 'unread-tail') return 'hole';
    if (verdict !== 'next') return verdict;
    if (entry.kind === 'gap') return 'gap';
    previous = entry.id;
  }
  return undefined;
}
