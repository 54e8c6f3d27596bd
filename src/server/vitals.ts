import type { AggregatorEvent } from '../candles/index.ts';
import type { Clock } from '../core/clock.ts';
import type { StreamId } from '../core/stream-id.ts';
import type { FeedState, HubEvent } from '../live/index.ts';
import type { IngestEvent } from './ingest.ts';
import type { Logger } from './log.ts';
import type { Metrics } from './metrics.ts';

/**
 * What the parts report, in one place: counted as metrics, logged when somebody should know, and kept for /v1/status.
 */
export interface Vitals {
  readonly leader: boolean;
  readonly term: number;
  readonly lastTickMs: number | null;
  /** Last committed stream position of each shard. */
  readonly committed: ReadonlyMap<number, StreamId>;
  feedState(): FeedState;
  /** Gauges that change by themselves: the age of the feed, and how far each shard is behind. */
  refreshGauges(lagEntries: readonly number[]): void;
  onIngest(event: IngestEvent): void;
  onAggregator(shard: number, event: AggregatorEvent): void;
  onHub(event: HubEvent): void;
  onLeader(term: number | undefined): void;
}

/** A feed without a tick for this long is stale (V7); a market calendar refines it later. */
const STALE_AFTER_MS = 30_000;

export function createVitals(of: {
  simulated: boolean;
  source: string;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
}): Vitals {
  return new ObservedVitals(of);
}

class ObservedVitals implements Vitals {
  leader = false;
  term = 0;
  lastTickMs: number | null = null;
  readonly committed = new Map<number, StreamId>();
  readonly #of: Parameters<typeof createVitals>[0];
  #seenAtMs: number | undefined;

  constructor(of: Parameters<typeof createVitals>[0]) {
    this.#of = of;
  }

  feedState(): FeedState {
    const { simulated, clock } = this.#of;
    const quiet = this.#seenAtMs === undefined || clock.monotonicMs() - this.#seenAtMs > STALE_AFTER_MS;
    return { state: simulated ? 'simulated' : quiet ? 'stale' : 'live', lastTickMs: this.lastTickMs };
  }

  refreshGauges(lagEntries: readonly number[]): void {
    const { metrics, clock } = this.#of;
    for (const [shard, lag] of lagEntries.entries())
      metrics.set('ticker_stream_lag_entries', lag, { shard: String(shard) });
    if (this.#seenAtMs === undefined) return;
    metrics.set('ticker_feed_age_seconds', (clock.monotonicMs() - this.#seenAtMs) / 1_000);
  }

  onIngest(event: IngestEvent): void {
    const { metrics, log, clock, source } = this.#of;
    switch (event.kind) {
      case 'published':
        this.lastTickMs = event.lastTickMs;
        this.#seenAtMs = clock.monotonicMs();
        return metrics.add('ticker_ticks_published_total', event.ticks, { feed: source });
      case 'rejected':
        metrics.add('ticker_ticks_total', 1, { outcome: 'rejected' });
        return log.warn(event, 'tick refused');
      case 'gap':
        metrics.add('ticker_gaps_total', 1, { reason: event.reason });
        return log.warn(event, 'the source cannot bring these ticks back');
      case 'refused':
        metrics.add('ticker_fenced_total', 1, { where: 'publish' });
        return log.warn(event, 'the shard did not take the batch; standing again');
    }
  }

  onAggregator(shard: number, event: AggregatorEvent): void {
    const { metrics, log } = this.#of;
    switch (event.kind) {
      case 'committed':
        this.committed.set(shard, event.through);
        metrics.add('ticker_commits_total', 1, { shard: String(shard) });
        metrics.add('ticker_candles_written_total', event.candles);
        metrics.add('ticker_ticks_total', event.ticks, { outcome: 'applied' });
        metrics.add('ticker_ticks_total', event.duplicates, { outcome: 'duplicate' });
        return metrics.set('ticker_commit_seconds', event.tookMs / 1_000, { shard: String(shard) });
      case 'fenced':
        metrics.add('ticker_fenced_total', 1, { where: 'commit' });
        return log.warn({ shard, ...event }, 'another owner took the shard over; reloading');
      case 'gap':
        metrics.add('ticker_gaps_total', 1, { reason: event.reason });
        return log.warn({ shard, ...event }, 'ticks are missing from the stream');
      case 'malformed':
        metrics.add('ticker_ticks_total', 1, { outcome: 'malformed' });
        return log.error({ shard, ...event }, 'an entry of the stream is not a tick');
      case 'quarantined':
        metrics.add('ticker_ticks_total', 1, { outcome: 'quarantined' });
        return log.error({ shard, ...event }, 'ticks of a symbol that another source owns');
    }
  }

  onHub(event: HubEvent): void {
    const { metrics } = this.#of;
    switch (event.kind) {
      case 'delivered':
        return metrics.add('ticker_sse_events_total', event.count, { event: event.event });
      case 'reset':
        return metrics.add('ticker_sse_resets_total', 1, { reason: event.reason });
      case 'refused':
        return metrics.add('ticker_sse_refused_total', 1, { reason: event.reason });
      case 'connections':
        return metrics.set('ticker_sse_connections', event.count);
    }
  }

  onLeader(term: number | undefined): void {
    this.leader = term !== undefined;
    this.term = term ?? this.term;
    this.#of.metrics.set('ticker_leader', this.leader ? 1 : 0);
    this.#of.metrics.set('ticker_lease_term', this.term);
    this.#of.log.info(
      { term: this.term, leader: this.leader },
      this.leader ? 'leading: this process reads the feed' : 'not leading',
    );
  }
}
