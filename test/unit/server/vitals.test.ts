import { beforeEach, describe, expect, it } from 'vitest';
import { createMetrics, type Metrics } from '../../../src/server/metrics.ts';
import { createVitals } from '../../../src/server/vitals.ts';
import { createVirtualClock, type VirtualClock } from '../../../src/testkit/virtual-clock.ts';
import { recordedLog } from './recorded-log.ts';

let clock: VirtualClock;
let metrics: Metrics;
let recorded: ReturnType<typeof recordedLog>;

beforeEach(() => {
  clock = createVirtualClock();
  metrics = createMetrics();
  recorded = recordedLog();
});

const open = (simulated: boolean) => createVitals({ simulated, source: 'venue', clock, metrics, log: recorded.log });
const published = (lastTickMs: number) => ({ kind: 'published', ticks: 3, lastTickMs }) as const;

/** Value of a metric line that begins like this. */
async function metric(name: string): Promise<number | undefined> {
  const line = (await metrics.text()).split('\n').find((one) => one.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length + 1));
}

describe('vitals', () => {
  it('V7 a feed is stale before its first tick, live with one, and stale again when it falls silent', async () => {
    const vitals = open(false);
    expect(vitals.feedState()).toEqual({ state: 'stale', lastTickMs: null });
    vitals.onIngest(published(clock.nowMs() - 2_000));
    expect(vitals.feedState()).toEqual({ state: 'live', lastTickMs: clock.nowMs() - 2_000 });
    await clock.advance(30_000);
    vitals.refreshGauges([7]);
    expect(await metric('ticker_feed_age_seconds')).toBe(30);
    expect(await metric('ticker_stream_lag_entries{shard="0"}')).toBe(7);
    expect(vitals.feedState().state).toBe('live');
    await clock.advance(1);
    expect(vitals.feedState().state).toBe('stale');
  });

  it('T1 V7 a simulated feed says so whatever happens', async () => {
    const vitals = open(true);
    expect(vitals.feedState().state).toBe('simulated');
    vitals.onIngest(published(1));
    await clock.advance(60_000);
    expect(vitals.feedState().state).toBe('simulated');
  });

  it('R24 every outcome of a tick has a counter, and what is not applied is logged with its reason', async () => {
    const vitals = open(false);
    vitals.onIngest({ kind: 'rejected', symbol: 'A', field: 'price', reason: 'is zero' });
    vitals.onAggregator(0, {
      kind: 'committed',
      commitNo: 4,
      ticks: 10,
      duplicates: 2,
      candles: 7,
      tookMs: 5,
      through: { epoch: 5, seq: 9 },
    });
    vitals.onAggregator(0, { kind: 'malformed', id: { epoch: 5, seq: 1 }, reason: 'p: is missing' });
    vitals.onAggregator(0, { kind: 'quarantined', symbol: 'B', reason: 'was not registered' });
    const outcome = (name: string) => metric(`ticker_ticks_total{outcome="${name}"}`);
    expect(await Promise.all(['rejected', 'applied', 'duplicate', 'malformed', 'quarantined'].map(outcome))).toEqual([
      1, 10, 2, 1, 1,
    ]);
    expect(await metric('ticker_candles_written_total')).toBe(7);
    expect(vitals.committed.get(0)).toEqual({ epoch: 5, seq: 9 });
    expect(recorded.lines().map(({ reason }) => reason)).toEqual(['is zero', 'p: is missing', 'was not registered']);
  });

  it('T9 losses and refusals are counted by reason and logged', async () => {
    const vitals = open(false);
    vitals.onIngest({ kind: 'gap', reason: 'venue down' });
    vitals.onAggregator(0, { kind: 'gap', reason: 'trimmed-unread' });
    vitals.onIngest({ kind: 'refused', shard: 0, outcome: 'stale' });
    vitals.onAggregator(0, { kind: 'fenced', ownerToken: 'other' });
    expect(await metric('ticker_gaps_total{reason="venue down"}')).toBe(1);
    expect(await metric('ticker_gaps_total{reason="trimmed-unread"}')).toBe(1);
    expect(await metric('ticker_fenced_total{where="publish"}')).toBe(1);
    expect(await metric('ticker_fenced_total{where="commit"}')).toBe(1);
    expect(recorded.lines()).toHaveLength(4);
  });

  it('T6 says whether this process leads, and keeps the term it had', async () => {
    const vitals = open(false);
    vitals.onLeader(17);
    expect([vitals.leader, vitals.term, await metric('ticker_leader'), await metric('ticker_lease_term')]).toEqual([
      true,
      17,
      1,
      17,
    ]);
    vitals.onLeader(undefined);
    expect([vitals.leader, vitals.term, await metric('ticker_leader')]).toEqual([false, 17, 0]);
  });

  it('V3 resets and refusals of readers are counted by reason', async () => {
    const vitals = open(false);
    vitals.onHub({ kind: 'reset', reason: 'slow' });
    vitals.onHub({ kind: 'refused', reason: 'connections' });
    vitals.onHub({ kind: 'connections', count: 3 });
    vitals.onHub({ kind: 'delivered', event: 'ticks', count: 5 });
    expect(await metric('ticker_sse_resets_total{reason="slow"}')).toBe(1);
    expect(await metric('ticker_sse_refused_total{reason="connections"}')).toBe(1);
    expect(await metric('ticker_sse_connections')).toBe(3);
    expect(await metric('ticker_sse_events_total{event="ticks"}')).toBe(5);
  });
});
