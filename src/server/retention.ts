import type { Clock } from '../core/clock.ts';
import type { Interval } from '../core/interval.ts';
import type { RetentionPolicy, Store } from '../store/index.ts';
import type { Logger } from './log.ts';
import type { Metrics } from './metrics.ts';

/**
 * Housekeeping of the store: what a simulation made is removed after a while, finished hours of the archive are
 * compacted, and the size stays below the cap (D6, D10). Imported data is never removed.
 */
export interface RetentionOptions {
  readonly store: Store;
  readonly shards: number;
  readonly diskCapBytes: number;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
}

const EVERY_MS = 60_000;
const HOUR_US = 3_600_000_000;
const DAY_US = 24 * HOUR_US;

/** Ten symbols write 864,000 one-second candles a day: fine intervals go soon, hours and longer stay (D10). */
export const SIMULATED_CANDLES_KEPT_US: Partial<Record<Interval, number>> = {
  '1s': DAY_US,
  '5s': 3 * DAY_US,
  '1m': 30 * DAY_US,
  '5m': 90 * DAY_US,
  '15m': 180 * DAY_US,
};

/** The archive of simulated ticks serves the dedupe after a restart, and a rebuild of recent candles. */
const SIMULATED_TICKS_KEPT_US = 6 * HOUR_US;

/** Runs until the signal aborts. A failure is logged and tried again: housekeeping must not stop the feed. */
export async function runRetention(options: RetentionOptions, signal: AbortSignal): Promise<void> {
  const { clock, log } = options;
  while (!signal.aborted) {
    await keepHouse(options).catch((error: unknown) =>
      log.error({ err: error }, 'housekeeping failed; trying again in a minute'),
    );
    await clock.sleep(EVERY_MS, signal);
  }
}

async function keepHouse({ store, shards, diskCapBytes, clock, log, metrics }: RetentionOptions): Promise<void> {
  const nowUs = clock.nowMs() * 1_000;
  for (let shard = 0; shard < shards; shard++) await store.compact(shard, nowUs - HOUR_US);
  const policy: RetentionPolicy = {
    nowUs,
    simulatedCandlesUs: SIMULATED_CANDLES_KEPT_US,
    simulatedTicksUs: SIMULATED_TICKS_KEPT_US,
    diskCapBytes,
  };
  const report = await store.retain(policy);
  metrics.set('ticker_store_bytes', report.sizeBytes);
  metrics.add('ticker_retention_removed_total', report.candlesRemoved, { what: 'candles' });
  metrics.add('ticker_retention_removed_total', report.segmentsRemoved, { what: 'segments' });
  if (report.overCap)
    log.error(
      { sizeBytes: report.sizeBytes, diskCapBytes },
      'the store is above TICKER_DISK_CAP, and what is left must stay: imported data, and the simulated hours that are still being written',
    );
}
