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
  insertRows(connection, { into, row: '(?, ?, ?, ?, ?1)' }, values, partId);
}

/** The blocks of one instrument and hour: its segment first, then those of parts in the order of their commits. */
export function blocks(connection: Connection, instrumentId: number, hourStartUs: number): Uint8Array[] {
  const sql = `SELECT CAST(b.part_id AS INTEGER), substr(CAST(p.body AS BLOB), b.offset_bytes + 1, b.size_bytes)
    FROM part_block b LEFT JOIN part p USING (part_id)
    WHERE b.instrument_id = ? AND b.hour_us = ? ORDER BY b.part_id`;
  return connection.transaction('read', () => [
    ...segmentOf(connection, instrumentId, hourStartUs),
    ...connection.rows(sql, [instrumentId, hourStartUs]).map(([partId, body]) => present(body, partId)),
  ]);
}

export function hours(connection: Connection, instrumentId: number, fromUs: number, toUs: number): number[] {
  const sql = `SELECT CAST(hour_us AS INTEGER) AS hour_us FROM segment
      WHERE instrument_id = ?1 AND hour_us > ?2 AND hour_us < ?3
    UNION SELECT CAST(hour_us AS INTEGER) FROM part_block WHERE instrument_id = ?1 AND hour_us > ?2 AND hour_us < ?3 ORDER BY hour_us`;
  return connection.rows(sql, [instrumentId, fromUs - US_PER_HOUR, toUs]).map(([hourUs]) => hourUs as number);
}

/**
 * SCHEMA-8: moves blocks of finished hours into their segments; returns how many, 0 when no finished hour has any. A
 * step is bounded in blocks and bytes, to about 50 ms, so that commits come in between.
 */
export function compactStep(connection: Connection, shard: number, beforeUs: number): number {
  return connection.transaction('write', () => {
    const bodyOf = partReader(connection);
    const removed = new Map<number, number>();
    let [blocksLeft, bytesLeft] = [BLOCKS_PER_STEP, BYTES_PER_STEP];
    for (const { instrumentId, hourStartUs } of finishedHours(connection, shard, beforeUs - US_PER_HOUR)) {
      const parts = partBlocksOf(connection, instrumentId, hourStartUs, blocksLeft);
      const bodies = [...segmentOf(connection, instrumentId, hourStartUs), ...parts.map(bodyOf)];
      connection.run('REPLACE INTO segment (instrument_id, hour_us, body) VALUES (?, ?, ?)', [
        instrumentId,
        hourStartUs,
        mergeBlocks(bodies, hourStartUs),
      ]);
      removeBlocks(connection, instrumentId, hourStartUs, parts);
      for (const { partId } of parts) removed.set(partId, (removed.get(partId) ?? 0) + 1);
      blocksLeft -= parts.length;
      bytesLeft -= bodies.reduce((sum, body) => sum + body.length, 0);
      if (blocksLeft <= 0 || bytesLeft <= 0) break;
    }
    releaseParts(connection, removed);
    return BLOCKS_PER_STEP - blocksLeft;
  });
}

/** Removes ticks of one instrument and hour for good, a bounded number of blocks at a time; true when none are left. */
export function removeHour(connection: Connection, instrumentId: number, hourStartUs: number): boolean {
  const parts = partBlocksOf(connection, instrumentId, hourStartUs, BLOCKS_PER_STEP);
  removeBlocks(connection, instrumentId, hourStartUs, parts);
  releaseParts(connection, new Map(parts.map(({ partId }) => [partId, 1])));
  if (parts.length === BLOCKS_PER_STEP) return false;
  connection.run('DELETE FROM segment WHERE instrument_id = ? AND hour_us = ?', [instrumentId, hourStartUs]);
  return true;
}

const BLOCKS_PER_STEP = 256;
const BYTES_PER_STEP = 192 * 1_024;
/** Of the parts that one step keeps at hand. */
const PARTS_MAX_BYTES = 32 * 1_024 * 1_024;

