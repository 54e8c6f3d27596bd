import { parseDecimal } from '../../../src/core/decimal.ts';
import type { Tick } from '../../../src/core/tick.ts';
import { createMemoryRedis, type RedisArgument, type RedisConnection, shardKeys } from '../../../src/redis/index.ts';
import { createPublisher, type PublishEntry, type Publisher } from '../../../src/stream/index.ts';
import { createVirtualClock } from '../../../src/testkit/virtual-clock.ts';

export const KEYS = shardKeys('feed', 0);

export function openServer() {
  const clock = createVirtualClock();
  const redis = createMemoryRedis({ clock });
  return { clock, redis, connection: redis.connect() };
}

export function decimal(text: string): Tick['price'] {
  const value = parseDecimal(text);
  if (value === undefined) throw new Error(`${text} is no decimal`);
  return value;
}

export function makeTick(over: Partial<Tick> = {}): Tick {
  return {
    symbol: 'ACME',
    tsUs: 1_700_000_000_000_000,
    ns: 0,
    seq: 0,
    id: '1',
    price: decimal('101.25'),
    size: decimal('10'),
    exchange: '',
    conditions: '',
    side: '',
    ...over,
  };
}

/** `count` ticks with the ids from, from + 1 .. */
export function ticks(from: number, count: number): PublishEntry[] {
  return Array.from({ length: count }, (_, i) => ({ kind: 'tick', tick: makeTick({ id: String(from + i) }) }) as const);
}

export async function installed(connection: RedisConnection, term: number, token = `t${term}`): Promise<Publisher> {
  const publisher = createPublisher({ connection, keys: KEYS });
  const outcome = await publisher.install({ term, token });
  if (outcome.kind !== 'installed') throw new Error(`refused by term ${outcome.fenceTerm}`);
  return publisher;
}

/** All entry ids of the stream, as text. */
export async function idsOf(connection: RedisConnection): Promise<string[]> {
  const entries = (await connection.call('XRANGE', KEYS.ticks, '-', '+')) as [string, unknown][];
  return entries.map(([id]) => id);
}

/** A connection that can lose the reply of a script after running it, or before. */
export function lossy(inner: RedisConnection): RedisConnection & { lose: 'nothing' | 'request' | 'reply' } {
  const connection = {
    lose: 'nothing' as 'nothing' | 'request' | 'reply',
    async run(...args: Parameters<RedisConnection['run']>) {
      if (connection.lose === 'request') throw new Error('socket closed');
      const reply = await inner.run(...args);
      if (connection.lose === 'reply') throw new Error('socket closed');
      return reply;
    },
    async call(...command: readonly RedisArgument[]) {
      if (connection.lose === 'request') throw new Error('socket closed');
      const reply = await inner.call(...command);
      if (connection.lose === 'reply') throw new Error('socket closed');
      return reply;
    },
    subscribe: (...args: Parameters<RedisConnection['subscribe']>) => inner.subscribe(...args),
    close: () => inner.close(),
  };
  return connection;
}
