import { describe, expect, it } from 'vitest';
import { createMemoryRedis, RedisReplyError } from '../../../src/redis/index.ts';
import { createVirtualClock } from '../../../src/testkit/virtual-clock.ts';
import { openHarness } from './harness.ts';

describe('F15 the in-memory Redis', () => {
  it('F15 SET with NX, XX, GET, KEEPTTL and a time to live', async () => {
    const { run, clock } = openHarness();
    expect(await run('SET k 1 PX 1000')).toBe('OK');
    expect(await run('SET k 2 NX')).toBeNull();
    expect(await run('SET k 2 XX GET KEEPTTL')).toBe('1');
    expect(await run('PTTL k')).toBe(1000);
    await clock.advance(999);
    expect(await run('GET k')).toBe('2');
    await clock.advance(1);
    expect(await run('GET k')).toBeNull();
    expect(await run('PTTL k')).toBe(-2);
    expect(await run('SET k 1 PX 0')).toBe("ERR invalid expire time in 'set' command");
    expect(await run('SET k 1 NX XX')).toBe('ERR syntax error');
  });

  it('F15 a jump of the server clock expires keys, as it does on a server', async () => {
    const { run, clock } = openHarness();
    await run('SET k 1 PX 60000');
    clock.jumpWall(60_000);
    expect(await run('GET k')).toBeNull();
  });

  it('F15 hashes answer and refuse as a server does', async () => {
    const { run } = openHarness();
    expect(await run('HSET h a 1 b 2')).toBe(2);
    expect(await run('HSET h a 3 c 4')).toBe(1);
    expect(await run('HMGET h a nope')).toEqual(['3', null]);
    expect(await run('HGETALL h')).toEqual(['a', '3', 'b', '2', 'c', '4']);
    expect(await run('HDEL h a b c')).toBe(3);
    expect(await run('EXISTS h')).toBe(0);
    expect(await run('HINCRBY h n 5')).toBe(5);
    expect(await run('GET h')).toMatch(/^WRONGTYPE/);
    expect(await run('NOPE a b')).toBe("ERR unknown command 'NOPE', with args beginning with: 'a' 'b' ");
  });

  it('F15 calls behind a blocked one wait their turn; closing ends them all', async () => {
    const clock = createVirtualClock();
    const redis = createMemoryRedis({ clock });
    const connection = redis.connect();
    const order: string[] = [];
    const blocked = connection.call('XREAD', 'BLOCK', 0, 'STREAMS', 's', '$').then(() => order.push('read'));
    const queued = connection.call('PING').then(() => order.push('ping'));
    await clock.settle();
    expect(order).toEqual([]);
    await redis.connect().call('XADD', 's', '*', 'a', '1');
    await Promise.all([blocked, queued]);
    expect(order).toEqual(['read', 'ping']);

    const ends = connection.call('XREAD', 'BLOCK', 0, 'STREAMS', 's', '$');
    const behind = connection.call('PING');
    await redis.close();
    await expect(ends).rejects.toMatchObject({ code: 'REDIS_UNREACHABLE' });
    await expect(behind).rejects.toMatchObject({ code: 'REDIS_UNREACHABLE' });
    await expect(connection.call('PING')).rejects.toMatchObject({ code: 'REDIS_UNREACHABLE' });
    expect(clock.pendingTimers).toBe(0);
  });

  it('F15 a message reaches each listener until it unsubscribes; PUBLISH counts connections', async () => {
    const redis = createMemoryRedis({ clock: createVirtualClock() });
    const [listening, other] = [redis.connect(), redis.connect()];
    const heard: string[] = [];
    const first = await listening.subscribe('ch', (message) => heard.push(`1:${message}`));
    await listening.subscribe('ch', (message) => heard.push(`2:${message}`));
    expect(await other.call('PUBLISH', 'ch', 'a')).toBe(1);
    await first();
    await other.call('PUBLISH', 'ch', 'b');
    await listening.close();
    expect(await other.call('PUBLISH', 'ch', 'c')).toBe(0);
    expect(heard).toEqual(['1:a', '2:a', '2:b']);
  });

  it('F15 an error reply rejects with its kind', async () => {
    const connection = createMemoryRedis({ clock: createVirtualClock() }).connect();
    const failed = await connection
      .call('XGROUP', 'CREATE', 's', 'g', 'bad', 'MKSTREAM')
      .catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(RedisReplyError);
    expect(failed).toMatchObject({ kind: 'ERR' });
  });

  it('F15 memory of a capped stream stays bounded: trimmed nodes are let go', async () => {
    const { run } = openHarness();
    for (let i = 1; i <= 30_000; i++) await run(`XADD s MAXLEN ~ 1000 1-${i} n ${i}`);
    const info = (await run('XINFO STREAM s')) as unknown[];
    expect(info[1]).toBe(1_000);
    expect(info[3]).toBe(10);
    expect(await run('XRANGE s 1-29001 1-29001')).toEqual([['1-29001', ['n', '29001']]]);
    expect(await run('XRANGE s 1-29000 1-29000')).toEqual([]);
  });
});
