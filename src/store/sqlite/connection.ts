import Database from 'libsql';

export type SqlValue = string | number | null | Uint8Array;
export type SqlRow = SqlValue[];

/**
 * One libsql connection with its prepared statements. Rows are arrays: libsql adds a property to row objects. Integers
 * beyond 2^53 would be rounded silently, so none is stored.
 */
export interface Connection {
  readonly path: string;
  exec(sql: string): void;
  /** Runs a statement; returns the rows it changed. */
  run(sql: string, values?: readonly SqlValue[]): number;
  row(sql: string, values?: readonly SqlValue[]): SqlRow | undefined;
  rows(sql: string, values?: readonly SqlValue[]): SqlRow[];
  /** All of `work` or nothing; `write` takes the write lock at once, so that it cannot fail half-way for a lock. */
  transaction<Value>(kind: 'read' | 'write', work: () => Value): Value;
  close(): void;
}

export function openConnection(path: string): Connection {
  const database = new Database(path);
  const commands = new Map<string, Database.Statement>();
  const queries = new Map<string, Database.Statement>();

  function command(sql: string): Database.Statement {
    const known = commands.get(sql);
    if (known !== undefined) return known;
    const statement = database.prepare(sql);
    commands.set(sql, statement);
    return statement;
  }

  function query(sql: string): Database.Statement {
    const known = queries.get(sql);
    if (known !== undefined) return known;
    const statement = database.prepare(sql).raw();
    queries.set(sql, statement);
    return statement;
  }

  return {
    path,
    exec(sql) {
      database.exec(sql);
    },
    run: (sql, values = []) => command(sql).run(values).changes,
    row: (sql, values = []) => query(sql).get(values) as SqlRow | undefined,
    rows: (sql, values = []) => query(sql).all(values) as SqlRow[],
    transaction(kind, work) {
      database.exec(kind === 'write' ? 'BEGIN IMMEDIATE' : 'BEGIN');
      try {
        const value = work();
        database.exec('COMMIT');
        return value;
      } catch (error) {
        // A full disk rolls back by itself.
        if (database.inTransaction) database.exec('ROLLBACK');
        throw error;
      }
    },
    close() {
      commands.clear();
      queries.clear();
      database.close();
    },
  };
}

/**
 * Inserts rows of the form `row`: `(?, ?, ?1)` takes two of `values` and `shared`. Statements of many rows: a call of
 * libsql costs ten microseconds whatever it does (measured: 64 rows a call take 60 % of the time of single ones;
 * json_each takes more).
 */
export function insertRows(
  connection: Connection,
  { into, row }: { readonly into: string; readonly row: string },
  values: readonly SqlValue[],
  shared: SqlValue,
): void {
  const width = row.match(OWN_VALUE)?.length ?? 0;
  let from = 0;
  for (const rows of ROWS_PER_STATEMENT) {
    let number = 2;
    const all = Array.from({ length: rows }, () => row.replace(OWN_VALUE, () => `?${number++}`));
    const sql = `${into} VALUES ${all.join(', ')}`;
    for (; values.length - from >= rows * width; from += rows * width) {
      connection.run(sql, [shared, ...values.slice(from, from + rows * width)]);
    }
  }
}

const ROWS_PER_STATEMENT = [64, 8, 1];
/** Not ?1. */
const OWN_VALUE = /\?(?!\d)/g;
