import { addUnits, compareUnits, type Units } from '../../core/decimal.ts';

/**
 * The id of a stream entry as servers keep it: two unsigned 64-bit integers, compared as numbers. (StreamId of core is
 * the half of it that Ticker itself writes; a server accepts the whole range.)
 */
export interface EntryId {
  readonly ms: Units;
  readonly seq: Units;
}

const U64_MAX = 18_446_744_073_709_551_615n;

export const ID_MIN: EntryId = { ms: 0, seq: 0 };
export const ID_MAX: EntryId = { ms: U64_MAX, seq: U64_MAX };

export function compareIds(a: EntryId, b: EntryId): number {
  return compareUnits(a.ms, b.ms) || compareUnits(a.seq, b.seq);
}

export function formatId(id: EntryId): string {
  return `${id.ms}-${id.seq}`;
}

export function isZeroId(id: EntryId): boolean {
  return id.ms === 0 && id.seq === 0;
}

/** The id after `id`; undefined after the last one. */
export function nextId(id: EntryId): EntryId | undefined {
  if (id.seq !== U64_MAX) return { ms: id.ms, seq: addUnits(id.seq, 1) };
  return id.ms === U64_MAX ? undefined : { ms: addUnits(id.ms, 1), seq: 0 };
}

/** The id before `id`; undefined before 0-0. */
export function previousId(id: EntryId): EntryId | undefined {
  if (id.seq !== 0) return { ms: id.ms, seq: addUnits(id.seq, -1) };
  return id.ms === 0 ? undefined : { ms: addUnits(id.ms, -1), seq: U64_MAX };
}

/** Parses `<ms>-<seq>`, or `<ms>` with the sequence that the command assumes. */
export function parseId(text: string, missingSeq: Units = 0): EntryId | undefined {
  const dash = text.indexOf('-');
  if (dash < 0) {
    const ms = parseU64(text);
    return ms === undefined ? undefined : { ms, seq: missingSeq };
  }
  const ms = parseU64(text.slice(0, dash));
  const seq = parseU64(text.slice(dash + 1));
  return ms === undefined || seq === undefined ? undefined : { ms, seq };
}

/** An unsigned 64-bit integer, as a number where it is exact. */
export function parseU64(text: string): Units | undefined {
  if (text.length === 0 || text.length > 20) return undefined;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 48 || code > 57) return undefined;
  }
  if (text.length <= 15) return Number(text);
  const wide = BigInt(text);
  if (wide > U64_MAX) return undefined;
  return wide <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(wide) : wide;
}

export const SEQ_MAX: Units = U64_MAX;