interface StoredBlock {
  readonly partId: number;
  readonly offsetBytes: number;
  readonly sizeBytes: number;
}

function segmentOf(connection: Connection, instrumentId: number, hourStartUs: number): Uint8Array[] {
  const sql = 'SELECT CAST(body AS BLOB) FROM segment WHERE instrument_id = ? AND hour_us = ?';
  return connection.rows(sql, [instrumentId, hourStartUs]).map(([body]) => body as Uint8Array);
}

/** In the order of their commits. The casts: a damaged file may hold anything anywhere (SCHEMA-16). */
function partBlocksOf(connection: Connection, instrumentId: number, hourStartUs: number, limit: number): StoredBlock[] {
  const sql = `SELECT CAST(part_id AS INTEGER), CAST(offset_bytes AS INTEGER), CAST(size_bytes AS INTEGER)
    FROM part_block WHERE instrument_id = ? AND hour_us = ? ORDER BY part_id LIMIT ?`;
  return (connection.rows(sql, [instrumentId, hourStartUs, limit]) as [number, number, number][]).map(
    ([partId, offsetBytes, sizeBytes]) => ({ partId, offsetBytes, sizeBytes }),
  );
}

/** Reads blocks out of parts. It keeps the parts it has read, up to a limit: a part holds blocks of many hours. */
function partReader(connection: Connection): (block: StoredBlock) => Uint8Array {
  const kept = new Map<number, Uint8Array>();
  let keptBytes = 0;
  return ({ partId, offsetBytes, sizeBytes }) => {
    let body = kept.get(partId);
    if (body === undefined) {
      body = present(connection.row('SELECT CAST(body AS BLOB) FROM part WHERE part_id = ?', [partId])?.[0], partId);
      if (keptBytes + body.length > PARTS_MAX_BYTES) {
        kept.clear();
        keptBytes = 0;
      }
      kept.set(partId, body);
      keptBytes += body.length;
    }
    return body.subarray(offsetBytes, offsetBytes + sizeBytes);
  };
}

function present(body: SqlValue | undefined, partId: SqlValue | undefined): Uint8Array {
  if (body instanceof Uint8Array) return body;
  throw damaged(`part ${String(partId)} is missing`);
}

/** As many as one step may merge, if each has one block. */
function finishedHours(
  connection: Connection,
  shard: number,
  lastHourUs: number,
): { instrumentId: number; hourStartUs: number }[] {
  const sql = `SELECT DISTINCT i.instrument_id, b.hour_us
    FROM instrument i CROSS JOIN part_block b ON b.instrument_id = i.instrument_id
    WHERE i.shard = ? AND b.hour_us <= ? ORDER BY 1, 2 LIMIT ${BLOCKS_PER_STEP}`;
  return (connection.rows(sql, [shard, lastHourUs]) as [number, number][]).map(([instrumentId, hourStartUs]) => ({
    instrumentId,
    hourStartUs,
  }));
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

function removeBlocks(
  connection: Connection,
  instrumentId: number,
  hourStartUs: number,
  oldest: readonly StoredBlock[],
): void {
  const last = oldest.at(-1);
  if (last === undefined) return;
  const sql = 'DELETE FROM part_block WHERE instrument_id = ? AND hour_us = ? AND part_id <= ?';
  connection.run(sql, [instrumentId, hourStartUs, last.partId]);
}

/** SCHEMA-9: a part goes with its last block. `removed` counts blocks by part. */
function releaseParts(connection: Connection, removed: ReadonlyMap<number, number>): void {
  for (const [partId, blocks] of removed) {
    connection.run('UPDATE part SET blocks_left = blocks_left - ? WHERE part_id = ?', [blocks, partId]);
    connection.run('DELETE FROM part WHERE part_id = ? AND blocks_left <= 0', [partId]);
  }
}
