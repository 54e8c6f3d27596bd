import { assert } from '../core/errors.ts';
import { formatStreamId, parseStreamId, STREAM_START, type StreamId } from '../core/stream-id.ts';
import { type RedisConnection, RedisReplyError } from '../redis/index.ts';
import { type DecodeRules, decodeEntry } from './codec.ts';
import type { StreamEntry } from './entry.ts';
import { BLOCK_MS_MAX, READ_ENTRIES_MAX } from './limits.ts';
import { entriesOfRead, textOf } from './reply.ts';

/** Where a new group begins (F3): only what comes, all that is there, or after an id (a checkpoint, or `<ms>-0` in an `auto` stream). */
export type GroupStart = 'new' | 'beginning' | { readonly after: StreamId };

/** Creates a group, and the stream with it if there is none. Only BUSYGROUP means `exists`; all else is thrown (STREAM-5). */
export async function createGroup(
  connection: RedisConnection,
  { key, group, start }: { readonly key: string; readonly group: string; readonly start: GroupStart },
): Promise<'created' | 'exists'> {
  const id = start === 'new' ? '$' : formatStreamId(start === 'beginning' ? STREAM_START : start.after);
  try {
    await connection.call('XGROUP', 'CREATE', key, group, id, 'MKSTREAM');
    return 'created';
  } catch (error) {
    if (error instanceof RedisReplyError && error.kind === 'BUSYGROUP') return 'exists';
    throw error;
  }
}

/** What one read brought. */
export interface GroupBatch {
  /** `history`: own entries from before, delivered again (F5). `new`: never delivered to the group. */
  readonly source: 'history' | 'new';
  /** In stream order. Empty: nothing new within the block time. */
  readonly entries: readonly StreamEntry[];
  /** The group had vanished and was created again at the start given: whatever it owed is forgotten (STREAM-9). */
  readonly recreated: boolean;
}

export interface GroupConsumer {
  /** One page of the own pending entries, oldest first; empty when all of them were handed out (STREAM-6). */
  history(options?: { readonly count?: number }): Promise<GroupBatch>;
  /** The next entries: what is left of the history, then new ones. Call it again for more; it blocks only for new ones. */
  read(options: { readonly count?: number; readonly blockMs: number }): Promise<GroupBatch>;
  /** Answers how many entries left the pending list (STREAM-8). */
  ack(ids: readonly StreamId[]): Promise<number>;
}

export interface GroupConsumerOptions {
  /** Its own: a blocking read occupies it. */
  readonly connection: RedisConnection;
  readonly key: string;
  readonly group: string;
  /** Unique to this process: who shares a name shares a pending list (F11). */
  readonly consumer: string;
  /** Asked when the group has to be made again: the reader's durable cursor, not a constant (STREAM-9). */
  readonly start: () => GroupStart | Promise<GroupStart>;
  readonly rules?: DecodeRules;
}

export function createGroupConsumer(options: GroupConsumerOptions): GroupConsumer {
  return new StreamGroupConsumer(options);
}

class StreamGroupConsumer implements GroupConsumer {
  readonly #options: GroupConsumerOptions;
  /** Last own pending entry handed out; undefined = the history is drained. */
  #historyAfter: StreamId | undefined = STREAM_START;

  constructor(options: GroupConsumerOptions) {
    this.#options = options;
  }

  async history({ count = READ_ENTRIES_MAX }: { count?: number } = {}): Promise<GroupBatch> {
    const after = this.#historyAfter;
    if (after === undefined) return { source: 'history', entries: [], recreated: false };
    const batch = await this.#readGroup('history', count, undefined, formatStreamId(after));
    this.#historyAfter = batch.entries.at(-1)?.id;
    return batch;
  }

  async read({ count = READ_ENTRIES_MAX, blockMs }: { count?: number; blockMs: number }): Promise<GroupBatch> {
    if (this.#historyAfter !== undefined) {
      const batch = await this.history({ count });
      if (batch.entries.length > 0 || batch.recreated) return batch;
    }
    return this.#readGroup('new', count, Math.min(blockMs, BLOCK_MS_MAX), '>');
  }

  async ack(ids: readonly StreamId[]): Promise<number> {
    const { connection, key, group } = this.#options;
    let left = 0;
    for (let at = 0; at < ids.length; at += ACK_IDS_MAX) {
      const some = ids.slice(at, at + ACK_IDS_MAX).map(formatStreamId);
      left += Number(await connection.call('XACK', key, group, ...some));
    }
    return left;
  }

