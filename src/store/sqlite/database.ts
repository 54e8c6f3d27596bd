import { existsSync } from 'node:fs';
import { TickerError } from '../../core/errors.ts';
import { blocks, compactStep, hours } from './archive.ts';
import { latestCandles, loadCandles, readCandles } from './candles.ts';
import { type CheckedTable, checksumOf, rowBytes, rowText, VALUE_SEPARATOR } from './checked-row.ts';
import { commitFlush } from './commit.ts';
import { type Connection, openConnection } from './connection.ts';
import { storeFault } from './faults.ts';
import { listInstruments, registerInstruments } from './instruments.ts';
import { checkVersion, migrate } from './migrate.ts';
import type { DatabaseIdentity, DatabaseOperations, DatabaseSettings } from './operations.ts';
import { retainStep, usedBytes } from './retention.ts';
import { insertShard, readShard, takeOverShard } from './shards.ts';

/** The store's database, on the thread that owns it. Faults are TickerErrors. */
export interface StoreDatabase {
  readonly identity: DatabaseIdentity;
  readonly operations: DatabaseOperations;
  close(): void;
}

export function openStoreDatabase(settings: DatabaseSettings): StoreDatabase {
  const { path, mode } = settings;
  if (mode === 'read' && !existsSync(path)) {
    throw new TickerError('STORE_UNUSABLE', `store ${path}: there is no such file`, { details: { path } });
  }
  let connection: Connection | undefined;
  try {
    connection = openConnection(path);
    const identity = mode === 'read' ? openForReading(connection) : openForWriting(connection, settings);
    return { identity, operations: operationsOn(connection, identity), close: () => closeConnection(connection, mode) };
  } catch (error) {
    connection?.close();
    throw storeFault(error, path);
  }
}

/** Long enough for another process's checkpoint, short enough for a person to wait. */
const BUSY_TIMEOUT_MS = 5_000;
const CACHE_KIB = 32_768;
/** The log of a large import is cut back to this. */
const WAL_LIMIT_BYTES = 64 * 1_024 * 1_024;

function openForReading(connection: Connection): DatabaseIdentity {
  // libsql ignores its `readonly` option.
  connection.exec(`PRAGMA query_only = 1; PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}; PRAGMA cell_size_check = 1`);
  checkVersion(connection, 'read');
  return readIdentity(connection);
}

function openForWriting(connection: Connection, settings: DatabaseSettings): DatabaseIdentity {
  connection.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}; PRAGMA cell_size_check = 1`);
  checkVersion(connection, 'write');
  // auto_vacuum counts only before the first table.
  connection.exec('PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
  connection.exec(
    `PRAGMA foreign_keys = 1; PRAGMA cache_size = -${CACHE_KIB}; PRAGMA journal_size_limit = ${WAL_LIMIT_BYTES}`,
  );
  migrate(connection);
  seed(connection, settings);
  const identity = readIdentity(connection);
  if (settings.shards !== undefined && settings.shards !== identity.shards) {
    throw new TickerError(
      'STORE_SHARDS',
      `store ${connection.path} has ${identity.shards} shards, not ${settings.shards}`,
      {
        details: { shards: identity.shards },
      },
    );
  }
  return identity;
}

const META: CheckedTable = { describe: ([key]) => `meta ${key}`, columns: ['key', 'value'], counters: [] };

/** Gives a new store its name and its shards; changes nothing in an old one. */
function seed(connection: Connection, { newIncarnation, shards = 1 }: DatabaseSettings): void {
  connection.transaction('write', () => {
    if (connection.row("SELECT 1 FROM meta WHERE key = 'incarnation'") !== undefined) return;
    const facts = [
      ['incarnation', newIncarnation],
      ['shards', String(shards)],
    ];
    for (const fact of facts)
      connection.run('INSERT INTO meta (key, value, checksum) VALUES (?, ?, ?)', [...fact, checksumOf(fact)]);
    for (let shard = 0; shard < shards; shard++) insertShard(connection, shard);
  });
}

function readIdentity(connection: Connection): DatabaseIdentity {
  const meta = new Map(
    connection.rows(`SELECT ${rowBytes(META)} FROM meta`).map(([row]): [string, string] => {
      const [key, value] = rowText(row, META).split(VALUE_SEPARATOR);
      return [key as string, value as string];
    }),
  );
  const incarnation = meta.get('incarnation');
  const shards = Number(meta.get('shards'));
  if (incarnation === undefined || !(Number.isSafeInteger(shards) && shards >= 1)) {
    throw new TickerError(
      'STORE_UNUSABLE',
      `store ${connection.path}: it was never finished; open it for writing once`,
    );
  }
  return { incarnation, shards };
}

function operationsOn(connection: Connection, { shards }: DatabaseIdentity): DatabaseOperations {
  return {
    instruments: () => listInstruments(connection),
    register: (claims) => registerInstruments(connection, claims, shards),
    shard: (shard) => readShard(connection, shard),
    takeOver: (shard, ownerToken) => takeOverShard(connection, shard, ownerToken),
    commit: (flush) => commitFlush(connection, flush),
    loadCandles: (keys) => loadCandles(connection, keys),
    readCandles: (query) => readCandles(connection, query),
    latestCandles: (intervalCode) => latestCandles(connection, intervalCode),
    blocks: (instrumentId, hourStartUs) => blocks(connection, instrumentId, hourStartUs),
    hours: (instrumentId, fromUs, toUs) => hours(connection, instrumentId, fromUs, toUs),
    compactStep: (shard, beforeUs) => compactStep(connection, shard, beforeUs),
    retainStep: (policy) => retainStep(connection, policy),
    sizeBytes: () => usedBytes(connection),
  };
}

function closeConnection(connection: Connection | undefined, mode: 'write' | 'read'): void {
  // Leaves one file behind instead of three, unless a reader is busy.
  if (mode === 'write') connection?.rows('PRAGMA wal_checkpoint(TRUNCATE)');
  connection?.close();
}
