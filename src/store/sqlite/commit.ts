import type { CommitOutcome } from '../store.ts';
import { writePart } from './archive.ts';
import { type Connection, insertRows } from './connection.ts';
import { raiseClosedThrough, raiseDigits } from './instruments.ts';
import type { EncodedFlush } from './operations.ts';
import { CANDLE_INSERT } from './record.ts';
import { moveCheckpoint, raiseCommitNo, readShard } from './shards.ts';

/** CKPT-3 to CKPT-7: the fence is the first statement, and everything after it is in the same transaction. */
export function commitFlush(connection: Connection, flush: EncodedFlush): CommitOutcome {
  const { shard, ownerTerm } = flush;
  return connection.transaction('write', () => {
    const row = raiseCommitNo(connection, shard, ownerTerm);
    if (row === undefined) {
      const present = readShard(connection, shard);
      return { kind: 'fenced', ownerTerm: present.ownerTerm, ownerToken: present.ownerToken };
    }
    const { commitNo } = row;
    // Absolute (R34): the fence has seen to it that no older state can come later.
    insertRows(connection, CANDLE_INSERT, flush.candles, commitNo);
    if (flush.part !== undefined) writePart(connection, { shard, commitNo, part: flush.part });
    for (const digits of flush.digits) raiseDigits(connection, digits);
    for (const { instrumentId, closedThroughUs } of flush.closedThrough) {
      raiseClosedThrough(connection, instrumentId, closedThroughUs);
    }
    if (flush.checkpoint !== undefined) moveCheckpoint(connection, row, flush.checkpoint);
    return { kind: 'committed', commitNo };
  });
}
