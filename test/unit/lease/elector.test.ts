import { describe, expect, it } from 'vitest';
import { createElector, type Elector, LEASE_DEFAULTS, type LostReason, type Term } from '../../../src/lease/index.ts';
import { faulty, KEYS, openLease, openServer } from './harness.ts';

interface Log {
  readonly led: number[];
  readonly lost: LostReason[];
  readonly errors: unknown[];
  leading: number;
}

function openElector(
  server: ReturnType<typeof openServer>,
  token: string,
  log: Log,
  lead?: (term: Term, signal: AbortSignal) => Promise<void>,
): Elector {
  const untilAborted = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  return createElector({
    lease: openLease(server, token),
    clock: server.clock,
    pollEveryMs: LEASE_DEFAULTS.renewEveryMs,
    floor: () => 0,
    lead: async (term, signal) => {
      log.led.push(term.number);
      log.leading++;
      await (lead?.(term, signal) ?? untilAborted(signal));
      log.leading--;
    },
    onLost: (reason) => log.lost.push(reason),
    onError: (error) => log.errors.push(error),
  });
}

const emptyLog = (): Log => ({ led: [], lost: [], errors: [], leading: 0 });

describe('T6 elector', () => {
  it('T6 one of two leads; stopping it hands over at once and tells one loss', async () => {
    const server = openServer();
    const [a, b] = [emptyLog(), emptyLog()];
    const first = openElector(server, 'a', a);
    const second = openElector(server, 'b', b);
    first.start();
    await server.clock.settle();
    second.start();
    await server.clock.advance(60_000);
    expect([a.leading, b.leading]).toEqual([1, 0]);
    expect(second.state()).toEqual({ kind: 'standby', holder: 'a' });

    const stopped = first.stop();
    await server.clock.settle();
    await stopped;
    expect([a.leading, b.leading]).toEqual([0, 1]);
    expect(a.lost).toEqual(['released']);
    expect(b.led[0]).toBeGreaterThan(a.led[0] ?? 0);
    expect(first.state()).toEqual({ kind: 'stopped' });
    await second.stop();
    expect(server.clock.pendingTimers).toBe(0);
  });

  it('FENCE-5 a lost lease ends the work, is told once, and the elector stands again', async () => {
    const server = openServer();
    const log = emptyLog();
    const elector = openElector(server, 'a', log);
    elector.start();
    await server.clock.settle();
    await server.connection.call('SET', KEYS.lease, 'rival', 'PX', 1_000);
    await server.clock.advance(LEASE_DEFAULTS.renewEveryMs);
    expect(log).toMatchObject({ lost: ['taken'], leading: 0 });
    await server.clock.advance(60_000);
    expect(log.led).toHaveLength(2);
    expect(log.leading).toBe(1);
    await elector.stop();
    expect(log.lost).toEqual(['taken', 'released']);
  });

  it('FENCE-5 work that throws gives the lease back, is reported, and is tried again', async () => {
    const server = openServer();
    const log = emptyLog();
    const elector = openElector(server, 'a', log, async () => {
      throw new Error('no upstream');
    });
    elector.start();
    await server.clock.settle();
    expect(log.errors).toHaveLength(1);
    expect(log.lost).toEqual(['released']);
    expect(await server.connection.call('GET', KEYS.lease)).toBeNull();
    await server.clock.advance(LEASE_DEFAULTS.renewEveryMs);
    expect(log.errors).toHaveLength(2);
    await elector.stop();
  });

  it('T6 an unreachable Redis is reported and the campaign goes on', async () => {
    const server = openServer();
    const connection = faulty(server.connection);
    connection.fault = 'refuse';
    const log = emptyLog();
    const elector = openElector({ ...server, connection }, 'a', log);
    elector.start();
    await server.clock.advance(LEASE_DEFAULTS.renewEveryMs * 2);
    expect(log.errors.length).toBeGreaterThan(1);
    connection.fault = 'none';
    await server.clock.advance(LEASE_DEFAULTS.renewEveryMs);
    expect(log.leading).toBe(1);
    await elector.stop();
  });
});
