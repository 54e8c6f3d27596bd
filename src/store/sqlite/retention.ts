import { bucketStartUs, INTERVAL_CODES, INTERVALS, type Interval, US_PER_HOUR } from '../../core/interval.ts';
import { hourOf } from '../archive/index.ts';
import type { RetentionPolicy } from '../store.ts';
import { removeHour } from './archive.ts';
import type { Connection } from './connection.ts';
import type { RetentionStep } from './operations.ts';

/**
 * SCHEMA-14, SCHEMA-15: removes one bounded piece of what need not be kept: what is too old, then what is over the cap,
 * then free pages. The caller repeats while there is `more`.
 */
export function retainStep(connection: Connection, policy: RetentionPolicy): RetentionStep {
  const removed = connection.transaction(
    'write',
    () => removeExpired(connection, policy) ?? removeOverCap(connection, policy),
  );
  if (removed !== undefined) return { ...NOTHING, ...removed, sizeBytes: usedBytes(connection), more: true };
  const more = freePages(connection) > 0;
  if (more) connection.exec(`PRAGMA incremental_vacuum(${PAGES_PER_STEP})`);
  const sizeBytes = usedBytes(connection);
  return { ...NOTHING, sizeBytes, overCap: sizeBytes > policy.diskCapBytes, more };
}

/** Bytes in use, without free pages. */
export function usedBytes(connection: Connection): number {
  return (pragma(connection, 'page_count') - freePages(connection)) * pragma(connection, 'page_size');
}

const NOTHING = { candlesRemoved: 0, segmentsRemoved: 0, overCap: false };
const ROWS_PER_STEP = 5_000;
const PAGES_PER_STEP = 1_000;
/** What the cap may take; coarser candles are few. */
const CAPPED_INTERVALS: readonly Interval[] = ['1s', '5s', '1m'];

type Removed = { readonly candlesRemoved: number } | { readonly segmentsRemoved: number };

function removeExpired(connection: Connection, policy: RetentionPolicy): Removed | undefined {
  for (const interval of INTERVALS) {
    const keepUs = policy.simulatedCandlesUs[interval];
    if (keepUs === undefined) continue;
    const removed = removeCandles(connection, interval, bucketStartUs(interval, policy.nowUs - keepUs));
    if (removed !== undefined) return removed;
  }
  return removeTicks(connection, hourOf(policy.nowUs - policy.simulatedTicksUs));
}

function removeOverCap(connection: Connection, policy: RetentionPolicy): Removed | undefined {
  if (usedBytes(connection) <= policy.diskCapBytes) return undefined;
  // Late trades and open candles are at work in the last two hours.
  const untilUs = hourOf(policy.nowUs) - US_PER_HOUR;
  const ticks = removeTicks(connection, untilUs);
  if (ticks !== undefined) return ticks;
  for (const interval of CAPPED_INTERVALS) {
    const candles = removeCandles(connection, interval, untilUs);
    if (candles !== undefined) return candles;
  }
  return undefined;
}

/** Of the simulated instrument with the oldest candle that starts before `untilUs`, the oldest ROWS_PER_STEP of them. */
function removeCandles(connection: Connection, interval: Interval, untilUs: number): Removed | undefined {
  const code = INTERVAL_CODES[interval];
  const oldest = connection.row(
    `SELECT instrument_id,
        (SELECT min(c.start_us) FROM candle c WHERE c.instrument_id = i.instrument_id AND c.interval_code = ?) AS oldest
      FROM instrument i WHERE simulated = 1 AND oldest < ? ORDER BY oldest LIMIT 1`,
    [code, untilUs],
  );
  if (oldest === undefined) return undefined;
  const series = 'instrument_id = ? AND interval_code = ? AND start_us < ?';
  const values = [oldest[0] as number, code, untilUs];
  const next = connection.row(
    `SELECT start_us FROM candle WHERE ${series} ORDER BY start_us LIMIT 1 OFFSET ${ROWS_PER_STEP}`,
    values,
  );
  const candlesRemoved = connection.run(`DELETE FROM candle WHERE ${series}`, [
    ...values.slice(0, 2),
    (next?.[0] as number) ?? untilUs,
  ]);
  return { candlesRemoved };
}

/** The oldest simulated hour of ticks that starts before `untilUs`. */
function removeTicks(connection: Connection, untilUs: number): Removed | undefined {
  const oldest = connection.row(
    `SELECT instrument_id, min(
        ifnull((SELECT min(s.hour_us) FROM segment s WHERE s.instrument_id = i.instrument_id), ?1),
        ifnull((SELECT min(b.hour_us) FROM part_block b WHERE b.instrument_id = i.instrument_id), ?1)) AS oldest
      FROM instrument i WHERE simulated = 1 AND oldest < ?1 ORDER BY oldest LIMIT 1`,
    [untilUs],
  );
  if (oldest === undefined) return undefined;
  return { segmentsRemoved: removeHour(connection, oldest[0] as number, oldest[1] as number) ? 1 : 0 };
}

function freePages(connection: Connection): number {
  return pragma(connection, 'freelist_count');
}

function pragma(connection: Connection, name: string): number {
  return connection.row(`PRAGMA ${name}`)?.[0] as number;
}
