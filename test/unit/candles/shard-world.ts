import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AggregatorEvent, createAggregator } from '../../../src/candles/index.ts';
import { viewCandle } from '../../../src/core/candle.ts';
import { INTERVALS } from '../../../src/core/interval.ts';
import type { StreamId } from '../../../src/core/stream-id.ts';
import {
  candleStreamKey,
  createMemoryRedis,
  type Redis,
  type RedisConnection,
  RedisReplyError,
  type ShardKeys,
  shardKeys,
} from '../../../src/redis/index.ts';
import { AGGREGATOR, openShardInput } from '../../../src/server/shard-streams.ts';
import { openSqliteStore, type Store } from '../../../src/store/index.ts';
import {
  type CandleFrames,
  createPublisher,
  openCandleFrames,
  type PublishEntry,
  type Publisher,
  pendingSummary,
} from '../../../src/stream/index.ts';
import { createVirtualClock, type VirtualClock } from '../../../src/testkit/virtual-clock.ts';
import { dump, type OracleCandle } from '../../oracle/oracle.ts';
import { storeWith } from '../server/store-with.ts';
import { type Trade, tickOf } from './trades.ts';

export const SOURCE = 'test';

/** One shard with everything real around the aggregator: an in-memory Redis, a SQLite store, a publisher. */
export interface ShardWorld {
  readonly clock: VirtualClock;
  readonly redis: Redis;
  readonly connection: RedisConnection;
  readonly keys: ShardKeys;
  readonly store: Store;
  readonly frames: CandleFrames;
  readonly framesKey: string;
  publisher(): Publisher;
  /** Opens the next epoch with a new publisher. */
  lead(term: number): Promise<Publisher>;
  /** Runs an aggregator under a name of its own. */
  aggregate(name: string, faults?: Faults): Running;
  /** Lets time pass until it holds. */
  until(condition: () => boolean | Promise<boolean>, what?: string): Promise<void>;
  committedThrough(id: StreamId): Promise<void>;
  /** Entries handed out and not acknowledged; undefined while there is no group. */
  pending(): Promise<number | undefined>;
  /** What is stored of these symbols, as the oracle writes it. */
  stored(symbols: readonly string[]): Promise<string>;
  close(): Promise<void>;
}

/** Where a test reaches into an aggregator. */
export interface Faults {
  readonly commit?: (commit: Store['commit'], flush: Parameters<Store['commit']>[0]) => ReturnType<Store['commit']>;
  readonly ack?: (ack: () => Promise<number>) => Promise<number>;
  readonly onFrame?: (commitNo: number) => Promise<void> | void;
}

