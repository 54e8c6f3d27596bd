import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { formatDecimal } from '../../../src/core/decimal.ts';
import { TickerError } from '../../../src/core/errors.ts';
import { seededRandom } from '../../../src/core/random.ts';
import { createSimulatedFeed, type Feed, type SimulationParams, simulatedTick } from '../../../src/feed/index.ts';
import type { LiveSocket } from '../../../src/live/index.ts';
import { createMemoryRedis, type Redis, type RedisConnection, shardKeys } from '../../../src/redis/index.ts';
import { createMetrics, type Metrics } from '../../../src/server/metrics.ts';
import { createPipeline, type Pipeline } from '../../../src/server/pipeline.ts';
import { readSettings } from '../../../src/server/settings.ts';
import { openSqliteStore, type Store } from '../../../src/store/index.ts';
import { type Fence, readFence } from '../../../src/stream/index.ts';
import { createVirtualClock, type VirtualClock } from '../../../src/testkit/virtual-clock.ts';
import { dump, type OracleRow, oracleCandles } from '../../oracle/oracle.ts';
import { storedCandles, tradesFrom } from '../candles/shard-world.ts';
import { tickOf } from '../candles/trades.ts';
import { holdUp } from './ingest-world.ts';
import { listFeed, positionOf } from './list-feed.ts';
import { recordedLog } from './recorded-log.ts';
import { storeWith } from './store-with.ts';

const SYMBOLS = ['ACME', 'BOLT'];
const KEYS = shardKeys('feed', 0);

let folder: string;
let store: Store;
let clock: VirtualClock;
let redis: Redis;
let connection: RedisConnection;
let metrics: Metrics;
let params: SimulationParams;
const pipelines: Pipeline[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ticker-pipeline-'));
  clock = createVirtualClock();
  store = await openSqliteStore({ path: join(folder, 't.db'), mode: 'write', ownerLabel: 'test', clock });
  params = { seed: 3, symbols: SYMBOLS, ticksPerSecond: 50, startMs: clock.nowMs() };
  begin();
});

