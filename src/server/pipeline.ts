import { type Aggregator, createAggregator } from '../candles/index.ts';
import type { Clock } from '../core/clock.ts';
import { type ErrorCode, TickerError } from '../core/errors.ts';
import type { Random } from '../core/random.ts';
import type { StreamId } from '../core/stream-id.ts';
import type { Feed } from '../feed/index.ts';
import { createElector, createLease, type Elector } from '../lease/index.ts';
import { createHub, createMarket, type Hub, type HubShard, type Market } from '../live/index.ts';
import {
  candleStreamKey,
  leaseKeys,
  type Redis,
  type ShardKeys,
  shardKeys,
  symbolChannelPrefix,
} from '../redis/index.ts';
import type { Store } from '../store/index.ts';
import {
  type CandleFrames,
  createPublisher,
  createTrimmer,
  openCandleFrames,
  type Publisher,
  type Trimmer,
  writeCheckpoint,
} from '../stream/index.ts';
import { FEED, ownerToken, SHARDS } from './identity.ts';
import { type IngestOptions, registerSymbols, runIngest } from './ingest.ts';
import type { Logger } from './log.ts';
import { loadMarket } from './market-loader.ts';
import type { Metrics } from './metrics.ts';
import { runRetention } from './retention.ts';
import type { Settings } from './settings.ts';
import { AGGREGATOR, openShardInput, openShardTail } from './shard-streams.ts';
import { createStages, type Stages } from './stages.ts';
import { readStatus } from './status.ts';
import { createVitals, type Vitals } from './vitals.ts';

/**
 * Read this second: the whole dataflow, wired in one place.
 *
 *   feed ─▶ ingest ─▶ stream ─┬─▶ aggregator ─▶ store ─▶ candle frames ─┐
 *             ▲               └────────────────────────────────────────┴─▶ hub ─▶ readers
 *           lease
 */
export interface Pipeline {
  readonly hub: Hub;
  readonly market: Market;
  readonly shards: number;
  readonly status: () => Promise<object>;
  /** Names of the stages that are not ready. */
  readonly notReady: () => readonly string[];
  /** Brings the gauges up to now, before they are read. */
  readonly refreshGauges: () => void;
  /** Resolves when the feed has ended and everything it brought is committed; rejects when a stage fails for good. */
  readonly ended: Promise<void>;
  start(): void;
  /** Feed first, then the candles of what was read, then the readers. */
  stop(): Promise<void>;
}

