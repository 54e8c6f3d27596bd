import type { Clock } from '../core/clock.ts';
import { formatStreamId } from '../core/stream-id.ts';
import type { Feed } from '../feed/index.ts';
import type { Hub } from '../live/index.ts';
import type { Store } from '../store/index.ts';
import type { Publisher } from '../stream/index.ts';
import type { Vitals } from './vitals.ts';

export interface StatusOptions {
  readonly feed: Feed;
  readonly store: Store;
  readonly hub: Hub;
  readonly vitals: Vitals;
  /** One a shard. */
  readonly publishers: readonly Publisher[];
  readonly startedAtMs: number;
  readonly clock: Clock;
  readonly backlog: (shard: number) => number;
}

/** What /v1/status says: who reads the feed, how far each shard is, who listens. */
export async function readStatus({
  feed,
  store,
  hub,
  vitals,
  publishers,
  startedAtMs,
  clock,
  backlog,
}: StatusOptions): Promise<object> {
  const rows = await Promise.all(publishers.map((_, shard) => store.shard(shard)));
  return {
    role: 'all',
    pid: process.pid,
    uptimeMs: Math.max(0, clock.nowMs() - startedAtMs),
    leader: vitals.leader,
    term: vitals.term,
    feed: { source: feed.source, simulated: feed.simulated, ...vitals.feedState() },
    shards: rows.map((row, shard) => {
      const written = publishers[shard]?.position();
      return {
        shard,
        ownerTerm: row.ownerTerm,
        owner: row.ownerToken,
        commitNo: row.commitNo,
        published: written ? formatStreamId(written) : null,
        through: row.streamId ? formatStreamId(row.streamId) : null,
        lagEntries: backlog(shard),
        watermarkMs: Math.floor(row.watermarkUs / 1_000),
      };
    }),
    readers: hub.connections,
    store: { kind: 'sqlite', incarnation: store.incarnation, sizeBytes: await store.sizeBytes() },
  };
}
