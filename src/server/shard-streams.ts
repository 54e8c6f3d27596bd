import type { AggregatorInput } from '../candles/index.ts';
import { STREAM_START } from '../core/stream-id.ts';
import type { HubShard } from '../live/index.ts';
import type { Redis, ShardKeys } from '../redis/index.ts';
import {
  createCursorReader,
  createGroup,
  createGroupConsumer,
  openCandleFrames,
  pendingIds,
  readGroupPosition,
} from '../stream/index.ts';

/** How the stages read a shard's streams: each blocking reader on a connection of its own. */

/** The consumer group of the aggregator, and its name among the required consumers of D2. */
export const AGGREGATOR = 'candles';

/** A shard's ticks through the aggregator's consumer group. */
export function openShardInput(redis: Redis, keys: ShardKeys, consumer: string): AggregatorInput {
  const connection = redis.connect();
  const reading = redis.connect();
  const reader = createCursorReader({ connection, key: keys.ticks });
  let after = STREAM_START;
  const group = createGroupConsumer({
    connection: reading,
    key: keys.ticks,
    group: AGGREGATOR,
    consumer,
    start: () => ({ after }),
  });
  return {
    async open(from) {
      after = from;
      await createGroup(connection, { key: keys.ticks, group: AGGREGATOR, start: { after } });
    },
    pending: () => pendingIds(connection, keys.ticks, AGGREGATOR),
    lastDelivered: () => readGroupPosition(connection, keys.ticks, AGGREGATOR),
    range: (from, through, count) => reader.range(from, through, count),
    async read({ count, blockMs }) {
      return (await group.read({ count, blockMs })).entries;
    },
    ack: (ids) => group.ack(ids),
  };
}

/** A shard's ticks and candle frames by cursor, for the hub. It starts at the end of both. */
export async function openShardTail(
  redis: Redis,
  keys: ShardKeys,
  framesKey: string,
  commitNo: number,
): Promise<HubShard> {
  const connection = redis.connect();
  const ticks = createCursorReader({ connection, key: keys.ticks });
  const liveTicks = createCursorReader({ connection: redis.connect(), key: keys.ticks });
  const frames = openCandleFrames({ connection, key: framesKey });
  const liveFrames = openCandleFrames({ connection: redis.connect(), key: framesKey });
  return {
    start: { tick: (await ticks.bounds())?.last ?? STREAM_START, commitNo },
    readTicks: (after, options) => liveTicks.readAfter(after, options),
    rangeTicks: (after, through, count) => ticks.range(after, through, count),
    readFrames: (after, options) => liveFrames.readAfter(after, options),
    rangeFrames: (after, through, count) => frames.range(after, through, count),
  };
}
