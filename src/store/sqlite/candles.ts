import { bucketEndUs, intervalOfCode } from '../../core/interval.ts';
import { rowBytes, rowText } from './checked-row.ts';
import type { Connection, SqlValue } from './connection.ts';
import { closedThroughOf } from './instruments.ts';
import type { EncodedQuery, EncodedSnapshot } from './operations.ts';
import { CANDLES, type CandleRecord, keyOfRecord } from './record.ts';
import { readShard } from './shards.ts';

/**
 * The stored candles among `keys` (flat: instrument, interval code, start). Keys that stand close together, as those of
 * a flush do, are read by one range: a statement costs more than the rows between them.
 */
export function loadCandles(connection: Connection, keys: Float64Array): CandleRecord[] {
  const found: CandleRecord[] = [];
  for (let at = 0; at < keys.length; ) {
    const end = clusterEnd(keys, at);
    const [instrumentId, intervalCode, firstUs] = keyAt(keys, at);
    const lastUs = keyAt(keys, end - KEY_VALUES)[2];
    for (const record of range(connection, [instrumentId, intervalCode, firstUs, lastUs])) {
      const { startUs } = keyOfRecord(record);
      while (keyAt(keys, at)[2] < startUs && at < end - KEY_VALUES) at += KEY_VALUES;
      if (keyAt(keys, at)[2] === startUs) found.push(record);
    }
    at = end;
  }
  return found;
}

/** CKPT-11: one snapshot. SCHEMA-4: the latest of the window, or the first for paging onwards; ascending. */
export function readCandles(connection: Connection, query: EncodedQuery): EncodedSnapshot {
  const { instrumentId, intervalCode, fromUs, toUs, limit, keep } = query;
  const window: WindowValues = [instrumentId, intervalCode, fromUs, toUs, limit];
  return connection.transaction('read', () => {
    const shard = readShard(connection, query.shard);
    return {
      records: keep === 'first' ? first(connection, window) : latest(connection, window).reverse(),
      shard,
      closedThroughUs: Math.max(shard.watermarkUs, closedThroughOf(connection, instrumentId) ?? shard.watermarkUs),
    };
  });
}

export function latestCandles(connection: Connection, intervalCode: number): CandleRecord[] {
  const second = `SELECT start_us FROM candle WHERE instrument_id = id AND interval_code = ?1
    ORDER BY start_us DESC LIMIT 1 OFFSET 1`;
  const sql = `SELECT ${CANDLE} FROM (SELECT instrument_id AS id, symbol FROM instrument) CROSS JOIN candle
    ON instrument_id = id AND interval_code = ?1 AND start_us >= ifnull((${second}), ?2)
    ORDER BY symbol, start_us DESC`;
  return records(connection, sql, [intervalCode, Number.MIN_SAFE_INTEGER]);
}

const CANDLE = rowBytes(CANDLES);
const KEY_VALUES = 3;
/** Buckets between two keys that are worth reading over. */
const CLUSTER_GAP = 16;

function range(connection: Connection, values: [number, number, number, number]): CandleRecord[] {
  const sql = `SELECT ${CANDLE} FROM candle
    WHERE instrument_id = ? AND interval_code = ? AND start_us BETWEEN ? AND ? ORDER BY start_us`;
  return records(connection, sql, values);
}

/** Instrument, interval code, from (inclusive), to (exclusive), limit. */
type WindowValues = [number, number, number, number, number];

const WINDOW = `SELECT ${CANDLE} FROM candle
  WHERE instrument_id = ? AND interval_code = ? AND start_us >= ? AND start_us < ? ORDER BY start_us`;

function first(connection: Connection, values: WindowValues): CandleRecord[] {
  return records(connection, `${WINDOW} LIMIT ?`, values);
}

/** Newest first. */
function latest(connection: Connection, values: WindowValues): CandleRecord[] {
  return records(connection, `${WINDOW} DESC LIMIT ?`, values);
}

function records(connection: Connection, sql: string, values: readonly SqlValue[]): CandleRecord[] {
  return connection.rows(sql, values).map(([row]) => rowText(row, CANDLES));
}

function keyAt(keys: Float64Array, at: number): [number, number, number] {
  return [keys[at] as number, keys[at + 1] as number, keys[at + 2] as number];
}

/** Where the run of keys of one series that starts at `at`, ascending and close together, ends. */
function clusterEnd(keys: Float64Array, at: number): number {
  const [instrumentId, intervalCode, startUs] = keyAt(keys, at);
  const lengthUs = bucketEndUs(intervalOfCode(intervalCode), startUs) - startUs;
  let lastUs = startUs;
  let end = at + KEY_VALUES;
  for (; end < keys.length; end += KEY_VALUES) {
    const [id, code, nextUs] = keyAt(keys, end);
    if (id !== instrumentId || code !== intervalCode || nextUs <= lastUs) break;
    if (nextUs - lastUs > CLUSTER_GAP * lengthUs) break;
    lastUs = nextUs;
  }
  return end;
}
