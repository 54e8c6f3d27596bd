import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, resolve } from 'node:path';
import type { Clock } from '../../core/clock.ts';
import { TickerError } from '../../core/errors.ts';
import { type Connection, openConnection } from './connection.ts';
import { storeFault } from './faults.ts';

/** Who writes to a store, as `<path>.lock.json` says it. */
export interface LockOwner {
  readonly pid: number;
  readonly host: string;
  /** What it is doing: `ticker start`. */
  readonly label: string;
  /** ISO 8601. */
  readonly started: string;
}

export interface StoreLock {
  /** Repeatable. */
  release(): void;
}

/**
 * SCHEMA-10, D10: one writer to a store. The lock is an open transaction, so the operating system frees it with the
 * process, also after kill -9. Creates the directory. STORE_LOCKED names the holder.
 */
export async function acquireStoreLock(path: string, ownerLabel: string, clock: Clock): Promise<StoreLock> {
  const lockPath = `${path}.lock`;
  createDirectory(path);
  for (let attempt = 1; ; attempt++) {
    const connection = tryLock(lockPath, path);
    if (connection !== undefined) return sign(connection, { lockPath, path, ownerLabel, clock });
    const owner = readOwner(lockPath);
    // A holder that has just come has not signed yet, and one that was just killed may still be ending.
    if ((owner !== undefined && isAlive(owner)) || attempt === ATTEMPTS_MAX) throw lockedFault(path, owner);
    await clock.sleep(RETRY_MS);
  }
}

const ATTEMPTS_MAX = 20;
const RETRY_MS = 50;

function createDirectory(path: string): void {
  const directory = dirname(resolve(path));
  try {
    mkdirSync(directory, { recursive: true });
  } catch (error) {
    throw storeFault(error, path);
  }
}

/**
 * Never open the lock file by other means than SQLite: on POSIX, closing any descriptor of a file drops the locks the
 * process has on it. That is why the owner's name is in a file of its own.
 */
function tryLock(lockPath: string, path: string): Connection | undefined {
  let connection: Connection | undefined;
  try {
    connection = openConnection(lockPath);
    connection.exec('PRAGMA busy_timeout = 0');
    connection.exec('BEGIN EXCLUSIVE');
    return connection;
  } catch (error) {
    connection?.close();
    if (error instanceof Error && 'code' in error && error.code === 'SQLITE_BUSY') return undefined;
    throw storeFault(error, path);
  }
}

interface Signature {
  readonly lockPath: string;
  readonly path: string;
  readonly ownerLabel: string;
  readonly clock: Clock;
}

function sign(connection: Connection, { lockPath, path, ownerLabel, clock }: Signature): StoreLock {
  try {
    writeOwner(lockPath, ownerLabel, clock);
  } catch (error) {
    connection.close();
    throw storeFault(error, path);
  }
  let held = true;
  return {
    release() {
      if (held) releaseLock(connection, lockPath);
      held = false;
    },
  };
}

function releaseLock(connection: Connection, lockPath: string): void {
  rmSync(ownerPath(lockPath), { force: true });
  connection.exec('ROLLBACK');
  connection.close();
}

function ownerPath(lockPath: string): string {
  return `${lockPath}.json`;
}

function writeOwner(lockPath: string, label: string, clock: Clock): void {
  const owner: LockOwner = {
    pid: process.pid,
    host: hostname(),
    label,
    started: new Date(clock.nowMs()).toISOString(),
  };
  const draft = `${ownerPath(lockPath)}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(owner)}\n`);
  renameSync(draft, ownerPath(lockPath));
}

/** Undefined when nobody has signed, or what is there is not a signature. */
function readOwner(lockPath: string): LockOwner | undefined {
  try {
    const owner: Partial<LockOwner> = JSON.parse(readFileSync(ownerPath(lockPath), 'utf8'));
    const { pid, host, label, started } = owner;
    if (typeof pid !== 'number' || typeof host !== 'string' || typeof label !== 'string' || typeof started !== 'string')
      return undefined;
    return { pid, host, label, started };
  } catch (error) {
    if (error instanceof SyntaxError || (error instanceof Error && 'code' in error)) return undefined;
    throw error;
  }
}

/** A process of another host cannot be asked; it is taken at its word. */
function isAlive(owner: LockOwner): boolean {
  if (owner.host !== hostname()) return true;
  try {
    process.kill(owner.pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function lockedFault(path: string, owner: LockOwner | undefined): TickerError {
  if (owner === undefined)
    return new TickerError('STORE_LOCKED', `store ${path} is in use by another process`, { details: { path } });
  const { pid, host, label, started } = owner;
  const message = `store ${path} is in use by '${label}', process ${pid} on ${host}, since ${started}`;
  return new TickerError('STORE_LOCKED', message, { details: { path, pid, host, label, started } });
}
