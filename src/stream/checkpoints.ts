import { formatStreamId, parseStreamId, type StreamId } from '../core/stream-id.ts';
import type { RedisConnection, ShardKeys } from '../redis/index.ts';
import { textOf } from './reply.ts';

/**
 * What the required consumers of a shard have committed (D2). It only holds trimming back; each consumer's own durable row is
 * the truth, so it is written after the commit and may be lost.
 */
export async function writeCheckpoint(
  connection: RedisConnection,
  keys: ShardKeys,
  consumer: string,
  id: StreamId,
): Promise<void> {
  await connection.call('HSET', keys.checkpoints, consumer, formatStreamId(id));
}

export async function readCheckpoints(
  connection: RedisConnection,
  keys: ShardKeys,
): Promise<ReadonlyMap<string, StreamId>> {
  const flat = (await connection.call('HGETALL', keys.checkpoints)) as readonly unknown[];
  const committed = new Map<string, StreamId>();
  for (let i = 0; i + 1 < flat.length; i += 2) {
    const id = parseStreamId(textOf(flat[i + 1]));
    if (id !== undefined) committed.set(textOf(flat[i]), id);
  }
  return committed;
}
