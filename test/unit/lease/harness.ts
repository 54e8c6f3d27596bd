import { createLease, type Lease, type LeaseSettings, type Term } from '../../../src/lease/index.ts';
import { createMemoryRedis, leaseKeys, type RedisArgument, type RedisConnection } from '../../../src/redis/index.ts';
import { createVirtualClock, type VirtualClock } from '../../../src/testkit/virtual-clock.ts';

export const KEYS = leaseKeys('venue');

/** One Redis, any number of processes; each has a clock of its own that a test may stall or set wrong. */
export function openServer() {
  const clock = createVirtualClock();
  const redis = createMemoryRedis({ clock });
  return { clock, redis, connection: redis.connect() };
}

export function openLease(
  server: { clock: VirtualClock; connection: RedisConnection },
  token: string,
  settings: Partial<LeaseSettings> = { absentRecord: 'take' },
  clock = server.clock,
): Lease {
  return createLease({ connection: server.connection, keys: KEYS, clock, token, settings });
}

/** Acquires, and fails the test if it cannot. */
export async function acquireTerm(lease: Lease, floor = 0): Promise<Term> {
  const outcome = await lease.acquire(floor);
  if (outcome.kind !== 'acquired') throw new Error(`held by ${outcome.holder}`);
  return outcome.term;
}

/** A connection whose calls can be made to fail, to hang, or to lose their reply after running. */
export function faulty(inner: RedisConnection): RedisConnection & { fault: 'none' | 'refuse' | 'hang' | 'lose-reply' } {
  const connection = {
    fault: 'none' as 'none' | 'refuse' | 'hang' | 'lose-reply',
    async run(...args: Parameters<RedisConnection['run']>) {
      if (connection.fault === 'refuse') throw new Error('connection refused');
      if (connection.fault === 'hang') return new Promise<never>(() => undefined);
      const reply = await inner.run(...args);
      if (connection.fault === 'lose-reply') throw new Error('reply lost');
      return reply;
    },
    call: (...command: readonly RedisArgument[]) => inner.call(...command),
    subscribe: (...args: Parameters<RedisConnection['subscribe']>) => inner.subscribe(...args),
    close: () => inner.close(),
  };
  return connection;
}
