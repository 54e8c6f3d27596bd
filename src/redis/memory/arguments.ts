import { RedisReplyError } from '../commands.ts';
import { type EntryId, ID_MAX, ID_MIN, nextId, parseId, previousId, SEQ_MAX } from './entry-id.ts';
import { invalidStreamId, notAnInteger } from './replies.ts';

/** Reads a command's arguments as servers do: strict integers, stream ids, interval bounds. */
export function integer(text: string | undefined, message?: string): number {
  if (text !== undefined && text.length < 16 && /^(?:0|-?[1-9]\d*)$/.test(text)) return Number(text);
  if (text !== undefined && /^(?:0|-?[1-9]\d{0,18})$/.test(text)) {
    const wide = BigInt(text);
    if (wide === BigInt.asIntN(64, wide)) return Number(wide);
  }
  throw message === undefined ? notAnInteger() : new RedisReplyError(message);
}

/** A plain id: no `-`, no `+`. */
export function strictId(text: string | undefined): EntryId {
  const id = text === undefined ? undefined : parseId(text);
  if (id === undefined) throw invalidStreamId();
  return id;
}

export function rangeStart(text: string): EntryId {
  if (!text.startsWith('(')) return boundary(text, 0);
  const next = nextId(exclusive(text, 0));
  if (next === undefined) throw new RedisReplyError('ERR invalid start ID for the interval');
  return next;
}

export function rangeEnd(text: string): EntryId {
  if (!text.startsWith('(')) return boundary(text, SEQ_MAX);
  const previous = previousId(exclusive(text, SEQ_MAX));
  if (previous === undefined) throw new RedisReplyError('ERR invalid end ID for the interval');
  return previous;
}

/** An id, or `-` or `+` for the least and the greatest. */
export function boundary(text: string, missingSeq: EntryId['seq'] = 0): EntryId {
  if (text === '-') return ID_MIN;
  if (text === '+') return ID_MAX;
  const id = parseId(text, missingSeq);
  if (id === undefined) throw invalidStreamId();
  return id;
}

function exclusive(text: string, missingSeq: EntryId['seq']): EntryId {
  const id = parseId(text.slice(1), missingSeq);
  if (id === undefined) throw invalidStreamId();
  return id;
}
