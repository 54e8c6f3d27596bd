import { TickerError } from '../../core/errors.ts';

/** A fault of SQLite or of the file system in our words: what failed, on which store, and why. */
export function storeFault(error: unknown, path: string): TickerError {
  if (error instanceof TickerError) return error;
  const code = codeOf(error);
  const reason = REASONS[code] ?? (error instanceof Error ? error.message : String(error));
  // A row the schema refuses is a mistake of the caller, not of the disk.
  if (code.startsWith('SQLITE_CONSTRAINT'))
    return new TickerError('INTERNAL', `store ${path}: ${reason}`, { cause: error });
  return new TickerError('STORE_UNUSABLE', `store ${path}: ${reason}`, { cause: error, details: { path } });
}

const REASONS: Record<string, string | undefined> = {
  SQLITE_NOTADB: 'it is not a SQLite database',
  SQLITE_CORRUPT: 'the file is damaged',
  SQLITE_FULL: 'the disk is full',
  SQLITE_READONLY: 'it cannot be written',
  SQLITE_CANTOPEN: 'it cannot be opened',
  SQLITE_BUSY: 'another program holds it locked',
  EACCES: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of the path is not a directory',
  EEXIST: 'a part of the path is not a directory',
};

/** libsql throws a plain error when the file cannot be opened. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  if (error.message.startsWith('ConnectionFailed')) return 'SQLITE_CANTOPEN';
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}