  async #readGroup(
    source: GroupBatch['source'],
    count: number,
    blockMs: number | undefined,
    id: string,
  ): Promise<GroupBatch> {
    const { connection, key, group, consumer, rules } = this.#options;
    assert(count >= 1 && count <= READ_ENTRIES_MAX, `a read takes 1 to ${READ_ENTRIES_MAX} entries, not ${count}`);
    const block = blockMs === undefined || blockMs <= 0 ? [] : ['BLOCK', Math.ceil(blockMs)];
    const command = ['XREADGROUP', 'GROUP', group, consumer, 'COUNT', count, ...block, 'STREAMS', key, id];
    try {
      const reply = await connection.call(...command);
      const entries = entriesOfRead(reply, key).map((raw) => decodeEntry(raw, rules));
      return { source, entries, recreated: false };
    } catch (error) {
      // A reply that was lost may have moved entries to this consumer: only its history shows them (STREAM-6).
      this.#historyAfter = STREAM_START;
      if (!isGroupGone(error)) throw error;
      await createGroup(connection, { key, group, start: await this.#options.start() });
      return { source, entries: [], recreated: true };
    }
  }
}

const ACK_IDS_MAX = 1_000;

/** Redis 7.0 answers UNBLOCKED where later servers answer NOGROUP (S4.34). */
function isGroupGone(error: unknown): boolean {
  return error instanceof RedisReplyError && (error.kind === 'NOGROUP' || error.kind === 'UNBLOCKED');
}

/** How much a group owes: entries delivered and not acknowledged, and the range of their ids (XPENDING). */
export interface PendingSummary {
  readonly count: number;
  readonly first: StreamId | undefined;
  readonly last: StreamId | undefined;
  readonly byConsumer: ReadonlyMap<string, number>;
}

export async function pendingSummary(connection: RedisConnection, key: string, group: string): Promise<PendingSummary> {
  const [count, first, last, consumers] = (await connection.call('XPENDING', key, group)) as readonly unknown[];
  const rows = Array.isArray(consumers) ? (consumers as readonly (readonly unknown[])[]) : [];
  return {
    count: Number(count),
    first: first === null ? undefined : parseStreamId(textOf(first)),
    last: last === null ? undefined : parseStreamId(textOf(last)),
    byConsumer: new Map(rows.map(([name, owed]) => [textOf(name), Number(owed)])),
  };
}

/** Ids of all pending entries of a group, of whichever consumer, oldest first (XPENDING by range). */
export async function pendingIds(connection: RedisConnection, key: string, group: string): Promise<StreamId[]> {
  const ids: StreamId[] = [];
  for (let from = '-'; ; ) {
    const rows = (await connection.call('XPENDING', key, group, from, '+', PENDING_PAGE)) as readonly unknown[][];
    for (const [id] of rows) ids.push(parseStreamId(textOf(id)) ?? STREAM_START);
    const last = rows.at(-1)?.[0];
    if (last === undefined || rows.length < PENDING_PAGE) return ids;
    from = `(${textOf(last)}`;
  }
}

const PENDING_PAGE = 1_000;

/** The entries of a batch by what becomes of them (F4, D2): worked on, reported, or only followed. */
export function splitEntries(entries: readonly StreamEntry[]): {
  readonly ticks: readonly (StreamEntry & { kind: 'tick' })[];
  readonly malformed: readonly (StreamEntry & { kind: 'malformed' })[];
  readonly control: readonly (StreamEntry & { kind: 'barrier' | 'gap' | 'watermark' })[];
} {
  return {
    ticks: entries.filter((entry) => entry.kind === 'tick'),
    malformed: entries.filter((entry) => entry.kind === 'malformed'),
    control: entries.filter((entry) => entry.kind !== 'tick' && entry.kind !== 'malformed'),
  };
}

/** The last entry ever handed to the group (XINFO GROUPS); the start of the stream when there is no such group. */
export async function readGroupPosition(connection: RedisConnection, key: string, group: string): Promise<StreamId> {
  const groups = (await connection.call('XINFO', 'GROUPS', key)) as readonly (readonly unknown[])[];
  for (const row of groups) {
    const value = (name: string): string => textOf(row[row.indexOf(name) + 1]);
    if (value('name') === group) return parseStreamId(value('last-delivered-id')) ?? STREAM_START;
  }
  return STREAM_START;
}
