import { describe, expect, it } from 'vitest';
import type { RedisConnection } from '../../../src/redis/index.ts';
import {
  createCursorReader,
  createGroup,
  createGroupConsumer,
  type GroupConsumer,
  type GroupStart,
  pendingSummary,
  readGroupPosition,
  type StreamEntry,
  splitEntries,
} from '../../../src/stream/index.ts';
import { installed, KEYS, lossy, openServer, ticks } from './harness.ts';

const TERM = 2_000_000_000_000;
const GROUP = { key: KEYS.ticks, group: 'candles' };

/** A stream with a barrier and five ticks, and a group at its beginning. */
async function withFive() {
  const server = openServer();
  const publisher = await installed(server.connection, TERM);
  await publisher.publish(ticks(1, 5), 'c5');
  await createGroup(server.connection, { ...GROUP, start: 'beginning' });
  return { ...server, publisher };
}

function consumerOf(connection: RedisConnection, consumer = 'a', start: GroupStart = 'beginning'): GroupConsumer {
  return createGroupConsumer({ connection, ...GROUP, consumer, start: () => start });
}

const seqs = (entries: readonly StreamEntry[]): number[] => entries.map((entry) => entry.id.seq);

describe('STREAM-5 F3 creating a group', () => {
  it('STREAM-5 makes it where it is told, and says when it is there', async () => {
    const { connection } = await withFive();
    expect(await createGroup(connection, { ...GROUP, start: 'new' })).toBe('exists');
    const at = { key: KEYS.ticks, group: 'late', start: { after: { epoch: TERM, seq: 3 } } };
    expect(await createGroup(connection, at)).toBe('created');
    const consumer = createGroupConsumer({
      connection,
      key: KEYS.ticks,
      group: 'late',
      consumer: 'a',
      start: () => 'new',
    });
    expect(seqs((await consumer.read({ blockMs: 0 })).entries)).toEqual([4, 5]);
    expect(await createGroup(connection, { key: KEYS.ticks, group: 'new', start: 'new' })).toBe('created');
    const fresh = createGroupConsumer({ connection, key: KEYS.ticks, group: 'new', consumer: 'a', start: () => 'new' });
    expect((await fresh.read({ blockMs: 0 })).entries).toEqual([]);
  });

  it('STREAM-5 every other failure is raised', async () => {
    const { connection } = openServer();
    await connection.call('SET', KEYS.ticks, 'x');
    await expect(createGroup(connection, { ...GROUP, start: 'new' })).rejects.toThrow(/^WRONGTYPE/);
    await connection.close();
    await expect(createGroup(connection, { ...GROUP, start: 'new' })).rejects.toThrow(/closed/);
  });
});

describe('STREAM-6 F5 own pending entries first', () => {
  it('STREAM-6 a restarted consumer gets what it owes before anything new, page by page', async () => {
    const { connection, publisher } = await withFive();
    expect(seqs((await consumerOf(connection).read({ count: 4, blockMs: 0 })).entries)).toEqual([0, 1, 2, 3]);
    await publisher.publish(ticks(6, 1), 'c6');
    const restarted = consumerOf(connection);
    const reads: [string, number[]][] = [];
    for (let i = 0; i < 4; i++) {
      const { source, entries } = await restarted.read({ count: 3, blockMs: 0 });
      reads.push([source, seqs(entries)]);
    }
    expect(reads).toEqual([
      ['history', [0, 1, 2]],
      ['history', [3]],
      ['new', [4, 5, 6]],
      ['new', []],
    ]);
    expect((await restarted.history()).entries).toEqual([]);
  });

  it('STREAM-6 entries whose reply was lost come back from the history', async () => {
    const { connection: inner } = await withFive();
    const connection = lossy(inner);
    const consumer = consumerOf(connection);
    expect(seqs((await consumer.read({ count: 2, blockMs: 0 })).entries)).toEqual([0, 1]);
    connection.lose = 'reply';
    await expect(consumer.read({ count: 2, blockMs: 0 })).rejects.toThrow('socket closed');
    connection.lose = 'nothing';
    const after = await consumer.read({ blockMs: 0 });
    expect([after.source, seqs(after.entries)]).toEqual(['history', [0, 1, 2, 3]]);
  });

  it('STREAM-6 another consumer of the group does not get them', async () => {
    const { connection } = await withFive();
    await consumerOf(connection, 'a').read({ count: 4, blockMs: 0 });
    const other = consumerOf(connection, 'b');
    expect(seqs((await other.read({ blockMs: 0 })).entries)).toEqual([4, 5]);
    const summary = await pendingSummary(connection, KEYS.ticks, 'candles');
    expect(summary).toEqual({
      count: 6,
      first: { epoch: TERM, seq: 0 },
      last: { epoch: TERM, seq: 5 },
      byConsumer: new Map([
        ['a', 4],
        ['b', 2],
      ]),
    });
  });
});

describe('D5 where a group stands', () => {
  it('D5 is the last entry handed out; the start of the stream for a group that is not there', async () => {
    const { connection } = await withFive();
    await consumerOf(connection).read({ count: 3, blockMs: 0 });
    expect(await readGroupPosition(connection, KEYS.ticks, 'candles')).toEqual({ epoch: TERM, seq: 2 });
    expect(await readGroupPosition(connection, KEYS.ticks, 'nobody')).toEqual({ epoch: 0, seq: 0 });
  });
});

