import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AggregatorEvent } from '../../../src/candles/index.ts';
import { type IngestOutcome, runIngest } from '../../../src/server/ingest.ts';
import { encodeTick, readFence } from '../../../src/stream/index.ts';
import { dump, oracleCandles } from '../../oracle/oracle.ts';
import { listFeed, positionOf } from '../server/list-feed.ts';
import {
  openShardWorld,
  publish,
  type Running,
  register,
  type ShardWorld,
  SOURCE,
  ticks,
  tradeAt,
  tradesFrom,
  watermark,
} from './shard-world.ts';
import { tickOf } from './trades.ts';

let world: ShardWorld;

beforeEach(async () => {
  world = await openShardWorld();
  await register(world.store, ['A', 'B']);
});

afterEach(() => world.close());

const oracle = (trades: Parameters<typeof oracleCandles>[0]): string => dump(oracleCandles(trades));
const ofKind = <Kind extends AggregatorEvent['kind']>(running: Running, kind: Kind) =>
  running.events.filter((event): event is Extract<AggregatorEvent, { kind: Kind }> => event.kind === kind);

/** Writes what no publisher of ours would, under the next id of the epoch, and moves the fence along. */
async function append(epoch: number, ...entries: readonly (readonly string[])[]): Promise<void> {
  for (const fields of entries) {
    const seq = Number(await world.connection.call('HINCRBY', world.keys.fence, 'seq', 1));
    await world.connection.call('XADD', world.keys.ticks, `${epoch}-${seq}`, ...fields);
  }
}

describe('a stream that lost entries', () => {
  it('D4 F8 entries trimmed before they were read are a gap, and the rest is applied', async () => {
    const publisher = await world.lead(5);
    const first = world.aggregate('first');
    await world.committedThrough(await publish(publisher, ticks(tradesFrom(0, 10))));
    await first.stop();
    await publish(publisher, ticks(tradesFrom(10, 10)));
    const last = await publish(publisher, ticks(tradesFrom(20, 10)));
    await world.connection.call('XTRIM', world.keys.ticks, 'MINID', '5-21');

    const second = world.aggregate('second');
    await world.committedThrough(last);
    await world.until(async () => (await world.pending()) === 0);
    await second.stop();
    expect(ofKind(second, 'gap')).toEqual([{ kind: 'gap', reason: 'trimmed-unread' }]);
    expect(await world.stored(['A'])).toBe(oracle([...tradesFrom(0, 10), ...tradesFrom(20, 10)]));
  });

  it('D4 F8 entries trimmed while they were pending are a gap too, and leave the pending list', async () => {
    const publisher = await world.lead(5);
    await publish(publisher, ticks(tradesFrom(0, 10)));
    const { ticks: key } = world.keys;
    await world.connection.call('XGROUP', 'CREATE', key, 'candles', '0-0');
    await world.connection.call('XREADGROUP', 'GROUP', 'candles', 'dead', 'COUNT', 5, 'STREAMS', key, '>');
    const first = world.aggregate('first');
    await world.committedThrough({ epoch: 5, seq: 10 });
    await first.stop();
    await publish(publisher, ticks(tradesFrom(10, 10)));
    await world.connection.call('XREADGROUP', 'GROUP', 'candles', 'dead', 'COUNT', 5, 'STREAMS', key, '>');
    await world.connection.call('XTRIM', key, 'MINID', '5-14');

    const second = world.aggregate('second');
    await world.committedThrough({ epoch: 5, seq: 20 });
    await world.until(async () => (await world.pending()) === 0);
    await second.stop();
    expect(ofKind(second, 'gap')).toEqual([{ kind: 'gap', reason: 'trimmed-unread' }]);
    expect(await world.stored(['A'])).toBe(oracle([...tradesFrom(0, 10), ...tradesFrom(13, 7)]));
  });

  it('D4 STREAM-10 a hole that can be read by range is no gap', async () => {
    const publisher = await world.lead(5);
    const running = world.aggregate('one');
    await world.committedThrough(await publish(publisher, ticks(tradesFrom(0, 10))));
    await running.stop();
    await publish(publisher, ticks(tradesFrom(10, 20)));
    // The group is moved past entries that nobody has read.
    await world.connection.call('XGROUP', 'SETID', world.keys.ticks, 'candles', '5-25');
    const again = world.aggregate('one');
    const last = await publish(publisher, ticks(tradesFrom(30, 5)));
    await world.committedThrough(last);
    await again.stop();
    expect(ofKind(again, 'gap')).toEqual([]);
    expect(await world.stored(['A'])).toBe(oracle(tradesFrom(0, 35)));
  });

  it('D4 T9 a failover that lost entries already applied: the tail comes again and counts once', async () => {
    const publisher = await world.lead(5);
    const running = world.aggregate('one');
    await world.committedThrough(await publish(publisher, ticks(tradesFrom(0, 30))));
    // The replica that took over never had the last ten.
    await world.connection.call('HSET', world.keys.fence, 'seq', 20);
    for (let seq = 21; seq <= 30; seq++) await world.connection.call('XDEL', world.keys.ticks, `5-${seq}`);
    const next = await world.lead(6);
    expect((await readFence(world.connection, world.keys))?.prev).toEqual({ epoch: 5, seq: 20 });
    const last = await publish(next, ticks(tradesFrom(20, 20)));
    await world.committedThrough(last);
    await running.stop();
    expect(ofKind(running, 'gap')).toEqual([]);
    expect(await world.stored(['A'])).toBe(oracle(tradesFrom(0, 40)));
  });

  it('D4 an unread tail of the epoch before is read first', async () => {
    const publisher = await world.lead(5);
    const first = world.aggregate('first');
    await world.committedThrough(await publish(publisher, ticks(tradesFrom(0, 10))));
    await first.stop();
    await publish(publisher, ticks(tradesFrom(10, 10)));
    const last = await publish(await world.lead(6), ticks(tradesFrom(20, 10)));
    await world.connection.call('XGROUP', 'SETID', world.keys.ticks, 'candles', '5-20');
    const second = world.aggregate('second');
    await world.committedThrough(last);
    await second.stop();
    expect(ofKind(second, 'gap')).toEqual([]);
    expect(await world.stored(['A'])).toBe(oracle(tradesFrom(0, 30)));
  });
});

