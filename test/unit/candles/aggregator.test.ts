import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Script } from '../../../src/redis/index.ts';
import type { Store } from '../../../src/store/index.ts';
import { encodeTick } from '../../../src/stream/index.ts';
import { dump, oracleCandles } from '../../oracle/oracle.ts';
import { openShardWorld, publish, register, type ShardWorld, ticks, tradesFrom, watermark } from './shard-world.ts';
import { tickOf } from './trades.ts';

let world: ShardWorld;

beforeEach(async () => {
  world = await openShardWorld();
  await register(world.store, ['A', 'B']);
});

afterEach(() => world.close());

const oracle = (trades: Parameters<typeof oracleCandles>[0]): string => dump(oracleCandles(trades));

/** Stops for ever at this point, as a process that was killed. */
const killed = (): Promise<never> => new Promise<never>(() => undefined);

/** A switch that holds whoever asks until it is opened. */
function gate(): { readonly reached: () => boolean; readonly pass: () => Promise<void>; open(): void } {
  let arrived = false;
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return {
    reached: () => arrived,
    pass() {
      arrived = true;
      return opened;
    },
    open: () => open(),
  };
}

describe('aggregator', () => {
  it('T3 R32 D5 commits the oracle’s candles of what the stream holds, and acknowledges all of it', async () => {
    const trades = [...tradesFrom(0, 150), ...tradesFrom(150, 150, { symbol: 'B' })];
    const publisher = await world.lead(5);
    const running = world.aggregate('one');
    await publish(publisher, ticks(trades.slice(0, 100)), 100);
    await publish(publisher, ticks(trades.slice(100, 200)), 200);
    const last = await publish(publisher, [...ticks(trades.slice(200)), watermark(1)], 300);
    await world.committedThrough(last);
    await world.until(async () => (await world.pending()) === 0);
    await running.stop();
    expect(await world.stored(['A', 'B'])).toBe(oracle(trades));
    expect(await world.store.shard(0)).toMatchObject({
      streamId: last,
      sourceCursor: JSON.stringify({ sourceId: 'test', position: 300 }),
      watermarkUs: 1,
    });
    expect(running.events.filter(({ kind }) => kind !== 'committed')).toEqual([]);
  });

  it('R20 R24 T8 a trade that comes twice counts once, and is counted as a duplicate', async () => {
    const trades = tradesFrom(0, 20);
    const publisher = await world.lead(5);
    const running = world.aggregate('one');
    await publish(publisher, ticks([...trades, ...trades.slice(5)]));
    const last = await publish(publisher, ticks(trades.slice(0, 7)));
    await world.committedThrough(last);
    await running.stop();
    expect(await world.stored(['A'])).toBe(oracle(trades));
    const commits = running.events.flatMap((event) => (event.kind === 'committed' ? [event] : []));
    const sum = (of: 'ticks' | 'duplicates'): number => commits.reduce((total, commit) => total + commit[of], 0);
    expect([sum('ticks'), sum('duplicates')]).toEqual([20, 22]);
  });

  it('D5 what was read is committed before it ends, although no flush was due', async () => {
    const trades = tradesFrom(0, 3);
    const running = world.aggregate('one');
    const last = await publish(await world.lead(5), ticks(trades));
    await world.until(async () => ((await world.pending()) ?? 0) > 0);
    await running.stop();
    expect((await world.store.shard(0)).streamId).toEqual(last);
    expect(await world.pending()).toBe(0);
  });

  it('D5 CKPT-5 R41 an owner that was killed before its commit is replaced: nothing lost, nothing doubled', async () => {
    const trades = tradesFrom(0, 120);
    const publisher = await world.lead(5);
    let commits = 0;
    world.aggregate('first', { commit: (commit, flush) => (++commits === 2 ? killed() : commit(flush)) });
    await world.committedThrough(await publish(publisher, ticks(trades.slice(0, 50))));
    await publish(publisher, ticks(trades.slice(50, 100)));
    await world.until(() => commits === 2);
    expect(await world.pending()).toBe(50);

    const second = world.aggregate('second');
    const last = await publish(publisher, ticks(trades.slice(100)));
    await world.committedThrough(last);
    await world.until(async () => (await world.pending()) === 0);
    await second.stop();
    expect(await world.stored(['A'])).toBe(oracle(trades));
  });

  it('D5 R41 an owner that was killed after its commit leaves entries that its successor only acknowledges', async () => {
    const trades = tradesFrom(0, 30);
    const publisher = await world.lead(5);
    let killedAtAck = false;
    world.aggregate('first', {
      ack: () => {
        killedAtAck = true;
        return killed();
      },
    });
    await publish(publisher, ticks(trades));
    await world.until(() => killedAtAck);
    expect(await world.pending()).toBe(31);

    const second = world.aggregate('second');
    await world.until(async () => (await world.pending()) === 0);
    await second.stop();
    expect(await world.stored(['A'])).toBe(oracle(trades));
    expect(second.events.filter(({ kind }) => kind === 'malformed' || kind === 'gap')).toEqual([]);
  });

  it('D5 what is pending beyond the checkpoint is acknowledged after it is committed, and not before', async () => {
    const publisher = await world.lead(5);
    await publish(publisher, ticks(tradesFrom(0, 30)));
    const { ticks: key } = world.keys;
    await world.connection.call('XGROUP', 'CREATE', key, 'candles', '0-0');
    await world.connection.call('XREADGROUP', 'GROUP', 'candles', 'dead', 'COUNT', 100, 'STREAMS', key, '>');
    const pause = gate();
    const running = world.aggregate('next', {
      async commit(commit, flush) {
        await pause.pass();
        return commit(flush);
      },
    });
    await world.until(pause.reached);
    expect(await world.pending()).toBe(31);
    pause.open();
    await world.until(async () => (await world.pending()) === 0);
    await running.stop();
    expect(await world.stored(['A'])).toBe(oracle(tradesFrom(0, 30)));
  });

  it('D5 F5 pending entries up to the checkpoint are acknowledged, however many a dead consumer holds', async () => {
    const publisher = await world.lead(5);
    for (let from = 0; from < 2_200; from += 200) await publish(publisher, ticks(tradesFrom(from, 200)));
    const first = world.aggregate('first');
    await world.committedThrough({ epoch: 5, seq: 2_200 });
    await first.stop();
    const { ticks: key } = world.keys;
    await world.connection.call('XGROUP', 'SETID', key, 'candles', '0-0');
    await world.connection.call('XREADGROUP', 'GROUP', 'candles', 'dead', 'COUNT', 5_000, 'STREAMS', key, '>');
    expect(await world.pending()).toBe(2_201);
    const second = world.aggregate('second');
    await world.until(async () => (await world.pending()) === 0);
    await second.stop();
    expect(second.events).toEqual([]);
  });

  it('D5 an acknowledgement that fails ends the stage; started again it acknowledges and goes on', async () => {
    const publisher = await world.lead(5);
    const failing = world.aggregate('one', {
      ack: async () => {
        throw new Error('connection lost');
      },
    });
    await publish(publisher, ticks(tradesFrom(0, 10)));
    await world.until(() => failing.events.length > 0);
    await expect(failing.ended).rejects.toThrow('connection lost');
    const again = world.aggregate('one');
    await world.until(async () => (await world.pending()) === 0);
    await again.stop();
    expect(await world.stored(['A'])).toBe(oracle(tradesFrom(0, 10)));
  });

  it('CKPT-5 a commit that fails ends the stage, and the next one loses and doubles nothing', async () => {
    const trades = tradesFrom(0, 60);
    const publisher = await world.lead(5);
    let commits = 0;
    const failing = world.aggregate('one', {
      commit: async (commit, flush) => {
        if (++commits === 2) throw new Error('disk full');
        return commit(flush);
      },
    });
    await world.committedThrough(await publish(publisher, ticks(trades.slice(0, 30))));
    const last = await publish(publisher, ticks(trades.slice(20, 60)));
    await world.until(() => commits === 2);
    await expect(failing.ended).rejects.toThrow('disk full');
    const again = world.aggregate('one');
    await world.committedThrough(last);
    await world.until(async () => (await world.pending()) === 0);
    await again.stop();
    expect(await world.stored(['A'])).toBe(oracle(trades));
  });

  it('D5 CKPT-3 R35 an owner that was paused before its commit is fenced, writes nothing, reloads and goes on', async () => {
    const trades = tradesFrom(0, 90);
    const publisher = await world.lead(5);
    const pause = gate();
    let held = false;
    const commit = async (real: Store['commit'], flush: Parameters<Store['commit']>[0]) => {
      if (!held) {
        held = true;
        await pause.pass();
      }
      return real(flush);
    };
    const first = world.aggregate('first', { commit });
    await publish(publisher, ticks(trades.slice(0, 40)));
    await world.until(pause.reached);

    const second = world.aggregate('second');
    await world.committedThrough(await publish(publisher, ticks(trades.slice(40, 70))));
    await second.stop();
    const { commitNo } = await world.store.shard(0);
    pause.open();
    await world.until(() => first.events.some(({ kind }) => kind === 'fenced'));
    expect(first.events).toEqual([{ kind: 'fenced', ownerToken: 'second' }]);
    expect((await world.store.shard(0)).commitNo).toBe(commitNo);

    const last = await publish(publisher, ticks(trades.slice(70)));
    await world.committedThrough(last);
    await world.until(async () => (await world.pending()) === 0);
    await first.stop();
    expect(await world.stored(['A'])).toBe(oracle(trades));
  });

  it('CKPT-8 a guest in between costs the owner a reload and no trade', async () => {
    const trades = tradesFrom(0, 40);
    const publisher = await world.lead(5);
    const running = world.aggregate('owner');
    await world.committedThrough(await publish(publisher, ticks(trades.slice(0, 20))));
    await world.store.takeOver(0, 'guest');
    const last = await publish(publisher, ticks(trades.slice(20)));
    await world.committedThrough(last);
    await running.stop();
    expect(running.events).toContainEqual({ kind: 'fenced', ownerToken: 'guest' });
    expect(await world.stored(['A'])).toBe(oracle(trades));
    expect(await world.pending()).toBe(0);
  });

  it('F5 D5 pending entries are drained after a restart, more of them than one read or one page holds', async () => {
    const trades = tradesFrom(0, 6_000);
    const publisher = await world.lead(5);
    for (let from = 0; from < trades.length; from += 200)
      await publish(publisher, ticks(trades.slice(from, from + 200)));
    const { ticks: key } = world.keys;
    await world.connection.call('XGROUP', 'CREATE', key, 'candles', '0-0');
    await world.connection.call('XREADGROUP', 'GROUP', 'candles', 'one', 'COUNT', 6_001, 'STREAMS', key, '>');
    expect(await world.pending()).toBe(6_001);
    const again = world.aggregate('one');
    await world.committedThrough({ epoch: 5, seq: 6_000 });
    await world.until(async () => (await world.pending()) === 0);
    await again.stop();
    expect(await world.stored(['A'])).toBe(oracle(trades));
  });

  it('D4 entries that a dead owner’s blocked read has eaten are found on an empty read', async () => {
    const trades = tradesFrom(0, 25);
    const entries = trades.map((trade) => encodeTick(tickOf(trade), false));
    await world.lead(5);
    const second = world.aggregate('second');
    await world.committedThrough({ epoch: 5, seq: 0 });
    // Appended and eaten in one atomic step, so that the parked read of the second consumer sees nothing.
    const eat: Script = {
      name: 'eat',
      lua: '',
      twin(call, [key = '', fence = '']) {
        for (const [index, entry] of entries.entries()) call('XADD', key, `5-${index + 1}`, ...entry);
        call('HSET', fence, 'seq', entries.length);
        return call('XREADGROUP', 'GROUP', 'candles', 'dead', 'COUNT', 100, 'STREAMS', key, '>');
      },
    };
    await world.connection.run(eat, [world.keys.ticks, world.keys.fence], []);
    expect(await world.pending()).toBe(trades.length);
    await world.committedThrough({ epoch: 5, seq: trades.length });
    await world.until(async () => (await world.pending()) === 0);
    await second.stop();
    expect(await world.stored(['A'])).toBe(oracle(trades));
  });

  it('CKPT-7 R33 a restart goes on from the checkpoint and reloads the open candles', async () => {
    const trades = tradesFrom(0, 60);
    const publisher = await world.lead(5);
    for (let from = 0; from < 60; from += 20) {
      const running = world.aggregate(`life-${from}`);
      await world.committedThrough(await publish(publisher, ticks(trades.slice(from, from + 20))));
      await running.stop();
    }
    expect(await world.stored(['A'])).toBe(oracle(trades));
    expect((await world.store.shard(0)).ownerTerm).toBe(3);
  });
});
