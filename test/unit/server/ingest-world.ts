import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Feed } from '../../../src/feed/index.ts';
import { createElector, createLease, type Elector } from '../../../src/lease/index.ts';
import {
  createMemoryRedis,
  leaseKeys,
  type Redis,
  type RedisConnection,
  type ShardKeys,
  shardKeys,
} from '../../../src/redis/index.ts';
import { type IngestEvent, type IngestOptions, type IngestOutcome, runIngest } from '../../../src/server/ingest.ts';
import { openSqliteStore, type Store } from '../../../src/store/index.ts';
import { createCursorReader, createPublisher, type Publisher, type StreamEntry } from '../../../src/stream/index.ts';
import { createVirtualClock, type VirtualClock } from '../../../src/testkit/virtual-clock.ts';

/** One Redis and one store, and processes that read a feed into it: each with a clock of its own that can stand still. */
export interface IngestWorld {
  readonly server: VirtualClock;
  readonly redis: Redis;
  readonly connection: RedisConnection;
  readonly keys: ShardKeys;
  readonly store: Store;
  process(name: string, feed: (clock: VirtualClock) => Feed, options?: ProcessOptions): IngestProcess;
  /** Lets time pass, for everybody who is not paused. */
  advance(deltaMs: number): Promise<void>;
  until(condition: () => boolean | Promise<boolean>, what?: string): Promise<void>;
  entries(): Promise<StreamEntry[]>;
  close(): Promise<void>;
}

export interface ProcessOptions {
  /** Wraps the connection of the publisher. */
  readonly wrap?: (connection: RedisConnection) => RedisConnection;
  readonly backlog?: () => number;
  readonly isHeld?: () => boolean;
}

export interface IngestProcess {
  readonly name: string;
  readonly clock: VirtualClock;
  readonly feed: Feed;
  readonly publisher: Publisher;
  readonly events: IngestEvent[];
  readonly outcomes: IngestOutcome[];
  readonly errors: unknown[];
  /** Campaigns for the lease and ingests while it leads, as pipeline.ts does. */
  readonly elector: Elector;
  /** One stay without a lease. */
  ingest(term: number, signal?: AbortSignal): Promise<IngestOutcome>;
  /** The process stops in its tracks; time goes on without it. */
  pause(): void;
  /** It wakes, and both its clocks have moved on. */
  wake(): void;
}

const STEP_MS = 50;
const DEADLINE_TURNS = 5_000;
export const POLL_MS = 1_000;

export async function openIngestWorld(): Promise<IngestWorld> {
  const folder = mkdtempSync(join(tmpdir(), 'ticker-ingest-'));
  const server = createVirtualClock();
  const redis = createMemoryRedis({ clock: server });
  const opened = await openSqliteStore({
    path: join(folder, 't.db'),
    mode: 'write',
    ownerLabel: 'test',
    clock: server,
  });
  const { store, isIdle } = watched(opened);
  const connection = redis.connect();
  const keys = shardKeys('feed', 0);
  const running = new Set<VirtualClock>([server]);

  async function turn(): Promise<void> {
    for (const clock of running) await clock.advance(STEP_MS);
    // The store answers from its own thread, in real time: virtual time waits for it, or leases would run out meanwhile.
    do await new Promise<void>((resolve) => setImmediate(resolve));
    while (!isIdle());
  }

  return {
    server,
    redis,
    connection,
    keys,
    store,
    process(name, feed, options = {}) {
      const clock = createVirtualClock(server.nowMs());
      running.add(clock);
      const wake = (): void => {
        clock.stall(server.nowMs() - clock.nowMs());
        running.add(clock);
      };
      const parts = openProcess({ redis, keys, store, clock }, name, feed(clock), options);
      return { ...parts, clock, pause: () => void running.delete(clock), wake };
    },
    async advance(deltaMs) {
      for (let passedMs = 0; passedMs < deltaMs; passedMs += STEP_MS) await turn();
    },
    async until(condition, what = condition.toString()) {
      for (let turns = 0; turns < DEADLINE_TURNS; turns++) {
        if (await condition()) return;
        await turn();
      }
      throw new Error(`never came true: ${what}`);
    },
    entries: () => createCursorReader({ connection, key: keys.ticks }).range({ epoch: 0, seq: 0 }, END, 5_000),
    async close() {
      await redis.close();
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A store that tells whether a call is under way. */
function watched(store: Store): { readonly store: Store; readonly isIdle: () => boolean } {
  let underWay = 0;
  const call = async (method: (...args: unknown[]) => Promise<unknown>, args: unknown[]): Promise<unknown> => {
    underWay++;
    try {
      return await method(...args);
    } finally {
      underWay--;
    }
  };
  const proxy = new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => call(value.bind(target) as (...args: unknown[]) => Promise<unknown>, args);
    },
  });
  return { store: proxy, isIdle: () => underWay === 0 };
}

const END = { epoch: Number.MAX_SAFE_INTEGER, seq: 0 };

function openProcess(
  { redis, keys, store, clock }: Pick<IngestWorld, 'redis' | 'keys' | 'store'> & { clock: VirtualClock },
  name: string,
  feed: Feed,
  { wrap = (connection) => connection, backlog = () => 0, isHeld = () => true }: ProcessOptions,
): Omit<IngestProcess, 'clock' | 'pause' | 'wake'> {
  const [events, outcomes, errors]: [IngestEvent[], IngestOutcome[], unknown[]] = [[], [], []];
  const publisher = createPublisher({ connection: wrap(redis.connect()), keys, simulated: feed.simulated });
  const options: IngestOptions = {
    feed,
    store,
    publishers: [publisher],
    clock,
    backlog,
    trim: async () => undefined,
    observe: (event) => events.push(event),
  };
  const elector = createElector({
    lease: createLease({ connection: redis.connect(), keys: leaseKeys(feed.source), clock, token: name }),
    clock,
    pollEveryMs: POLL_MS,
    floor: () => 0,
    async lead(term, signal) {
      const { number, token } = term;
      outcomes.push(await runIngest(options, { term: number, token, signal, isHeld: () => term.isHeld() }));
    },
    onError: (error) => errors.push(error),
  });
  const ingest = (term: number, signal = new AbortController().signal): Promise<IngestOutcome> =>
    runIngest(options, { term, token: name, signal, isHeld });
  return { name, feed, publisher, events, outcomes, errors, elector, ingest };
}

/** A place where one call can be held up, as if the process had stopped there. */
export function holdUp(): {
  readonly reached: () => boolean;
  arm(): void;
  release(): void;
  pass(): Promise<void>;
} {
  let armed = false;
  let arrived = false;
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  return {
    reached: () => arrived,
    arm() {
      armed = true;
    },
    release: () => release(),
    async pass() {
      if (!armed) return;
      armed = false;
      arrived = true;
      await released;
    },
  };
}
