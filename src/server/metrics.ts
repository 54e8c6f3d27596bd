import { Counter, Gauge, Registry } from 'prom-client';

/** Every metric, once: its meaning, and when it should wake somebody. docs/metrics.md is generated from this table. */
export interface Metric {
  readonly name: string;
  readonly type: 'counter' | 'gauge';
  readonly help: string;
  readonly unit?: string;
  readonly labels: readonly string[];
  readonly alarm?: string;
}

export const METRICS = [
  {
    name: 'ticker_ticks_published_total',
    type: 'counter',
    help: 'Ticks this process appended to the stream.',
    labels: ['feed'],
  },
  {
    name: 'ticker_ticks_total',
    type: 'counter',
    help: 'Ticks taken from the stream by outcome; received is the sum of all outcomes (R24).',
    labels: ['outcome'],
    alarm: 'malformed grows: an entry in the stream is not a tick; the log has its id.',
  },
  {
    name: 'ticker_gaps_total',
    type: 'counter',
    help: 'Losses declared in the stream or found by its sequence.',
    labels: ['reason'],
    alarm: 'any growth with a reason other than simulated-stop: ticks were lost and candles are incomplete.',
  },
  {
    name: 'ticker_leader',
    type: 'gauge',
    help: '1 while this process holds the lease of the feed.',
    labels: [],
    alarm: 'the sum over all processes is 0 for longer than the lease.',
  },
  { name: 'ticker_lease_term', type: 'gauge', help: 'Term of the lease this process held last.', labels: [] },
  {
    name: 'ticker_stream_lag_entries',
    type: 'gauge',
    help: 'Ticks in the stream that are not yet in committed candles.',
    labels: ['shard'],
    alarm: 'grows for a minute.',
  },
  { name: 'ticker_commits_total', type: 'counter', help: 'Committed flushes.', labels: ['shard'] },
  {
    name: 'ticker_commit_seconds',
    type: 'gauge',
    help: 'Time of the last commit.',
    unit: 'seconds',
    labels: ['shard'],
  },
  { name: 'ticker_candles_written_total', type: 'counter', help: 'Candle rows written.', labels: [] },
  {
    name: 'ticker_fenced_total',
    type: 'counter',
    help: 'Commits or publishes refused because another owner took over.',
    labels: ['where'],
  },
  {
    name: 'ticker_store_bytes',
    type: 'gauge',
    help: 'Size of the store without free pages.',
    unit: 'bytes',
    labels: [],
    alarm: 'above 90 % of TICKER_DISK_CAP.',
  },
  { name: 'ticker_retention_removed_total', type: 'counter', help: 'Rows removed by retention.', labels: ['what'] },
  { name: 'ticker_sse_connections', type: 'gauge', help: 'Open event streams.', labels: [] },
  { name: 'ticker_sse_events_total', type: 'counter', help: 'Events handed to event streams.', labels: ['event'] },
  {
    name: 'ticker_sse_resets_total',
    type: 'counter',
    help: 'Streams that got a fresh snapshot instead of what they missed.',
    labels: ['reason'],
    alarm: 'slow grows: readers cannot keep up.',
  },
  { name: 'ticker_sse_refused_total', type: 'counter', help: 'Streams asked to come back later.', labels: ['reason'] },
  { name: 'ticker_http_requests_total', type: 'counter', help: 'Answered requests.', labels: ['route', 'status'] },
  {
    name: 'ticker_feed_age_seconds',
    type: 'gauge',
    help: 'Time since the last tick of the feed.',
    unit: 'seconds',
    labels: [],
    alarm: 'above 60 while the market is open.',
  },
] as const satisfies readonly Metric[];

export type MetricName = (typeof METRICS)[number]['name'];

export interface Metrics {
  add(name: MetricName, amount: number, labels?: Readonly<Record<string, string>>): void;
  set(name: MetricName, value: number, labels?: Readonly<Record<string, string>>): void;
  /** Prometheus text exposition format 0.0.4. */
  text(): Promise<string>;
  readonly contentType: string;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  const counters = new Map<string, Counter>();
  const gauges = new Map<string, Gauge>();
  for (const metric of METRICS as readonly Metric[]) {
    const options = { name: metric.name, help: metric.help, labelNames: [...metric.labels], registers: [registry] };
    if (metric.type === 'counter') counters.set(metric.name, new Counter(options));
    else gauges.set(metric.name, new Gauge(options));
  }
  return {
    add: (name, amount, labels = {}) => counters.get(name)?.inc({ ...labels }, amount),
    set: (name, value, labels = {}) => gauges.get(name)?.set({ ...labels }, value),
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
