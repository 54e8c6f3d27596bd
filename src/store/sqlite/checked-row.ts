import { crc32 } from 'node:zlib';
import { TickerError } from '../../core/errors.ts';
import type { SqlValue } from './connection.ts';

/**
 * SCHEMA-16: a table whose rows carry `checksum`: the CRC-32 of the values of `columns`, plus the `counters`. Counters
 * are what SQL itself raises; it raises the checksum with them, so a damaged row stays one that does not agree.
 */
export interface CheckedTable {
  /** What a row is to a person, from its values; any of them may be damaged. */
  describe(values: readonly string[]): string;
  /** SQL expressions that are never null. */
  readonly columns: readonly string[];
  readonly counters: readonly string[];
}

/** Parts the values of a row; escapeText keeps it out of every text. */
export const VALUE_SEPARATOR = '\u001f';

/**
 * SQL for a whole row as bytes. Never as text: libsql ends the process when a damaged file gives it a text that is not
 * UTF-8. One value a row is faster than one a column, too.
 */
export function rowBytes({ columns, counters }: CheckedTable): string {
  const values = [...columns, `(${['checksum', ...counters].join(' - ')})`, ...counters];
  return `CAST(${values.join(' || char(31) || ')} AS BLOB)`;
}

/** The values of a row, parted by VALUE_SEPARATOR: columns, CRC, counters. STORE_UNUSABLE when the row is damaged. */
export function rowText(value: SqlValue | undefined, { describe, counters }: CheckedTable): string {
  const bytes = bufferOf(value);
  let end = bytes.length;
  for (let left = counters.length; left > 0; left--) end = lastSeparator(bytes, end);
  const columnsEnd = lastSeparator(bytes, end);
  const text = bytes.toString('utf8');
  if (crc32(bytes.subarray(0, columnsEnd)) !== Number(bytes.toString('latin1', columnsEnd + 1, end)))
    throw new TickerError('STORE_UNUSABLE', `the store is damaged: ${readable(describe(text.split(VALUE_SEPARATOR)))}`);
  return text;
}

/** The CRC of the values of the columns, before the counters are added to it. */
export function checksumOf(values: readonly (string | number)[]): number {
  return crc32(values.join(VALUE_SEPARATOR));
}

const SEPARATOR_BYTE = 0x1f;
const READABLE_LENGTH = 120;

function bufferOf(value: SqlValue | undefined): Buffer {
  if (!(value instanceof Uint8Array))
    throw new TickerError('STORE_UNUSABLE', 'the store is damaged: a row is not whole');
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
}

/** -1 when there is none before `end`. */
function lastSeparator(bytes: Buffer, end: number): number {
  return end <= 0 ? -1 : bytes.lastIndexOf(SEPARATOR_BYTE, end - 1);
}

function readable(text: string): string {
  return text.replace(/[^ -~]/g, '?').slice(0, READABLE_LENGTH);
}