export interface PipelineOptions {
  readonly settings: Settings;
  readonly feed: Feed;
  readonly store: Store;
  readonly redis: Redis;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** Entries stay this long for the hub's replays and for optional consumers (D2). */
const KEEP_MS = 120_000;
/** About a kilobyte each in this process; several times the longest replay to a reader (docs/adr/0009). */
const KEEP_ENTRIES_MAX = 20_000;
/** A replay waits long before it (ingest.ts), so only a stuck aggregator meets it. */
const HARD_CAP_ENTRIES = 100_000;
const ELECTION_POLL_MS = 1_000;

export async function createPipeline(options: PipelineOptions): Promise<Pipeline> {
  const { feed, store, clock, log, metrics, settings } = options;
  // Before anything runs: a simulated symbol that has real trades, or the other way round, is refused here (D1).
  await registerSymbols(store, feed, feed.symbols);
  const vitals = createVitals({ source: feed.source, simulated: feed.simulated, clock, log, metrics });
  const shards = await openShards(options);
  const publishers = shards.map(({ publisher }) => publisher);
  const backlogOf = (shard: number): number => lagBetween(publishers[shard]?.position(), vitals.committed.get(shard));
  const backlog = (): number => Math.max(...shards.map(({ shard }) => backlogOf(shard)));
  const stages = createStages({ clock, log, backlog });
  const leader = createLeader(options, { shards, vitals, stages, backlog });
  const market = createMarket();
  await loadMarket(store, market);
  const hub = createLiveHub(options, { shards, vitals, market });
  const startedAtMs = clock.nowMs();
  return {
    hub,
    market,
    shards: shards.length,
    status: () => readStatus({ feed, store, hub, vitals, publishers, startedAtMs, clock, backlog: backlogOf }),
    notReady: () => stages.notReady(),
    refreshGauges: () => vitals.refreshGauges(shards.map(({ shard }) => backlogOf(shard))),
    ended: stages.ended,
    start() {
      for (const shard of shards) {
        const aggregator = createShardAggregator(options, shard, vitals);
        stages.run(`candles ${shard.shard}`, 'candles', (signal) => aggregator.run(signal));
      }
      const housekeeping = { store, shards: shards.length, diskCapBytes: settings.diskCapBytes, clock, log, metrics };
      stages.run('housekeeping', 'candles', (signal) => runRetention(housekeeping, signal));
      stages.run('live', 'readers', (signal) => hub.run(signal));
      leader.start();
    },
    stop: () => stages.stop(() => leader.stop()),
  };
}

/** Everything of one shard: who writes it, who reads it, what trims it. */
interface Shard {
  readonly shard: number;
  readonly keys: ShardKeys;
  readonly publisher: Publisher;
  readonly trimmer: Trimmer;
  readonly frames: CandleFrames;
  readonly tail: HubShard;
}

function openShards({ redis, store, feed, clock }: PipelineOptions): Promise<Shard[]> {
  const connection = redis.connect();
  return Promise.all(
    Array.from({ length: SHARDS }, async (_, shard) => {
      const keys = shardKeys(FEED, shard);
      const framesKey = candleStreamKey(FEED, shard, store.incarnation);
      const { commitNo } = await store.shard(shard);
      return {
        shard,
        keys,
        publisher: createPublisher({
          connection,
          keys,
          simulated: feed.simulated,
          announce: { channelPrefix: symbolChannelPrefix(FEED, shard) },
        }),
        trimmer: createTrimmer({
          connection,
          keys,
          clock,
          required: [AGGREGATOR],
          keepMs: KEEP_MS,
          keepEntriesMax: KEEP_ENTRIES_MAX,
          hardCapEntries: HARD_CAP_ENTRIES,
        }),
        frames: openCandleFrames({ connection, key: framesKey }),
        tail: await openShardTail(redis, keys, framesKey, commitNo),
      };
    }),
  );
}

/** The lease and what its holder does: read the feed and publish (T6, T7). */
function createLeader(
  { redis, store, feed, clock, log }: PipelineOptions,
  {
    shards,
    vitals,
    stages,
    backlog,
  }: { shards: readonly Shard[]; vitals: Vitals; stages: Stages; backlog: () => number },
): Elector {
  const ingest: IngestOptions = {
    feed,
    store,
    publishers: shards.map(({ publisher }) => publisher),
    clock,
    backlog,
    trim: async () => {
      for (const { trimmer } of shards) await trimmer.trim();
    },
    observe: (event) => vitals.onIngest(event),
  };
  return createElector({
    // Nobody else can reach a Redis that lives in this process: an absent lease is nobody's.
    lease: createLease({
      connection: redis.connect(),
      keys: leaseKeys(feed.source),
      clock,
      token: ownerToken(),
      settings: { absentRecord: 'take' },
    }),
    clock,
    pollEveryMs: ELECTION_POLL_MS,
    floor: () => highestEpoch(store, shards),
    async lead(term, signal) {
      vitals.onLeader(term.number);
      const outcome = await runIngest(ingest, {
        term: term.number,
        token: term.token,
        signal,
        isHeld: () => term.isHeld(),
      });
      if (outcome !== 'ended') return;
      stages.feedEnded();
      // Nothing is left to read: keep the lease, so that nobody reads it again.
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    },
    onLost: () => vitals.onLeader(undefined),
    onError(error) {
      if (error instanceof TickerError && FATAL.includes(error.code)) stages.feedFailed(error);
      else log.error({ err: error }, 'the feed stopped; standing again');
    },
  });
}

/** Known here or in the store: a term above it stays above, also when Redis lost its data (D3, FENCE-2). */
async function highestEpoch(store: Store, shards: readonly Shard[]): Promise<number> {
  const committed = await Promise.all(shards.map(({ shard }) => store.shard(shard)));
  const written = shards.map(({ publisher }) => publisher.position());
  return Math.max(0, ...[...committed.map(({ streamId }) => streamId), ...written].map((id) => id?.epoch ?? 0));
}

/** Standing again would meet the same fault. */
const FATAL: readonly ErrorCode[] = ['SOURCE_CONFLICT', 'INPUT_INVALID', 'INPUT_FORMAT'];

function createShardAggregator(
  { redis, store, clock, settings }: PipelineOptions,
  { shard, keys, frames }: Shard,
  vitals: Vitals,
): Aggregator {
  const connection = redis.connect();
  return createAggregator({
    shard,
    ownerToken: ownerToken(),
    store,
    input: openShardInput(redis, keys, ownerToken()),
    announce: async (frame) => {
      await writeCheckpoint(connection, keys, AGGREGATOR, frame.through);
      await frames.append(frame);
    },
    clock,
    flushMs: settings.flushMs,
    observe: (event) => vitals.onAggregator(shard, event),
  });
}

function createLiveHub(
  { store, clock, random, settings }: PipelineOptions,
  { shards, vitals, market }: { shards: readonly Shard[]; vitals: Vitals; market: Market },
): Hub {
  return createHub({
    incarnation: store.incarnation,
    shards: shards.map(({ tail }) => tail),
    market,
    refresh: (present) => loadMarket(store, present),
    clock,
    random,
    connectionsMax: settings.sseConnectionsMax,
    bufferMaxBytes: settings.sseBufferBytes,
    feedState: () => vitals.feedState(),
    observe: (event) => vitals.onHub(event),
  });
}

/** Entries written and not yet in committed candles. */
function lagBetween(written: StreamId | undefined, committed: StreamId | undefined): number {
  if (written === undefined) return 0;
  return committed?.epoch === written.epoch ? Math.max(0, written.seq - committed.seq) : written.seq + 1;
}
