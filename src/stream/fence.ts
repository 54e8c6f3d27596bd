import { parseStreamId, type StreamId } from '../core/stream-id.ts';
import type { RedisConnection, ShardKeys } from '../redis/index.ts';
import { textOf } from './reply.ts';

/** The fence of a shard (D3): who writes, and how far the stream goes. */
export interface Fence {
  readonly term: number;
  readonly token: string;
  readonly epoch: number;
  /** Of the last entry; 0 = only the barrier. */
  readonly seq: number;
  /** Ingest time of the last batch, Unix ms. */
  readonly ingestMs: number;
  /** Where the source resumes right after the last batch; undefined before the first one. */
  readonly sourceCursor: string | undefined;
  /** End of the epoch before, as the barrier says it; undefined = none. */
  readonly prev: StreamId | undefined;
}

/** Undefined when there is no fence: no leader has ever come, or Redis lost its data. */
export async function readFence(connection: RedisConnection, keys: ShardKeys): Promise<Fence | undefined> {
  const reply = await connection.call('HMGET', keys.fence, ...FIELDS);
  const [term, token, epoch, seq, ingestMs, sourceCursor, prev] = (reply as readonly unknown[]).map((value) =>
    value === null ? undefined : textOf(value),
  );
  if (term === undefined || epoch === undefined || seq === undefined) return undefined;
  return {
    term: Number(term),
    token: token ?? '',
    epoch: Number(epoch),
    seq: Number(seq),
    ingestMs: Number(ingestMs ?? 0),
    sourceCursor,
    prev: parseStreamId(prev ?? ''),
  };
}

const FIELDS = ['term', 'token', 'epoch', 'seq', 'ingestTime', 'sourceCursor', 'prev'] as const;
