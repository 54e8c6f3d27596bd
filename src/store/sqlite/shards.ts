import { assert } from '../../core/errors.ts';
import type { Checkpoint, ShardRow } from '../store.ts';
import type { Connection, SqlRow } from './connection.ts';
import { escapeText, unescapeText } from './mark.ts';

export function readShard(connection: Connection, shard: number): ShardRow {
  return decodeShard(connection.row(`SELECT ${COLUMNS} FROM shard WHERE shard = ?`, [shard]), shard);
}

/** CKPT-2. */
export function takeOverShard(connection: Connection, shard: number, ownerToken: string): ShardRow {
  const sql = `UPDATE shard SET owner_term = owner_term + 1, owner_token = ? WHERE shard = ? RETURNING ${COLUMNS}`;
  return decodeShard(connection.row(sql, [escapeText(ownerToken), shard]), shard);
}

/** CKPT-3: the new commitNo, or undefined when `ownerTerm` is no longer the shard's. */
export function raiseCommitNo(connection: Connection, shard: number, ownerTerm: number): number | undefined {
  const sql = 'UPDATE shard SET commit_no = commit_no + 1 WHERE shard = ? AND owner_term = ? RETURNING commit_no';
  return connection.row(sql, [shard, ownerTerm])?.[0] as number | undefined;
}

export function moveCheckpoint(connection: Connection, shard: number, checkpoint: Checkpoint): void {
  const { streamId, sourceCursor, watermarkUs } = checkpoint;
  const cursor = sourceCursor === undefined ? null : escapeText(sourceCursor);
  connection.run(
    'UPDATE shard SET stream_epoch = ?, stream_seq = ?, source_cursor = ?, watermark_us = ? WHERE shard = ?',
    [streamId.epoch, streamId.seq, cursor, watermarkUs, shard],
  );
}

const COLUMNS = 'owner_term, owner_token, commit_no, stream_epoch, stream_seq, source_cursor, watermark_us';

function decodeShard(row: SqlRow | undefined, shard: number): ShardRow {
  assert(row !== undefined, `the store has no shard ${shard}`);
  const [ownerTerm, ownerToken, commitNo, epoch, seq, sourceCursor, watermarkUs] = row;
  return {
    shard,
    ownerTerm: ownerTerm as number,
    ownerToken: unescapeText(ownerToken as string),
    commitNo: commitNo as number,
    streamId: epoch === null ? undefined : { epoch: epoch as number, seq: seq as number },
    sourceCursor: sourceCursor === null ? undefined : unescapeText(sourceCursor as string),
    watermarkUs: watermarkUs as number,
  };
}
