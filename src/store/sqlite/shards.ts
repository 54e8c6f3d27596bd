import { assert } from '../../core/errors.ts';
import { type Checkpoint, NOTHING_CLOSED_US, type ShardRow } from '../store.ts';
import { type CheckedTable, checksumOf, rowBytes, rowText, VALUE_SEPARATOR } from './checked-row.ts';
import type { Connection } from './connection.ts';
import { escapeText, unescapeText } from './mark.ts';

/** CKPT-1. */
export function insertShard(connection: Connection, shard: number): void {
  const fresh: ShardRow = {
    shard,
    ownerTerm: 0,
    ownerToken: '',
    commitNo: 0,
    streamId: undefined,
    sourceCursor: undefined,
    watermarkUs: NOTHING_CLOSED_US,
  };
  connection.run('INSERT INTO shard (shard, checksum) VALUES (?, ?)', [shard, checksumOf(valuesOf(fresh))]);
}

export function readShard(connection: Connection, shard: number): ShardRow {
  const row = connection.row(`SELECT ${SHARD} FROM shard WHERE shard = ?`, [shard]);
  assert(row !== undefined, `the store has no shard ${shard}`);
  return decodeShard(rowText(row[0], SHARDS));
}

/** CKPT-2. A transaction, though it writes one row: a statement by itself would say nothing of a disk that is full. */
export function takeOverShard(connection: Connection, shard: number, ownerToken: string): ShardRow {
  return connection.transaction('write', () => {
    const before = readShard(connection, shard);
    const row = { ...before, ownerTerm: before.ownerTerm + 1, ownerToken };
    writeShard(connection, row);
    return row;
  });
}

/** CKPT-3: the row as it is now, or undefined when `ownerTerm` is no longer the shard's. */
export function raiseCommitNo(connection: Connection, shard: number, ownerTerm: number): ShardRow | undefined {
  const raised = connection.run(
    'UPDATE shard SET commit_no = commit_no + 1, checksum = checksum + 1 WHERE shard = ? AND owner_term = ?',
    [shard, ownerTerm],
  );
  return raised === 0 ? undefined : readShard(connection, shard);
}

export function moveCheckpoint(connection: Connection, row: ShardRow, checkpoint: Checkpoint): void {
  writeShard(connection, { ...row, ...checkpoint });
}

const SHARDS: CheckedTable = {
  describe: ([shard]) => `shard ${shard}`,
  columns: [
    'shard',
    'owner_term',
    'owner_token',
    "ifnull(stream_epoch, '')",
    "ifnull(stream_seq, '')",
    "ifnull(source_cursor, '')",
    'watermark_us',
  ],
  counters: ['commit_no'],
};
const SHARD = rowBytes(SHARDS);

function writeShard(connection: Connection, row: ShardRow): void {
  const { shard, ownerTerm, ownerToken, streamId, sourceCursor, watermarkUs } = row;
  connection.run(
    `UPDATE shard SET owner_term = ?, owner_token = ?, stream_epoch = ?, stream_seq = ?, source_cursor = ?,
      watermark_us = ?, checksum = commit_no + ? WHERE shard = ?`,
    [
      ownerTerm,
      escapeText(ownerToken),
      streamId?.epoch ?? null,
      streamId?.seq ?? null,
      sourceCursor === undefined ? null : escapeText(sourceCursor),
      watermarkUs,
      checksumOf(valuesOf(row)),
      shard,
    ],
  );
}

/** The values of SHARDS.columns. */
function valuesOf(row: ShardRow): (string | number)[] {
  const { shard, ownerTerm, ownerToken, streamId, sourceCursor = '', watermarkUs } = row;
  const position = [streamId?.epoch ?? '', streamId?.seq ?? ''];
  return [shard, ownerTerm, escapeText(ownerToken), ...position, escapeText(sourceCursor), watermarkUs];
}

function decodeShard(text: string): ShardRow {
  const values = text.split(VALUE_SEPARATOR);
  // The checksum has vouched for every one.
  const at = (index: number): string => values[index] as string;
  return {
    shard: Number(at(0)),
    ownerTerm: Number(at(1)),
    ownerToken: unescapeText(at(2)),
    commitNo: Number(at(8)),
    streamId: at(3) === '' ? undefined : { epoch: Number(at(3)), seq: Number(at(4)) },
    sourceCursor: at(5) === '' ? undefined : unescapeText(at(5)),
    watermarkUs: Number(at(6)),
  };
}
