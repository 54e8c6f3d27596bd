import { describe, expect, it } from 'vitest';
import { symbolChannelPrefix } from '../../../src/redis/index.ts';
import { createPublisher, readFence } from '../../../src/stream/index.ts';
import { decimal, idsOf, installed, KEYS, lossy, makeTick, openServer, ticks } from './harness.ts';

const TERM = 2_000_000_000_000;

describe('install', () => {
  it('FENCE-8 is refused unless the term is higher; the same office gets the same epoch and no second barrier', async () => {
    const { connection } = openServer();
    const publisher = createPublisher({ connection, keys: KEYS });
    const first = await publisher.install({ term: TERM, token: 'a' });
    expect(first).toEqual({ kind: 'installed', epoch: TERM, prev: undefined, sourceCursor: undefined });
    expect(await publisher.install({ term: TERM, token: 'a' })).toEqual(first);
    const rival = createPublisher({ connection, keys: KEYS });
    expect(await rival.install({ term: TERM, token: 'b' })).toEqual({ kind: 'refused', fenceTerm: TERM });
    expect(await rival.install({ term: TERM - 1, token: 'b' })).toEqual({ kind: 'refused', fenceTerm: TERM });
    expect(await idsOf(connection)).toEqual([`${TERM}-0`]);
  });

  it('FENCE-8 a repeated install after publishing goes on at the right place', async () => {
    const { connection } = openServer();
    const publisher = await installed(connection, TERM, 'a');
    await publisher.publish(ticks(1, 3), 'c3');
    expect(await publisher.install({ term: TERM, token: 'a' })).toMatchObject({ sourceCursor: 'c3' });
    expect(publisher.position()).toEqual({ epoch: TERM, seq: 3 });
    expect(await publisher.publish(ticks(4, 1), 'c4')).toMatchObject({ kind: 'published', resent: false });
  });

  it('FENCE-9 the barrier names the end of the epoch before, and the epoch passes everything there was', async () => {
    const { connection } = openServer();
    const first = await installed(connection, TERM);
    await first.publish(ticks(1, 2), 'c2');
    const second = createPublisher({ connection, keys: KEYS });
    expect(await second.install({ term: TERM + 10, token: 'b' })).toEqual({
      kind: 'installed',
      epoch: TERM + 10,
      prev: { epoch: TERM, seq: 2 },
      sourceCursor: 'c2',
    });
    // A foreign entry far ahead, and a term that lags behind the epoch: both are passed.
    await connection.call('XADD', KEYS.ticks, `${TERM + 99}-0`, 'a', '1');
    const third = createPublisher({ connection, keys: KEYS });
    expect(await third.install({ term: TERM + 11, token: 'c' })).toMatchObject({ epoch: TERM + 100 });
    const fourth = createPublisher({ connection, keys: KEYS });
    expect(await fourth.install({ term: TERM + 12, token: 'd' })).toMatchObject({ epoch: TERM + 101 });
  });
});