afterEach(async () => {
  for (const pipeline of pipelines.splice(0)) await stop(pipeline);
  await redis.close();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A process starts: with a Redis of its own, which is empty. */
function begin(): void {
  redis = createMemoryRedis({ clock });
  connection = redis.connect();
  metrics = createMetrics();
}

async function start(feed: Feed, kept = store): Promise<Pipeline> {
  const { log } = recordedLog();
  const settings = readSettings({}, {});
  const pipeline = await createPipeline({
    settings,
    feed,
    store: kept,
    redis,
    clock,
    random: seededRandom(1),
    log,
    metrics,
  });
  pipeline.start();
  pipelines.push(pipeline);
  return pipeline;
}

const simulated = (): Feed => createSimulatedFeed({ ...params, clock });

async function until(condition: () => boolean | Promise<boolean>, what = condition.toString()): Promise<void> {
  for (let turn = 0; turn < 5_000; turn++) {
    if (await condition()) return;
    await clock.advance(20);
    // The store answers from its own thread.
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  throw new Error(`never came true: ${what}`);
}

async function stop(pipeline: Pipeline): Promise<void> {
  let stopped = false;
  void pipeline.stop().then(() => (stopped = true));
  await until(() => stopped, 'the pipeline stops');
}

const fence = (): Promise<Fence | undefined> => readFence(connection, KEYS);
const published = async (): Promise<number> => positionOf((await fence())?.sourceCursor);
/** The candles of the first ticks of the simulation. */
function oracle(count: number): string {
  const rows = Array.from({ length: count }, (_, index): OracleRow => {
    const { symbol, tsUs, seq, id, price, size } = simulatedTick(params, index);
    return { symbol, tsUs: BigInt(tsUs), seq: BigInt(seq), id, price: formatDecimal(price), size: formatDecimal(size) };
  });
  return dump(oracleCandles(rows));
}
const counted = async (name: string): Promise<string[]> =>
  (await metrics.text()).split('\n').filter((line) => line.startsWith(name));

function socket(): LiveSocket & { text: string } {
  return {
    text: '',
    write(chunk) {
      this.text += chunk;
    },
    bufferedBytes: () => 0,
    onceDrained: () => undefined,
    end: () => undefined,
  };
}

describe('pipeline', () => {
  it('T1 T2 T3 a simulated tick goes all the way: stream, candles, readers, and every word of it says simulated', async () => {
    const pipeline = await start(simulated());
    const reader = socket();
    pipeline.hub.attach({ socket: reader, symbols: SYMBOLS, intervals: ['1s'], cursor: undefined });
    await until(
      () => /event: ticks/.test(reader.text) && /event: candles/.test(reader.text),
      'ticks and candles arrive',
    );
    expect(reader.text).not.toContain('"simulated":false');
    expect(pipeline.market.symbols().map(({ symbol, simulated: said }) => [symbol, said])).toEqual([
      ['ACME', true],
      ['BOLT', true],
    ]);
    expect((await store.instruments()).every((instrument) => instrument.simulated)).toBe(true);
    expect(await pipeline.status()).toMatchObject({ leader: true, feed: { simulated: true, state: 'simulated' } });
    expect(pipeline.notReady()).toEqual([]);
  });

  it('D5 O a stop commits all that was published: equal to the oracle', async () => {
    const pipeline = await start(simulated());
    await until(async () => (await published()) > 150);
    await stop(pipeline);
    const { epoch, seq } = (await fence()) ?? { epoch: 0, seq: 0 };
    expect((await store.shard(0)).streamId).toEqual({ epoch, seq });
    expect(await storedCandles(store, SYMBOLS)).toBe(oracle(await published()));
  });

  it('T7 T8 D3 a start on an empty Redis goes on from the store, after a stop and after a crash: no hole, no double', async () => {
    const first = await start(simulated());
    await until(async () => (await published()) > 100);
    await stop(first);
    await redis.close();

    begin();
    await start(simulated());
    await until(async () => (await published()) > 300);
    // The process dies: its Redis is gone, and its clock stands still from here on.
    pipelines.length = 0;
    await redis.close();
    const diedMs = clock.nowMs();
    clock = createVirtualClock(diedMs + 3_000);

    begin();
    const third = await start(simulated());
    await until(async () => (await published()) > 500);
    await stop(third);
    expect(await storedCandles(store, SYMBOLS)).toBe(oracle(await published()));
    expect(await counted('ticker_gaps_total{')).toEqual([]);
  });

  it('D3 D4 T8 Redis is emptied while it runs: the feed resumes where the store is, equal to the oracle', async () => {
    const pipeline = await start(simulated());
    await until(async () => (await published()) > 100);
    await connection.call('FLUSHALL');
    await until(async () => (await published()) > 300);
    await stop(pipeline);
    expect(await storedCandles(store, SYMBOLS)).toBe(oracle(await published()));
    expect(await counted('ticker_gaps_total{')).toEqual([]);
    expect(await counted('ticker_fenced_total{where="publish"')).toEqual(['ticker_fenced_total{where="publish"} 1']);
  });

  it('D3 FENCE-2 an epoch is above every one this process has seen, although Redis and the clock forgot', async () => {
    const stall = holdUp();
    const slow = storeWith(store, {
      async commit(flush) {
        await stall.pass();
        return store.commit(flush);
      },
    });
    await start(simulated(), slow);
    await until(async () => (await store.shard(0)).streamId !== undefined);
    // From here on nothing is committed: the store does not learn of the next epoch.
    stall.arm();
    await until(stall.reached);
    await connection.call('FLUSHALL');
    await until(async () => (await fence()) !== undefined);
    const before = (await fence())?.epoch ?? 0;
    await connection.call('FLUSHALL');
    clock.jumpWall(-3_600_000);
    await until(async () => (await fence()) !== undefined);
    expect((await fence())?.epoch).toBeGreaterThan(before);
    expect((await store.shard(0)).streamId?.epoch).toBeLessThan(before);
    stall.release();
  });

  it('D5 ended resolves when the last tick is in committed candles, and these are closed', async () => {
    const trades = tradesFrom(0, 500, { symbol: 'IBM' });
    const pipeline = await start(listFeed({ ticks: trades.map(tickOf), ends: true }));
    let ended = false;
    void pipeline.ended.then(() => (ended = true));
    await until(() => ended, 'ended');
    const { epoch, seq } = (await fence()) ?? { epoch: 0, seq: 0 };
    expect((await store.shard(0)).streamId).toEqual({ epoch, seq });
    expect(await storedCandles(store, ['IBM'])).toBe(dump(oracleCandles(trades)));
    const [instrument] = await store.instruments();
    expect(instrument?.closedThroughUs).toBeGreaterThan(Number(trades.at(-1)?.tsUs));
  });

  it('O a feed that can never go on rejects ended with its fault', async () => {
    const broken = listFeed({
      ticks: tradesFrom(0, 50).map(tickOf),
      before(position) {
        if (position === 20) throw new TickerError('INPUT_INVALID', 'line 21');
      },
    });
    const pipeline = await start(broken);
    let fault: unknown;
    pipeline.ended.catch((error: unknown) => (fault = error));
    await until(() => fault !== undefined, 'ended rejects');
    expect(fault).toMatchObject({ code: 'INPUT_INVALID', message: 'line 21' });
  });

  it('T6 O a feed that fails for a while is opened again where it was', async () => {
    let failures = 0;
    const trades = tradesFrom(0, 50);
    const feed = listFeed({
      ticks: trades.map(tickOf),
      ends: true,
      before(position) {
        if (position === 20 && ++failures === 1) throw new Error('connection reset');
      },
    });
    const pipeline = await start(feed);
    let ended = false;
    void pipeline.ended.then(() => (ended = true));
    await until(() => ended, 'ended');
    expect(feed.opened.map(positionOf)).toEqual([0, 20]);
    expect(await storedCandles(store, ['A'])).toBe(dump(oracleCandles(trades)));
  });

  it('T1 D1 a simulated symbol that has real trades is refused before anything runs', async () => {
    await store.register([{ symbol: 'ACME', source: 'files', simulated: false }]);
    await expect(start(simulated())).rejects.toMatchObject({ code: 'SOURCE_CONFLICT', details: { symbol: 'ACME' } });
    expect(await connection.call('EXISTS', KEYS.ticks)).toBe(0);
  });
});