describe('a Redis that lost its data', () => {
  /** Leads once, over these trades, until the stay is over. */
  function ingest(term: number, feed: ReturnType<typeof listFeed>): Promise<IngestOutcome> {
    return runIngest(
      {
        feed,
        store: world.store,
        publishers: [world.publisher()],
        clock: world.clock,
        backlog: () => 0,
        trim: async () => undefined,
        observe: () => undefined,
      },
      { term, token: `leader-${term}`, signal: new AbortController().signal, isHeld: () => true },
    );
  }

  it('D3 D4 T8 the feed resumes at the cursor of the shard row: equal to the oracle, and no gap', async () => {
    const trades = tradesFrom(0, 200);
    let flushed = false;
    const feed = listFeed({
      ticks: trades.map(tickOf),
      ends: true,
      async before(position) {
        // A second of time for each batch, so that each carries a watermark with the cursor.
        world.clock.stall(1_000);
        if (position !== 120 || flushed) return;
        flushed = true;
        await world.committedThrough(world.publisher().position() ?? { epoch: 0, seq: 0 });
        await world.connection.call('FLUSHALL');
      },
    });
    await world.lead(5);
    const running = world.aggregate('one');
    let outcome: IngestOutcome | undefined;
    void ingest(6, feed).then((ended) => (outcome = ended));
    await world.until(() => outcome !== undefined);
    expect(outcome).toBe('lost');
    outcome = undefined;
    void ingest(7, feed).then((ended) => (outcome = ended));
    await world.until(() => outcome !== undefined);
    expect(outcome).toBe('ended');
    expect(feed.opened.map(positionOf)).toEqual([0, 120]);
    await world.committedThrough(world.publisher().position() ?? { epoch: 0, seq: 0 });
    await world.until(async () => (await world.pending()) === 0);
    await running.stop();
    expect(ofKind(running, 'gap')).toEqual([]);
    expect(await world.stored(['A'])).toBe(oracle(trades));
  });

  it('D3 T8 what was committed after the cursor comes again and counts once', async () => {
    const publisher = await world.lead(5);
    const running = world.aggregate('one');
    await publish(publisher, [...ticks(tradesFrom(0, 10)), watermark(1)], 10);
    await world.committedThrough(await publish(publisher, ticks(tradesFrom(10, 10)), 20));
    await world.connection.call('FLUSHALL');
    const next = await world.lead(6);
    expect(positionOf((await world.store.shard(0)).sourceCursor)).toBe(10);
    await world.committedThrough(await publish(next, ticks(tradesFrom(10, 20)), 30));
    await running.stop();
    expect(ofKind(running, 'gap')).toEqual([]);
    expect(await world.stored(['A'])).toBe(oracle(tradesFrom(0, 30)));
  });

  it('D4 without a durable source cursor the loss is declared', async () => {
    const publisher = await world.lead(5);
    const running = world.aggregate('one');
    await world.committedThrough(await publish(publisher, ticks(tradesFrom(0, 10))));
    await world.connection.call('FLUSHALL');
    const next = await world.lead(6);
    await world.committedThrough(await publish(next, ticks(tradesFrom(10, 10))));
    await running.stop();
    expect(ofKind(running, 'gap')).toEqual([{ kind: 'gap', reason: 'stream-emptied' }]);
  });

  it('STREAM-9 a group that vanished is made again, and nothing is lost', async () => {
    const publisher = await world.lead(5);
    const running = world.aggregate('one');
    await world.committedThrough(await publish(publisher, ticks(tradesFrom(0, 10))));
    await world.connection.call('XGROUP', 'DESTROY', world.keys.ticks, 'candles');
    const last = await publish(publisher, ticks(tradesFrom(10, 10)));
    await world.committedThrough(last);
    await world.until(async () => (await world.pending()) === 0);
    await running.stop();
    expect(ofKind(running, 'gap')).toEqual([]);
    expect(await world.stored(['A'])).toBe(oracle(tradesFrom(0, 20)));
  });
});

