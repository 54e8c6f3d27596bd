import { assert } from '../core/errors.ts';
import { formatStreamId, type StreamId } from '../core/stream-id.ts';
import type { RedisConnection } from '../redis/index.ts';
import { type DecodeRules, decodeEntry } from './codec.ts';
import type { StreamEntry } from './entry.ts';
import { BLOCK_MS_MAX, READ_ENTRIES_MAX } from './limits.ts';
import { entriesOfRange, entriesOfRead } from './reply.ts';

/**
 * Reads a stream from a cursor of the reader's own, without a group: costs Redis nothing to remember, and is how hubs read
 * (D7). Any number of readers, each with its own cursor.
 */
export interface CursorReader {
  /** Entries after `cursor`, ascending; empty when none came within `blockMs` (0 = do not block). */
  readAfter(cursor: StreamId, options: { readonly count?: number; readonly blockMs: number }): Promise<StreamEntry[]>;
  /** Entries with fromExclusive < id <= toInclusive, ascending, at most `count`. */
  range(fromExclusive: StreamId, toInclusive: StreamId, count?: number): Promise<StreamEntry[]>;
  /** The last entries of the stream, ascending: what a dedupe set is seeded from (D3). */
  tail(count: number): Promise<StreamEntry[]>;
  /** Id of the oldest and the newest entry that are still there; undefined when the stream is empty or missing. */
  bounds(): Promise<{ readonly first: StreamId; readonly last: StreamId } | undefined>;
}

export interface CursorReaderOptions {
  /** Its own, if it blocks: a blocking read occupies it. */
  readonly connection: RedisConnection;
  readonly key: string;
  readonly rules?: DecodeRules;
}

export function createCursorReader({ connection, key, rules }: CursorReaderOptions): CursorReader {
  const range = async (
    command: 'XRANGE' | 'XREVRANGE',
    from: string,
    to: string,
    count: number,
  ): Promise<StreamEntry[]> => {
    assert(count >= 1 && count <= READ_ENTRIES_MAX, `a read takes 1 to ${READ_ENTRIES_MAX} entries, not ${count}`);
    const reply = await connection.call(command, key, from, to, 'COUNT', count);
    return entriesOfRange(reply).map((raw) => decodeEntry(raw, rules));
  };
  return {
    async readAfter(cursor, { count = READ_ENTRIES_MAX, blockMs }) {
      assert(count >= 1 && count <= READ_ENTRIES_MAX, `a read takes 1 to ${READ_ENTRIES_MAX} entries, not ${count}`);
      const block = blockMs <= 0 ? [] : ['BLOCK', Math.min(Math.ceil(blockMs), BLOCK_MS_MAX)];
      const reply = await connection.call('XREAD', 'COUNT', count, ...block, 'STREAMS', key, formatStreamId(cursor));
      return entriesOfRead(reply, key).map((raw) => decodeEntry(raw, rules));
    },
    range: (fromExclusive, toInclusive, count = READ_ENTRIES_MAX) =>
      range('XRANGE', `(${formatStreamId(fromExclusive)}`, formatStreamId(toInclusive), count),
    async tail(count) {
      return (await range('XREVRANGE', '+', '-', count)).reverse();
    },
    async bounds() {
      const [first] = await range('XRANGE', '-', '+', 1);
      const [last] = await range('XREVRANGE', '+', '-', 1);
      return first === undefined || last === undefined ? undefined : { first: first.id, last: last.id };
    },
  };
}