describe('publish', () => {
  it('FENCE-12 ids of an epoch are 1, 2, 3 .. after the barrier', async () => {
    const { connection } = openServer();
    const publisher = await installed(connection, TERM);
    expect(await publisher.publish(ticks(1, 3), 'c3')).toEqual({
      kind: 'published',
      last: { epoch: TERM, seq: 3 },
      resent: false,
    });
    await publisher.publish([{ kind: 'watermark', watermarkUs: 5, source: 'sim' }, ...ticks(4, 1)], 'c4');
    expect(await idsOf(connection)).toEqual([0, 1, 2, 3, 4, 5].map((seq) => `${TERM}-${seq}`));
    expect(publisher.position()).toEqual({ epoch: TERM, seq: 5 });
  });

  it('FENCE-10 T9 a stale writer adds nothing, however late it wakes', async () => {
    const { connection } = openServer();
    const paused = await installed(connection, TERM);
    await paused.publish(ticks(1, 2), 'c2');
    const successor = await installed(connection, TERM + 5);
    const before = await idsOf(connection);
    expect(await paused.publish(ticks(3, 2), 'c4')).toEqual({ kind: 'stale', fenceTerm: TERM + 5 });
    expect(await idsOf(connection)).toEqual(before);
    expect(await readFence(connection, KEYS)).toMatchObject({ term: TERM + 5, seq: 0, sourceCursor: 'c2' });
    expect(await successor.publish(ticks(3, 1), 'c3')).toMatchObject({ kind: 'published' });
  });

  it.each(['request', 'reply'] as const)(
    'FENCE-11 T8 a batch whose %s was lost is in the stream once',
    async (lost) => {
      const { connection: inner } = openServer();
      const connection = lossy(inner);
      const publisher = await installed(connection, TERM);
      await publisher.publish(ticks(1, 2), 'c2');
      connection.lose = lost;
      expect(await publisher.publish(ticks(3, 2), 'c4')).toMatchObject({ kind: 'unknown' });
      expect(await publisher.resend()).toMatchObject({ kind: 'unknown' });
      connection.lose = 'nothing';
      expect(await publisher.resend()).toEqual({
        kind: 'published',
        last: { epoch: TERM, seq: 4 },
        resent: lost === 'reply',
      });
      expect(await idsOf(inner)).toHaveLength(5);
      await expect(publisher.resend()).rejects.toThrow(/without an unsettled batch/);
    },
  );

  it('FENCE-11 nothing else is published while a batch is unsettled', async () => {
    const { connection: inner } = openServer();
    const connection = lossy(inner);
    const publisher = await installed(connection, TERM);
    connection.lose = 'reply';
    await publisher.publish(ticks(1, 2), 'c2');
    await expect(publisher.publish(ticks(3, 1), 'c3')).rejects.toThrow(/resend first/);
  });

  it('FENCE-12 after a failover that lost entries the writer sends them again: no hole', async () => {
    const { connection } = openServer();
    const publisher = await installed(connection, TERM);
    for (let i = 0; i < 5; i++) await publisher.publish(ticks(1 + 2 * i, 2), `c${i}`);
    // The promoted replica has the first two batches only.
    await connection.call('DEL', KEYS.ticks);
    for (let seq = 0; seq <= 4; seq++) await connection.call('XADD', KEYS.ticks, `${TERM}-${seq}`, 'k', 't');
    await connection.call('HSET', KEYS.fence, 'seq', 4, 'sourceCursor', 'c1');
    expect(await publisher.publish(ticks(11, 1), 'c5')).toMatchObject({ kind: 'published', last: { seq: 11 } });
    expect(await idsOf(connection)).toEqual(Array.from({ length: 12 }, (_, seq) => `${TERM}-${seq}`));
    expect(await readFence(connection, KEYS)).toMatchObject({ seq: 11, sourceCursor: 'c5' });
  });

  it('FENCE-12 a loss beyond the ring is answered, and nothing is written', async () => {
    const { connection } = openServer();
    const publisher = await installed(connection, TERM);
    for (let i = 1; i <= 70; i++) await publisher.publish(ticks(i, 1), `c${i}`);
    await connection.call('HSET', KEYS.fence, 'seq', 2);
    expect(await publisher.publish(ticks(71, 1), 'c71')).toEqual({ kind: 'behind', seq: 2 });
    expect(await idsOf(connection)).toHaveLength(71);
  });

  it('FENCE-13 an entry of another program is found before the next append', async () => {
    const { connection } = openServer();
    const publisher = await installed(connection, TERM);
    await publisher.publish(ticks(1, 1), 'c1');
    await connection.call('XADD', KEYS.ticks, `${TERM}-2`, 'a', '1');
    expect(await publisher.publish(ticks(2, 2), 'c3')).toMatchObject({ kind: 'foreign', detail: /equal or smaller/ });
    expect(await readFence(connection, KEYS)).toMatchObject({ seq: 1, sourceCursor: 'c1' });
    await connection.call('DEL', KEYS.ticks);
    expect(await publisher.resend()).toMatchObject({ kind: 'foreign', detail: 'the stream is gone' });
    expect(await connection.call('EXISTS', KEYS.ticks)).toBe(0);
  });

  it('FENCE-14 ingest time never goes back, whatever the server clock does', async () => {
    const { connection, clock } = openServer();
    const publisher = await installed(connection, TERM);
    await publisher.publish(ticks(1, 1), 'c1');
    clock.jumpWall(-60_000);
    await publisher.publish(ticks(2, 1), 'c2');
    clock.jumpWall(90_000);
    await publisher.publish(ticks(3, 1), 'c3');
    const entries = (await connection.call('XRANGE', KEYS.ticks, '-', '+')) as [string, string[]][];
    const ingest = entries.map(([, fields]) => Number(fields[fields.indexOf('i') + 1]));
    expect(ingest[1]).toBe(ingest[2]);
    expect(ingest[3]).toBe((ingest[2] ?? 0) + 30_000);
  });

  it('FENCE-15 the source cursor moves with its batch and outlives the writer', async () => {
    const { connection } = openServer();
    const first = await installed(connection, TERM);
    await first.publish(ticks(1, 1), 'c1');
    await first.publish(ticks(2, 1), 'c2');
    const second = createPublisher({ connection, keys: KEYS });
    expect(await second.install({ term: TERM + 1, token: 'b' })).toMatchObject({ sourceCursor: 'c2' });
  });

  it('FENCE-16 an emptied Redis is not written to; the next epoch opens with prev none', async () => {
    const { connection } = openServer();
    const publisher = await installed(connection, TERM);
    await publisher.publish(ticks(1, 2), 'c2');
    await connection.call('FLUSHALL');
    expect(await publisher.publish(ticks(3, 1), 'c3')).toEqual({ kind: 'uninstalled' });
    expect(await connection.call('EXISTS', KEYS.ticks, KEYS.fence)).toBe(0);
    expect(await publisher.install({ term: TERM + 1, token: 'a' })).toEqual({
      kind: 'installed',
      epoch: TERM + 1,
      prev: undefined,
      sourceCursor: undefined,
    });
    const [barrier] = (await connection.call('XRANGE', KEYS.ticks, '-', '+')) as [string, string[]][];
    expect(barrier?.[1]).toContain('none');
  });

  it('FENCE-10 a fence put back from before is uninstalled, not written to', async () => {
    const { connection } = openServer();
    await installed(connection, TERM);
    const snapshot = (await connection.call('HGETALL', KEYS.fence)) as string[];
    const publisher = await installed(connection, TERM + 1);
    await connection.call('HSET', KEYS.fence, ...snapshot);
    expect(await publisher.publish(ticks(1, 1), 'c1')).toEqual({ kind: 'uninstalled' });
  });
});

