import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../src/core/random.ts';
import { LEASE_DEFAULTS, leaseSettings, leaseToken } from '../../../src/lease/index.ts';
import { leaseMint, leaseRelease, leaseRenew, leaseTake } from '../../../src/redis/index.ts';
import { createVirtualClock } from '../../../src/testkit/virtual-clock.ts';
import { acquireTerm, faulty, KEYS, openLease, openServer } from './harness.ts';

const { ttlMs, renewEveryMs, marginMs } = LEASE_DEFAULTS;
const WATCHING = { absentRecord: 'watch' } as const;

describe('lease scripts', () => {
  it('FENCE-1 another token changes nothing and learns the holder', async () => {
    const { connection } = openServer();
    const keys = [KEYS.lease, KEYS.record];
    await connection.run(leaseTake, keys, ['a', ttlMs, 'unchanged', '', '0', '0']);
    expect(await connection.run(leaseTake, keys, ['b', ttlMs, 'released', '', '0', '0'])).toEqual([
      'held',
      'a',
      '0',
      '1',
      '',
    ]);
    expect(await connection.run(leaseTake, keys, ['b', ttlMs, 'unchanged', 'a', '0', '0'])).toEqual([
      'held',
      'a',
      '0',
      '1',
      '',
    ]);
    expect(await connection.run(leaseRenew, keys, ['b', ttlMs])).toEqual(['lost', 'a']);
    expect(await connection.run(leaseMint, keys, ['b', 0])).toEqual(['lost', 'a']);
    expect(await connection.run(leaseRelease, keys, ['b'])).toEqual(['lost', 'a']);
    expect(await connection.call('HGETALL', KEYS.record)).toEqual(['renewals', '1']);
  });

  it('FENCE-1 a take whose reply was lost is repeated by its own token', async () => {
    const server = openServer();
    const connection = faulty(server.connection);
    const lease = openLease({ ...server, connection }, 'a');
    connection.fault = 'lose-reply';
    await expect(lease.acquire(0)).rejects.toThrow('reply lost');
    await expect(lease.acquire(0)).rejects.toThrow('reply lost');
    connection.fault = 'none';
    expect((await acquireTerm(lease)).isHeld()).toBe(true);
  });

  it('FENCE-2 terms grow with the clock, past the floor, and when the clock is behind', async () => {
    const server = openServer();
    const term = await acquireTerm(openLease(server, 'a'));
    expect(term.number).toBe(server.clock.nowMs());
    expect(await term.mint(0)).toBe(server.clock.nowMs() + 1);
    const before = term.number;
    server.clock.jumpWall(-1_000);
    expect(await term.mint(0)).toBe(before + 1);
    expect(await term.mint(before + 5_000)).toBe(before + 5_001);
  });
});

describe('standby', () => {
  it('FENCE-3 takes over one ttl after the record stopped moving, not when the key expires', async () => {
    const server = openServer();
    const connection = faulty(server.connection);
    const term = await acquireTerm(openLease({ ...server, connection }, 'a'));
    const standby = openLease(server, 'b', WATCHING);
    expect(await standby.acquire(0)).toMatchObject({ kind: 'held', holder: 'a' });
    // The holder renews, so the watch starts again each time.
    for (let i = 0; i < 10; i++) {
      await server.clock.advance(renewEveryMs);
      expect(await standby.acquire(0)).toMatchObject({ kind: 'held', holder: 'a' });
    }
    connection.fault = 'refuse';
    await server.clock.advance(ttlMs - 1);
    expect(await standby.acquire(0)).toMatchObject({ kind: 'held' });
    expect(term.isHeld()).toBe(false);
    await server.clock.advance(1);
    expect(await standby.acquire(0)).toMatchObject({ kind: 'acquired' });
  });

  it('FENCE-3 a server clock that jumps frees nothing while the holder lives', async () => {
    const server = openServer();
    const holderClock = createVirtualClock();
    const term = await acquireTerm(openLease(server, 'a', { absentRecord: 'take' }, holderClock));
    const standby = openLease(server, 'b', WATCHING);
    await standby.acquire(0);
    server.clock.jumpWall(60_000);
    expect(await server.connection.call('GET', KEYS.lease)).toBeNull();
    expect(await standby.acquire(0)).toMatchObject({ kind: 'held', holder: '' });
    await server.clock.advance(ttlMs - 1);
    expect(await standby.acquire(0)).toMatchObject({ kind: 'held' });
    expect(term.isHeld()).toBe(true);
    await server.clock.advance(1);
    expect(await standby.acquire(0)).toMatchObject({ kind: 'acquired' });
  });

  it('FENCE-3 an absent record is watched for a ttl, unless Redis is this process alone', async () => {
    const server = openServer();
    const standby = openLease(server, 'b', WATCHING);
    expect(await standby.acquire(0)).toMatchObject({ kind: 'held', holder: '' });
    await server.clock.advance(ttlMs - 1);
    expect(await standby.acquire(0)).toMatchObject({ kind: 'held' });
    await server.clock.advance(1);
    expect(await standby.acquire(0)).toMatchObject({ kind: 'acquired' });
    const embedded = openServer();
    expect(await openLease(embedded, 'c').acquire(0)).toMatchObject({ kind: 'acquired' });
  });

  it('FENCE-3 of two standbys that both waited one wins', async () => {
    const server = openServer();
    const [b, c] = [openLease(server, 'b', WATCHING), openLease(server, 'c', WATCHING)];
    await Promise.all([b.acquire(0), c.acquire(0)]);
    await server.clock.advance(ttlMs);
    const kinds = (await Promise.all([b.acquire(0), c.acquire(0)])).map(({ kind }) => kind);
    expect(kinds.sort()).toEqual(['acquired', 'held']);
  });

  it('FENCE-6 a released lease is taken at once, and the release is announced', async () => {
    const server = openServer();
    const term = await acquireTerm(openLease(server, 'a'));
    const standby = openLease(server, 'b', WATCHING);
    let told = 0;
    await standby.onReleased(() => told++);
    expect(await standby.acquire(0)).toMatchObject({ kind: 'held', holder: 'a' });
    await term.release();
    await server.clock.settle();
    expect(told).toBe(1);
    const next = await acquireTerm(standby);
    expect(next.number).toBeGreaterThan(term.number);
    // Taken once, it is free no more: the note of the release is gone.
    server.clock.jumpWall(60_000);
    expect(await openLease(server, 'c', WATCHING).acquire(0)).toMatchObject({ kind: 'held' });
  });
});