describe('groups and trimming, acknowledging, vanishing', () => {
  it('STREAM-7 F8 a trimmed pending entry is reported with its id and stays until acknowledged', async () => {
    const { connection } = await withFive();
    await consumerOf(connection).read({ count: 3, blockMs: 0 });
    await connection.call('XTRIM', KEYS.ticks, 'MINID', `${TERM}-2`);
    for (let i = 0; i < 2; i++) {
      const { entries } = await consumerOf(connection).history();
      const { malformed, ticks: decoded, control } = splitEntries(entries);
      expect(malformed.map(({ id, trimmed }) => [id.seq, trimmed])).toEqual([
        [0, true],
        [1, true],
      ]);
      expect([seqs(decoded), control]).toEqual([[2], []]);
    }
    expect(await consumerOf(connection).ack([0, 1].map((seq) => ({ epoch: TERM, seq })))).toBe(2);
    expect(seqs((await consumerOf(connection).history()).entries)).toEqual([2]);
  });

  it('STREAM-8 F6 acknowledge answers how many left the list; 0 means somebody else owns it', async () => {
    const { connection } = await withFive();
    const consumer = consumerOf(connection);
    const ids = (await consumer.read({ blockMs: 0 })).entries.map(({ id }) => id);
    expect(await consumer.ack(ids.slice(0, 4))).toBe(4);
    expect(await consumer.ack(ids)).toBe(2);
    expect(await consumer.ack(ids)).toBe(0);
    expect(await consumer.ack([])).toBe(0);
  });

  it('STREAM-9 a group that vanished is made again at the durable cursor, and the batch says so', async () => {
    const { connection, publisher } = await withFive();
    const consumer = consumerOf(connection, 'a', { after: { epoch: TERM, seq: 4 } });
    await consumer.read({ blockMs: 0 });
    await connection.call('XGROUP', 'DESTROY', KEYS.ticks, 'candles');
    await publisher.publish(ticks(6, 1), 'c6');
    expect(await consumer.read({ blockMs: 0 })).toEqual({ source: 'new', entries: [], recreated: true });
    expect(seqs((await consumer.read({ blockMs: 0 })).entries)).toEqual([5, 6]);
  });

  it('STREAM-9 UNBLOCKED of Redis 7.0 is the same as NOGROUP', async () => {
    const { redis, clock, connection } = await withFive();
    const consumer = consumerOf(redis.connect());
    await consumer.read({ blockMs: 0 });
    const blocked = consumer.read({ blockMs: 1_000 });
    await clock.settle();
    await connection.call('DEL', KEYS.ticks);
    expect(await blocked).toMatchObject({ recreated: true, entries: [] });
  });

  it('STREAM-9 a failure that is not about the group is raised', async () => {
    const { connection } = openServer();
    await connection.call('SET', KEYS.ticks, 'x');
    await expect(consumerOf(connection).read({ blockMs: 0 })).rejects.toThrow(/^WRONGTYPE/);
  });

  it('STREAM-15 a blocking read lasts at most a second', async () => {
    const { redis, clock } = await withFive();
    const consumer = consumerOf(redis.connect());
    await consumer.read({ blockMs: 0 });
    let done = false;
    const blocked = consumer.read({ blockMs: 60_000 }).then(() => (done = true));
    await clock.advance(999);
    expect(done).toBe(false);
    await clock.advance(1);
    expect(done).toBe(true);
    await blocked;
  });

  it('STREAM-14 a read has a limit', async () => {
    const { connection } = await withFive();
    await expect(consumerOf(connection).read({ count: 5_001, blockMs: 0 })).rejects.toThrow(/1 to 5000 entries/);
    const reader = createCursorReader({ connection, key: KEYS.ticks });
    await expect(reader.readAfter({ epoch: 0, seq: 0 }, { count: 0, blockMs: 0 })).rejects.toThrow(/1 to 5000 entries/);
  });
});

describe('D7 reading from a cursor', () => {
  it('D7 any number of readers, each from its own cursor, exclusive', async () => {
    const { redis, clock, publisher, connection } = await withFive();
    const reader = createCursorReader({ connection: redis.connect(), key: KEYS.ticks });
    expect(seqs(await reader.readAfter({ epoch: TERM, seq: 3 }, { blockMs: 0 }))).toEqual([4, 5]);
    expect(seqs(await reader.range({ epoch: TERM, seq: 1 }, { epoch: TERM, seq: 3 }))).toEqual([2, 3]);
    expect(seqs(await reader.tail(2))).toEqual([4, 5]);
    const next = reader.readAfter({ epoch: TERM, seq: 5 }, { blockMs: 1_000 });
    await clock.settle();
    await publisher.publish(ticks(6, 2), 'c7');
    expect(seqs(await next)).toEqual([6, 7]);
    const idle = reader.readAfter({ epoch: TERM, seq: 7 }, { blockMs: 60_000 });
    await clock.advance(1_000);
    expect(await idle).toEqual([]);
    await connection.call('XTRIM', KEYS.ticks, 'MAXLEN', 0);
    expect(await reader.bounds()).toBeUndefined();
  });
});
