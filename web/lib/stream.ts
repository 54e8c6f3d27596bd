import type { Clock } from '../../src/core/clock.ts';
import type { Random } from '../../src/core/random.ts';
import type { FeedHealth, StreamEvent, StreamEvents } from './api.ts';
import { type Connection, type ConnectionEvent, newConnection, stepConnection } from './connection.ts';

/** The part of EventSource that is used here; tests pass their own. */
export interface EventSourceLike {
  readonly readyState: number;
  close(): void;
  addEventListener(type: string, listener: (event: { data?: unknown; lastEventId?: string }) => void): void;
}

export interface StreamOptions {
  readonly symbols: readonly string[];
  readonly interval: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly connect: (url: string) => EventSourceLike;
  readonly onEvent: (event: StreamEvent) => void;
  /** Called when phase or feed changed, not on every event. */
  readonly onConnection: (connection: Connection) => void;
}

export interface LiveStream {
  /** The page is visible again: look whether the stream survived. */
  wake(): void;
  /** The page goes away, perhaps into the back-forward cache; `wake` opens again. */
  leave(): void;
  stop(): void;
}

/**
 * Keeps one EventSource at work: the native object reconnects by itself after most failures, but dies for good on an
 * error status and says nothing when a sleeping machine lost the connection. The watchdog covers both.
 */
export function startStream(options: StreamOptions): LiveStream {
  const { clock } = options;
  let connection = newConnection(clock.nowMs());
  let source: EventSourceLike | undefined;
  let cancelTimer = (): void => {};

  const apply = (event: ConnectionEvent): void => {
    const before = connection;
    connection = stepConnection(before, event);
    if (connection.phase !== before.phase || connection.feed !== before.feed) options.onConnection(connection);
  };
  const openIfDue = (): void => {
    const nowMs = clock.nowMs();
    if (connection.reopenAtMs === null || connection.reopenAtMs > nowMs) return;
    source?.close();
    const opened = options.connect(streamUrl(options, connection.cursor));
    source = opened;
    // A source that was replaced may still have events under way.
    listen(opened, options, (event) => (opened === source ? apply(event) : undefined));
    apply({ kind: 'opened', nowMs });
  };
  const watch = (): void => {
    apply({ kind: 'checked', nowMs: clock.nowMs() });
    openIfDue();
    cancelTimer = clock.setTimer(WATCHDOG_MS, watch);
  };
  const close = (): void => {
    source?.close();
    source = undefined;
  };

  options.onConnection(connection);
  watch();
  return {
    wake: () => {
      apply({ kind: 'woken', nowMs: clock.nowMs() });
      openIfDue();
    },
    leave: () => {
      close();
      apply({ kind: 'left' });
    },
    stop: () => {
      cancelTimer();
      close();
    },
  };
}

/** Turns what the source says into connection events, and hands its messages on. */
function listen(source: EventSourceLike, options: StreamOptions, apply: (event: ConnectionEvent) => void): void {
  const { clock, random } = options;
  for (const name of EVENT_NAMES) {
    source.addEventListener(name, (message) => {
      const event = readEvent(name, message.data);
      if (event === undefined) return;
      apply({ kind: 'heard', nowMs: clock.nowMs(), cursor: message.lastEventId ?? '', ...feedOf(event) });
      options.onEvent(event);
    });
  }
  source.addEventListener('error', () => {
    const dead = source.readyState === CLOSED;
    apply({ kind: 'interrupted', nowMs: clock.nowMs(), dead, jitter: random.next() });
  });
}

function feedOf(event: StreamEvent): { feed: FeedHealth } | undefined {
  const feed = event.name === 'heartbeat' || event.name === 'snapshot' ? event.data.feed : undefined;
  return feed === undefined ? undefined : { feed };
}

const WATCHDOG_MS = 1_000;
/** EventSource.CLOSED, which does not exist outside browsers. */
const CLOSED = 2;
const EVENT_NAMES: readonly (keyof StreamEvents)[] = ['snapshot', 'ticks', 'candles', 'heartbeat', 'bye'];

function streamUrl({ symbols, interval }: StreamOptions, cursor: string): string {
  const query = new URLSearchParams({ symbols: symbols.join(','), candles: interval });
  if (cursor !== '') query.set('cursor', cursor);
  return `/api/stream?${query}`;
}

/** Our own server wrote it, so its shape is trusted; a truncated body is not, and costs one event. */
function readEvent(name: keyof StreamEvents, data: unknown): StreamEvent | undefined {
  if (typeof data !== 'string') return undefined;
  try {
    return { name, data: JSON.parse(data) };
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined;
    throw cause;
  }
}