describe('entries that do not belong', () => {
  it('F4 D4 an entry of an epoch that no barrier opened is malformed, told once, and stops nothing', async () => {
    const publisher = await world.lead(5);
    const running = world.aggregate('one');
    await world.committedThrough(await publish(publisher, ticks(tradesFrom(0, 10))));
    await world.connection.call('XADD', world.keys.ticks, '9-3', ...encodeTick(tickOf(tradeAt(50)), false));
    await world.until(() => ofKind(running, 'malformed').length > 0);
    // Long enough for several empty reads.
    await world.clock.advance(3_000);
    await world.until(async () => (await world.pending()) === 0);
    expect(ofKind(running, 'malformed')).toEqual([
      { kind: 'malformed', id: { epoch: 9, seq: 3 }, reason: 'belongs to an epoch that no barrier opened' },
    ]);
    const last = await publish(await world.lead(10), ticks(tradesFrom(10, 10)));
    await world.committedThrough(last);
    await running.stop();
    expect(await world.stored(['A'])).toBe(oracle(tradesFrom(0, 20)));
  });

  it('D4 a takeover that finds nothing but foreign entries comes to an end', async () => {
    const publisher = await world.lead(5);
    const first = world.aggregate('first');
    await world.committedThrough(await publish(publisher, ticks(tradesFrom(0, 10))));
    await first.stop();
    await append(5, ['k', 'b', 'prev', 'none', 'term', '5']);
    await append(5, encodeTick(tickOf(tradeAt(10)), false));
    await world.connection.call('XADD', world.keys.ticks, '9-1', ...encodeTick(tickOf(tradeAt(50)), false));
    await world.connection.call('XADD', world.keys.ticks, '9-2', 'k', 't');
    const { ticks: key } = world.keys;
    await world.connection.call('XREADGROUP', 'GROUP', 'candles', 'dead', 'COUNT', 5, 'STREAMS', key, '>');

    const second = world.aggregate('second');
    await world.committedThrough({ epoch: 5, seq: 12 });
    await world.until(async () => (await world.pending()) === 0);
    await second.stop();
    expect(await world.stored(['A'])).toBe(oracle(tradesFrom(0, 11)));
    const foreign = ofKind(second, 'malformed').filter(({ id }) => id.epoch === 9);
    expect(foreign.map(({ id }) => id.seq)).toEqual([1, 2]);
  });

  it('F4 malformed entries are told with their ids and reasons, and acknowledged', async () => {
    const publisher = await world.lead(5);
    const running = world.aggregate('one');
    await publish(publisher, ticks(tradesFrom(0, 3)));
    const [k, t, ...fields] = encodeTick(tickOf(tradeAt(3)), false);
    const noPrice = fields.map((value) => (value === 'p' ? 'x' : value));
    await append(5, [k as string, t as string, ...noPrice], ['k', '?'], ['k', 'w', 'wm', 'soon']);
    await append(5, encodeTick(tickOf(tradeAt(4)), false));
    await world.committedThrough({ epoch: 5, seq: 7 });
    await world.until(async () => (await world.pending()) === 0);
    await running.stop();
    expect(ofKind(running, 'malformed').map(({ id, reason }) => [id.seq, reason.split(':')[0]])).toEqual([
      [4, 'p'],
      [5, 'k'],
      [6, 'wm'],
    ]);
    expect(await world.stored(['A'])).toBe(oracle([...tradesFrom(0, 3), tradeAt(4)]));
  });

  it('T1 D1 ticks that nobody registered, or of the wrong kind, are quarantined and leave no candle', async () => {
    const claim = { symbol: 'S', source: SOURCE, simulated: true };
    expect((await world.store.register([claim])).ok).toBe(true);
    const publisher = await world.lead(5);
    const running = world.aggregate('one');
    const strange = [tradeAt(0, { symbol: 'S' }), tradeAt(1, { symbol: 'NOBODY' }), tradeAt(2), tradeAt(3)];
    await publish(publisher, ticks(strange.slice(0, 3)));
    await append(5, encodeTick(tickOf(tradeAt(3)), true));
    await world.committedThrough({ epoch: 5, seq: 4 });
    await world.until(async () => (await world.pending()) === 0);
    await running.stop();
    expect(ofKind(running, 'quarantined').map(({ symbol, reason }) => `${symbol} ${reason}`)).toEqual([
      'S is simulated in this store',
      'NOBODY was not registered',
      'A is real in this store',
    ]);
    expect(await world.stored(['S', 'NOBODY', 'A'])).toBe(oracle([tradeAt(2)]));
    const { instrumentId } = (await world.store.instruments()).find(({ symbol }) => symbol === 'A') ?? {
      instrumentId: -1,
    };
    expect(await world.store.archivedTicks(instrumentId, 0, Number.MAX_SAFE_INTEGER)).toHaveLength(1);
  });

  it('T3 a symbol registered while the aggregator runs is learnt with its first tick', async () => {
    const publisher = await world.lead(5);
    const running = world.aggregate('one');
    await world.committedThrough(await publish(publisher, ticks(tradesFrom(0, 2))));
    await register(world.store, ['LATE']);
    const late = tradesFrom(2, 3, { symbol: 'LATE' });
    await world.committedThrough(await publish(publisher, ticks(late)));
    await running.stop();
    expect(await world.stored(['LATE'])).toBe(oracle(late));
    expect(ofKind(running, 'quarantined')).toEqual([]);
  });

  it('T9 a gap that the feed declares is told with its reason', async () => {
    const publisher = await world.lead(5);
    const running = world.aggregate('one');
    const gap = { kind: 'gap', symbols: ['A'], fromUs: 1, toUs: 2, reason: 'venue down' } as const;
    await world.committedThrough(await publish(publisher, [gap, ...ticks(tradesFrom(0, 2))]));
    await running.stop();
    expect(ofKind(running, 'gap')).toEqual([{ kind: 'gap', reason: 'venue down' }]);
  });
});
