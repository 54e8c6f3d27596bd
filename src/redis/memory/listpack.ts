import type { EntryId } from './entry-id.ts';

/**
 * Sizes of Redis' listpack, the encoding of a node of a stream. A node is closed by its size in bytes, and approximate
 * trimming removes whole nodes, so the size decides what `MAXLEN ~` keeps (S4.11, S4.12).
 */
export const NODE_ENTRIES_MAX = 100;
export const NODE_BYTES_MAX = 4096;

const HEADER_BYTES = 7;

/** Bytes of a new node before its first entry: header, counters and the master field names. */
export function nodeSizeBytes(fields: readonly string[]): number {
  let sizeBytes = HEADER_BYTES + integerBytes(1) + integerBytes(0) + integerBytes(fields.length / 2) + integerBytes(0);
  for (let i = 0; i < fields.length; i += 2) sizeBytes += textBytes(fields[i] as string);
  return sizeBytes;
}

/** Bytes of one entry in a node with the given master entry. */
export function entrySizeBytes(id: EntryId, fields: readonly string[], master: Master): number {
  const count = fields.length / 2;
  const same = sameNames(fields, master.fields);
  let sizeBytes =
    integerBytes(same ? 2 : 0) + differenceBytes(id.ms, master.id.ms) + differenceBytes(id.seq, master.id.seq);
  if (!same) sizeBytes += integerBytes(count);
  for (let i = 0; i < fields.length; i++) {
    if (same && i % 2 === 0) continue;
    sizeBytes += textBytes(fields[i] as string);
  }
  return sizeBytes + integerBytes(same ? count + 3 : 2 * count + 4);
}

/** The entry a node began with: later ones are stored as differences from it. */
export interface Master {
  readonly id: EntryId;
  readonly fields: readonly string[];
}

/** Total length of names and values, what XADD compares with the node's room. */
export function payloadBytes(fields: readonly string[]): number {
  let sizeBytes = 0;
  for (const text of fields) sizeBytes += utf8Bytes(text);
  return sizeBytes;
}

function sameNames(fields: readonly string[], master: readonly string[]): boolean {
  if (fields.length !== master.length) return false;
  for (let i = 0; i < fields.length; i += 2) if (fields[i] !== master[i]) return false;
  return true;
}

function textBytes(text: string): number {
  if (isIntegerText(text)) return integerBytes(Number(text));
  const length = utf8Bytes(text);
  const head = length < 64 ? 1 : length < 4096 ? 2 : 5;
  return withBackLength(head + length);
}

/** Redis stores text that is a canonical 64-bit integer as that integer. */
function isIntegerText(text: string): boolean {
  if (text.length === 0 || text.length > 20) return false;
  const first = text.charCodeAt(0);
  if (first !== 45 && (first < 48 || first > 57)) return false;
  if (!/^(?:0|-?[1-9]\d*)$/.test(text)) return false;
  if (text.length < 19) return true;
  const wide = BigInt(text);
  return wide === BigInt.asIntN(64, wide);
}

function differenceBytes(a: number | bigint, b: number | bigint): number {
  if (typeof a === 'number' && typeof b === 'number') return integerBytes(a - b);
  return integerBytes(Number(BigInt.asIntN(64, BigInt(a) - BigInt(b))));
}

function integerBytes(value: number): number {
  if (value >= 0 && value <= 127) return 2;
  if (value >= -4096 && value <= 4095) return 3;
  if (value >= -32768 && value <= 32767) return 4;
  if (value >= -8388608 && value <= 8388607) return 5;
  if (value >= -2147483648 && value <= 2147483647) return 6;
  return 10;
}

/** Each element ends with its own length, so that a listpack can be read backwards. */
function withBackLength(length: number): number {
  if (length <= 127) return length + 1;
  if (length < 16383) return length + 2;
  if (length < 2097151) return length + 3;
  return length + (length < 268435455 ? 4 : 5);
}

function utf8Bytes(text: string): number {
  let sizeBytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x80) continue;
    if (code < 0x800 || (code >= 0xd800 && code <= 0xdfff)) sizeBytes += 1;
    else sizeBytes += 2;
  }
  return sizeBytes;
}