export interface Running {
  readonly events: AggregatorEvent[];
  /** How it ended; rejects when it failed. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

const FLUSH_MS = 20;
const DEADLINE_TURNS = 20_000;

export async function openShardWorld(options: { simulated?: boolean } = {}): Promise<ShardWorld> {
  const folder = mkdtempSync(join(tmpdir(), 'ticker-shard-'));
  const clock = createVirtualClock();
  const redis = createMemoryRedis({ clock });
  const store = await openSqliteStore({ path: join(folder, 't.db'), mode: 'write', ownerLabel: 'test', clock });
  const connection = redis.connect();
  const keys = shardKeys('feed', 0);
  const framesKey = candleStreamKey('feed', 0, store.incarnation);
  const frames = openCandleFrames({ connection: redis.connect(), key: framesKey });
  let current: Publisher | undefined;

  async function until(condition: () => boolean | Promise<boolean>, what = condition.toString()): Promise<void> {
    for (let turn = 0; turn < DEADLINE_TURNS; turn++) {
      if (await condition()) return;
      await clock.advance(10);
      // The store answers from its own thread.
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
    throw new Error(`never came true: ${what}`);
  }

  return {
    clock,
    redis,
    connection,
    keys,
    store,
    frames,
    framesKey,
    until,
    publisher: () => current as Publisher,
    async lead(term) {
      const publisher = createPublisher({ connection, keys, simulated: options.simulated ?? false });
      const outcome = await publisher.install({ term, token: `leader-${term}` });
      if (outcome.kind !== 'installed') throw new Error('refused');
      return (current = publisher);
    },
    aggregate: (name, faults = {}) => aggregate({ clock, redis, keys, store, frames, until }, name, faults),
    committedThrough: (id) =>
      until(async () => {
        const { streamId } = await store.shard(0);
        return streamId?.epoch === id.epoch && streamId.seq === id.seq;
      }, `committed through ${id.epoch}-${id.seq}`),
    pending: () =>
      pendingSummary(connection, keys.ticks, AGGREGATOR).then(
        ({ count }) => count,
        (error: unknown) => {
          if (error instanceof RedisReplyError && error.kind === 'NOGROUP') return undefined;
          throw error;
        },
      ),
    stored: (symbols) => storedCandles(store, symbols),
    async close() {
      await redis.close();
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function aggregate(
  {
    clock,
    redis,
    keys,
    store,
    frames,
    until,
  }: Pick<ShardWorld, 'clock' | 'redis' | 'keys' | 'store' | 'frames' | 'until'>,
  name: string,
  faults: Faults,
): Running {
  const events: AggregatorEvent[] = [];
  const abort = new AbortController();
  const input = openShardInput(redis, keys, name);
  const aggregator = createAggregator({
    shard: 0,
    ownerToken: name,
    store: storeWith(store, {
      commit: (flush) => (faults.commit ? faults.commit((one) => store.commit(one), flush) : store.commit(flush)),
    }),
    input: {
      ...input,
      ack: (ids) => (faults.ack && ids.length > 0 ? faults.ack(() => input.ack(ids)) : input.ack(ids)),
    },
    async announce(frame) {
      await faults.onFrame?.(frame.commitNo);
      await frames.append(frame);
    },
    clock,
    flushMs: FLUSH_MS,
    observe: (event) => events.push(event),
  });
  let over = false;
  const ended = aggregator.run(abort.signal).finally(() => {
    over = true;
  });
  // A test that expects a failure awaits it; one that does not hears of it at the stop.
  ended.catch(() => undefined);
  return {
    events,
    ended,
    async stop() {
      abort.abort();
      await until(() => over, `${name} stops`);
      await ended;
    },
  };
}

export async function storedCandles(store: Store, symbols: readonly string[]): Promise<string> {
  const known = new Map((await store.instruments()).map((instrument) => [instrument.symbol, instrument]));
  const candles: OracleCandle[] = [];
  for (const symbol of symbols) {
    const instrumentId = known.get(symbol)?.instrumentId;
    if (instrumentId === undefined) continue;
    for (const interval of INTERVALS) {
      const { rows } = await store.readCandles({ instrumentId, shard: 0, interval, limit: 50_000 });
      candles.push(...rows.map((row) => viewCandle(row, { symbol, simulated: false, state: 'closed' })));
    }
  }
  return dump(candles);
}

export async function register(store: Store, symbols: readonly string[], simulated = false): Promise<void> {
  const outcome = await store.register(symbols.map((symbol) => ({ symbol, source: SOURCE, simulated })));
  if (!outcome.ok) throw new Error('conflict');
}

export function ticks(trades: readonly Trade[]): PublishEntry[] {
  return trades.map((trade) => ({ kind: 'tick', tick: tickOf(trade) }));
}

export const watermark = (watermarkUs: number, source = SOURCE): PublishEntry => ({
  kind: 'watermark',
  watermarkUs,
  source,
});

/** Publishes, and fails the test when the stream does not take it. Answers the id of the last entry. */
export async function publish(publisher: Publisher, entries: readonly PublishEntry[], position = 0): Promise<StreamId> {
  const outcome = await publisher.publish(entries, JSON.stringify({ sourceId: SOURCE, position }));
  if (outcome.kind !== 'published') throw new Error(`not published: ${outcome.kind}`);
  return outcome.last;
}

/** A trade one hundred milliseconds after the one before it. */
export function tradeAt(index: number, fields: Partial<Trade> = {}): Trade {
  return {
    symbol: 'A',
    tsUs: 1_700_000_000_000_000n + BigInt(index) * 100_000n,
    seq: BigInt(index),
    id: String(index),
    price: `${100 + (index % 7)}.${index % 10}`,
    size: String(1 + (index % 5)),
    ...fields,
  };
}

export function tradesFrom(from: number, count: number, fields: Partial<Trade> = {}): Trade[] {
  return Array.from({ length: count }, (_, offset) => tradeAt(from + offset, fields));
}