describe('batches', () => {
  it('STREAM-16 F1 a bad tick raises with field and reason, and nothing of its batch is written', async () => {
    const { connection } = openServer();
    const publisher = await installed(connection, TERM);
    const bad = { kind: 'tick', tick: makeTick({ price: decimal('0') }) } as const;
    await expect(publisher.publish([...ticks(1, 1), bad], 'c')).rejects.toMatchObject({
      code: 'TICK_INVALID',
      details: { field: 'price', reason: 'is zero' },
    });
    expect(await idsOf(connection)).toHaveLength(1);
    expect(await publisher.publish(ticks(1, 1), 'c')).toMatchObject({ kind: 'published', last: { seq: 1 } });
    const permissive = createPublisher({ connection, keys: KEYS, allowNonPositivePrice: true });
    await permissive.install({ term: TERM + 1, token: 'b' });
    expect(await permissive.publish([bad], 'c')).toMatchObject({ kind: 'published' });
  });

  it('STREAM-14 a batch has limits: ticks, entries, bytes, symbols of a gap', async () => {
    const { connection } = openServer();
    const publisher = await installed(connection, TERM);
    expect(await publisher.publish(ticks(1, 200), 'c')).toMatchObject({ kind: 'published', last: { seq: 200 } });
    await expect(publisher.publish(ticks(1, 201), 'c')).rejects.toThrow(/at most 200 ticks, this one 201/);
    await expect(publisher.publish([], 'c')).rejects.toThrow(/at least one entry/);
    await expect(publisher.publish(ticks(1, 1), 'c'.repeat(1_100_000))).rejects.toThrow(/at most 1048576 bytes/);
    const symbols = Array.from({ length: 1_001 }, (_, i) => `S${i}`);
    const gap = { kind: 'gap', symbols, fromUs: 0, toUs: 1, reason: 'lost' } as const;
    await expect(publisher.publish([gap], 'c')).rejects.toThrow(/at most 1000 symbols/);
    expect(await idsOf(connection)).toHaveLength(201);
  });

  it('T2 ticks are announced per symbol when switched on, with their id and whether they are simulated', async () => {
    const { connection, redis, clock } = openServer();
    const channelPrefix = symbolChannelPrefix('feed', 0);
    const heard: string[] = [];
    await redis.connect().subscribe(`${channelPrefix}ACME`, (message) => heard.push(message));
    const quiet = await installed(connection, TERM);
    await quiet.publish(ticks(1, 1), 'c1');
    const loud = createPublisher({ connection, keys: KEYS, announce: { channelPrefix }, simulated: true });
    await loud.install({ term: TERM + 1, token: 'b' });
    await loud.publish([...ticks(2, 1), { kind: 'watermark', watermarkUs: 1, source: 'sim' }], 'c2');
    await clock.settle();
    expect(heard).toHaveLength(1);
    const [id, json] = (heard[0] ?? '').split(/ (.*)/s);
    expect(id).toBe(`${TERM + 1}-1`);
    expect(JSON.parse(json ?? '')).toEqual({
      symbol: 'ACME',
      tsUs: 1_700_000_000_000_000,
      price: '101.25',
      size: '10',
      id: '2',
      simulated: true,
    });
  });
});
