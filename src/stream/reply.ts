import { TickerError } from '../core/errors.ts';
import { parseStreamId, type StreamId } from '../core/stream-id.ts';

/** An entry as a server sent it. `fields` is undefined when the payload is gone: a trimmed entry of a history read. */
export interface RawEntry {
  readonly id: StreamId;
  readonly fields: ReadonlyMap<string, string> | undefined;
}

/**
 * The entries of a reply of XREAD or XREADGROUP for one stream, whatever the protocol and the client made of it (F10,
 * STREAM-4): nested arrays, a map, or an object; text or bytes. Null = nothing.
 */
export function entriesOfRead(reply: unknown, key: string): RawEntry[] {
  if (reply === null || reply === undefined) return [];
  if (reply instanceof Map) {
    for (const [name, entries] of reply) if (textOf(name) === key) return entriesOfRange(entries);
    return [];
  }
  if (Array.isArray(reply)) {
    const found: unknown = reply.find((part: unknown) => Array.isArray(part) && textOf(part[0]) === key);
    return Array.isArray(found) ? entriesOfRange(found[1]) : [];
  }
  return typeof reply === 'object'
    ? entriesOfRange((reply as Record<string, unknown>)[key] ?? [])
    : refuse('stream reply');
}

/** The entries of a reply of XRANGE, or of one stream of a read. */
export function entriesOfRange(reply: unknown): RawEntry[] {
  if (reply === null) return [];
  if (!Array.isArray(reply)) return refuse('list of entries');
  return reply.map((entry: unknown) => {
    if (!Array.isArray(entry)) return refuse('entry');
    const [id, fields] = entry as readonly unknown[];
    return { id: idOf(id), fields: fieldsOf(fields) };
  });
}

/** A bulk string as text; bytes are UTF-8. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8');
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : refuse('string');
}

/** Of a field that stands twice the first counts; Redis keeps both (S4.7). */
function fieldsOf(value: unknown): ReadonlyMap<string, string> | undefined {
  if (value === null || value === undefined) return undefined;
  const fields = new Map<string, string>();
  const add = (name: unknown, content: unknown): void => {
    const text = textOf(name);
    if (!fields.has(text)) fields.set(text, textOf(content));
  };
  if (Array.isArray(value)) for (let i = 0; i + 1 < value.length; i += 2) add(value[i], value[i + 1]);
  else for (const [name, content] of value instanceof Map ? value : Object.entries(value)) add(name, content);
  return fields.size === 0 ? undefined : fields;
}

/** An id that Ticker cannot hold was written by another program: our epochs are milliseconds. */
function idOf(value: unknown): StreamId {
  const text = textOf(value);
  const id = parseStreamId(text);
  if (id === undefined)
    throw new TickerError('STREAM_FOREIGN', `an entry has the id ${text}, which Ticker never writes`);
  return id;
}

function refuse(what: string): never {
  throw new TickerError('REDIS_REPLY', `Redis sent something that is no ${what}`);
}
