import { readdirSync, readFileSync } from 'node:fs';
import { TickerError } from '../../core/errors.ts';
import type { Connection } from './connection.ts';

/** SCHEMA-11: brings the tables to the newest version this code knows. STORE_NEWER when they are beyond it. */
export function migrate(connection: Connection): void {
  const from = checkVersion(connection, 'write');
  for (const { version, name } of knownMigrations()) {
    if (version <= from) continue;
    const sql = readFileSync(new URL(name, MIGRATIONS), 'utf8');
    connection.transaction('write', () => {
      connection.exec(
        'CREATE TABLE IF NOT EXISTS schema_migration (version INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT',
      );
      connection.exec(sql);
      connection.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
      connection.run('INSERT INTO schema_migration (version, name) VALUES (?, ?)', [version, name]);
    });
  }
}

/**
 * SCHEMA-12: refuses a file that is not ours, before anything is changed in it. Returns its schema version, 0 when it is
 * empty. A reader needs it at the version of the code: only writers migrate.
 */
export function checkVersion(connection: Connection, mode: 'write' | 'read'): number {
  const { path } = connection;
  const tables = connection.row('SELECT count(*) FROM sqlite_master')?.[0];
  const applicationId = connection.row('PRAGMA application_id')?.[0];
  if (tables !== 0 && applicationId !== APPLICATION_ID) {
    throw new TickerError('STORE_UNUSABLE', `store ${path}: it is a SQLite database, but not a Ticker store`, {
      details: { path },
    });
  }
  const version =
    tables === 0 ? 0 : Number(connection.row('SELECT CAST(max(version) AS INTEGER) FROM schema_migration')?.[0] ?? 0);
  const newest = knownMigrations().at(-1)?.version ?? 0;
  if (version > newest) {
    throw new TickerError(
      'STORE_NEWER',
      `store ${path} has schema ${version}; this version of Ticker knows up to ${newest}`,
      {
        details: { path, version, newest },
      },
    );
  }
  if (mode === 'read' && version < newest) {
    const what =
      version === 0 ? 'it is empty' : `it has schema ${version} and must be opened once for writing to get ${newest}`;
    throw new TickerError('STORE_UNUSABLE', `store ${path}: ${what}`, { details: { path } });
  }
  return version;
}

/** "Tick" */
const APPLICATION_ID = 0x5469636b;
const MIGRATIONS = new URL('./migrations/', import.meta.url);

function knownMigrations(): { version: number; name: string }[] {
  return readdirSync(MIGRATIONS)
    .flatMap((name) => {
      const version = /^(\d{4})-[a-z0-9-]+\.sql$/.exec(name)?.[1];
      return version === undefined ? [] : [{ version: Number(version), name }];
    })
    .sort((a, b) => a.version - b.version);
}