describe('trust', () => {
  it('FENCE-4 renewals prolong it; without them it ends at ttl - margin', async () => {
    const server = openServer();
    const connection = faulty(server.connection);
    const term = await acquireTerm(openLease({ ...server, connection }, 'a'));
    await server.clock.advance(60_000);
    expect(term.isHeld()).toBe(true);
    connection.fault = 'refuse';
    // The last good renewal was at 60 s.
    await server.clock.advance(ttlMs - marginMs - 1);
    expect(term.isHeld()).toBe(true);
    await server.clock.advance(1);
    expect(term.signal.aborted).toBe(true);
    expect(await term.lost).toBe('expired');
  });

  it('FENCE-4 is false in the turn a stalled process wakes, before any timer runs', async () => {
    const server = openServer();
    const term = await acquireTerm(openLease(server, 'a'));
    server.clock.stall(ttlMs - marginMs - 1);
    expect(term.isHeld()).toBe(true);
    server.clock.stall(1);
    expect(term.isHeld()).toBe(false);
    expect(await term.lost).toBe('expired');
  });

  it('FENCE-4 counts the larger of the two clocks: a wall clock set back does not prolong it, a sleep ends it', async () => {
    const server = openServer();
    const connection = faulty(server.connection);
    const back = await acquireTerm(openLease({ ...server, connection }, 'a'));
    connection.fault = 'refuse';
    server.clock.jumpWall(-3_600_000);
    await server.clock.advance(ttlMs - marginMs);
    expect(back.isHeld()).toBe(false);

    const slept = openServer();
    const term = await acquireTerm(openLease(slept, 'a'));
    slept.clock.jumpWall(ttlMs);
    expect(term.isHeld()).toBe(false);
  });

  it('FENCE-4 a renewal that hangs counts as failed, and the next one is tried', async () => {
    const server = openServer();
    const connection = faulty(server.connection);
    const term = await acquireTerm(openLease({ ...server, connection }, 'a'));
    connection.fault = 'hang';
    await server.clock.advance(renewEveryMs + LEASE_DEFAULTS.attemptTimeoutMs);
    connection.fault = 'none';
    await server.clock.advance(ttlMs * 2);
    expect(term.isHeld()).toBe(true);
  });

  it('FENCE-5 each way to lose a term settles it once, and it never comes back', async () => {
    const server = openServer();
    const taken = await acquireTerm(openLease(server, 'a'));
    await server.connection.call('SET', KEYS.lease, 'rival');
    await server.clock.advance(renewEveryMs);
    expect(await taken.lost).toBe('taken');
    expect(taken.signal.reason).toBe('taken');
    await taken.release();
    expect(await server.connection.call('GET', KEYS.lease)).toBe('rival');

    const other = openServer();
    const released = await acquireTerm(openLease(other, 'a'));
    await released.release();
    await released.release();
    expect(await released.lost).toBe('released');
    expect(released.isHeld()).toBe(false);
    expect(await released.mint(0)).toBeUndefined();
    expect(other.clock.pendingTimers).toBe(0);

    const gone = openServer();
    const vanished = await acquireTerm(openLease(gone, 'a'));
    await gone.connection.call('FLUSHALL');
    expect(await vanished.mint(0)).toBeUndefined();
    expect(await vanished.lost).toBe('taken');
  });
});

describe('settings and tokens', () => {
  it('FENCE-7 relations are checked with both values in the message', () => {
    expect(() => leaseSettings({ ttlMs: 10_000, renewEveryMs: 3_000, marginMs: 1_500 })).toThrow(
      /ttlMs 10000 is below 3 x renewEveryMs 3000 \+ marginMs 1500/,
    );
    expect(() => leaseSettings({ attemptTimeoutMs: 3_001 })).toThrow(
      /attemptTimeoutMs 3001 is above renewEveryMs 3000/,
    );
    expect(() => leaseSettings({ renewEveryMs: 0 })).toThrow(/renewEveryMs 0 is not/);
    expect(leaseSettings({ ttlMs: 10_500 }).ttlMs).toBe(10_500);
  });

  it('T7 a token names host, process and start, and never repeats', () => {
    const random = seededRandom(1);
    const identity = { host: 'box:1', pid: 7, startedAtMs: 1_000 };
    const token = leaseToken(identity, random);
    expect(token).toMatch(/^box_1:7:1000:[0-9a-f]{8}$/);
    expect(leaseToken(identity, random)).not.toBe(token);
  });
});
