import { US_PER_HOUR } from '../../core/interval.ts';
import { compareTicks } from '../../core/tick.ts';
import { damaged } from '../archive/bytes.ts';
import { decodeBlock, encodeBlock, partBlocks } from '../archive/index.ts';
import { type Connection, insertRows, type SqlValue } from './connection.ts';

/** SCHEMA-5: the ticks of a commit, and where in them each instrument and hour is. */
export function writePart(connection: Connection, of: { shard: number; commitNo: number; part: Uint8Array }): void {
  const directory = partBlocks(of.part);
  const sql = 'INSERT INTO part (shard, commit_no, blocks_left, body) VALUES (?, ?, ?, ?) RETURNING part_id';
  const partId = connection.row(sql, [of.shard, of.commitNo, directory.length, of.part])?.[0] as number;
  const values = directory.flatMap((block) => [
    block.instrumentId,
    block.hourStartUs,
    block.offsetBytes,
    block.sizeBytes,
  ]);
  const into = 'INSERT INTO part_block (instrument_id, hour_us, offset_bytes, size_bytes, part_id)';
  insertRows(connection, into, 4, values, partId);
}

/** The blocks of one instrument and hour: its segment first, then those of parts in the order of their commits. */
export function blocks(connection: Connection, instrumentId: number, hourStartUs: number): Uint8Array[] {
  return connection.transaction('read', () => [
    ...segmentOf(connection, instrumentId, hourStartUs),
    ...partBlocksOf(connection, instrumentId, hourStartUs, ALL).map((block) => block.body),
  ]);
}

export function hours(connection: Connection, instrumentId: number, fromUs: number, toUs: number): number[] {
  const sql = `SELECT hour_us FROM segment WHERE instrument_id = ?1 AND hour_us > ?2 AND hour_us < ?3
    UNION SELECT hour_us FROM part_block WHERE instrument_id = ?1 AND hour_us > ?2 AND hour_us < ?3 ORDER BY hour_us`;
  return connection.rows(sql, [instrumentId, fromUs - US_PER_HOUR, toUs]).map(([hourUs]) => hourUs as number);
}

/** SCHEMA-8: moves blocks of one finished hour into its segment; returns how many, 0 when no finished hour has any. */
export function compactStep(connection: Connection, shard: number, beforeUs: number): number {
  return connection.transaction('write', () => {
    const finished = finishedHour(connection, shard, beforeUs - US_PER_HOUR);
    if (finished === undefined) return 0;
    const { instrumentId, hourStartUs } = finished;
    const parts = partBlocksOf(connection, instrumentId, hourStartUs, BLOCKS_PER_STEP);
    const bodies = [...segmentOf(connection, instrumentId, hourStartUs), ...parts.map((block) => block.body)];
    connection.run('REPLACE INTO segment (instrument_id, hour_us, body) VALUES (?, ?, ?)', [
      instrumentId,
      hourStartUs,
      mergeBlocks(bodies, hourStartUs),
    ]);
    removeBlocks(
      connection,
      instrumentId,
      hourStartUs,
      parts.map((block) => block.partId),
    );
    return parts.length;
  });
}

/** Removes ticks of one instrument and hour for good, a bounded number of blocks at a time; true when none are left. */
export function removeHour(connection: Connection, instrumentId: number, hourStartUs: number): boolean {
  const sql = 'SELECT part_id FROM part_block WHERE instrument_id = ? AND hour_us = ? LIMIT ?';
  const partIds = connection
    .rows(sql, [instrumentId, hourStartUs, BLOCKS_PER_STEP])
    .map(([partId]) => partId as number);
  removeBlocks(connection, instrumentId, hourStartUs, partIds);
  if (partIds.length === BLOCKS_PER_STEP) return false;
  connection.run('DELETE FROM segment WHERE instrument_id = ? AND hour_us = ?', [instrumentId, hourStartUs]);
  return true;
}

const BLOCKS_PER_STEP = 1_024;
const ALL = -1;

interface StoredBlock {
  readonly partId: number;
  readonly body: Uint8Array;
}

function segmentOf(connection: Connection, instrumentId: number, hourStartUs: number): Uint8Array[] {
  const sql = 'SELECT body FROM segment WHERE instrument_id = ? AND hour_us = ?';
  return connection.rows(sql, [instrumentId, hourStartUs]).map(([body]) => body as Uint8Array);
}

function partBlocksOf(connection: Connection, instrumentId: number, hourStartUs: number, limit: number): StoredBlock[] {
  const sql = `SELECT b.part_id, substr(p.body, b.offset_bytes + 1, b.size_bytes)
    FROM part_block b LEFT JOIN part p USING (part_id)
    WHERE b.instrument_id = ? AND b.hour_us = ? ORDER BY b.part_id LIMIT ?`;
  return connection.rows(sql, [instrumentId, hourStartUs, limit]).map(([partId, body]) => {
    if (body === null) throw damaged(`part ${String(partId)} is missing`);
    return { partId: partId as number, body: body as Uint8Array };
  });
}

function finishedHour(
  connection: Connection,
  shard: number,
  lastHourUs: number,
): { instrumentId: number; hourStartUs: number } | undefined {
  const sql = `SELECT instrument_id, (SELECT min(b.hour_us) FROM part_block b WHERE b.instrument_id = i.instrument_id) AS oldest
    FROM instrument i WHERE shard = ? AND oldest <= ? LIMIT 1`;
  const row = connection.row(sql, [shard, lastHourUs]);
  return row === undefined ? undefined : { instrumentId: row[0] as number, hourStartUs: row[1] as number };
}

/** Every tick of all of them, in the total order of trades, each with its own time of ingestion. */
function mergeBlocks(bodies: readonly Uint8Array[], hourStartUs: number): Uint8Array {
  const entries = bodies.flatMap((body) => {
    const { ticks, ingestMs } = decodeBlock(body);
    return ticks.map((tick, i) => ({ tick, ingestMs: ingestMs[i] as number }));
  });
  entries.sort((a, b) => compareTicks(a.tick, b.tick));
  return encodeBlock({
    hourStartUs,
    ticks: entries.map((entry) => entry.tick),
    ingestMs: entries.map((entry) => entry.ingestMs),
  });
}

/** SCHEMA-9: a part goes with its last block. */
function removeBlocks(
  connection: Connection,
  instrumentId: number,
  hourStartUs: number,
  partIds: readonly number[],
): void {
  for (const partId of partIds) {
    const key: SqlValue[] = [instrumentId, hourStartUs, partId];
    connection.run('DELETE FROM part_block WHERE instrument_id = ? AND hour_us = ? AND part_id = ?', key);
    connection.run('UPDATE part SET blocks_left = blocks_left - 1 WHERE part_id = ?', [partId]);
    connection.run('DELETE FROM part WHERE part_id = ? AND blocks_left = 0', [partId]);
  }
}
