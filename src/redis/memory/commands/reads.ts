import { RedisReplyError, type Reply } from '../../commands.ts';
import { BlockedRead, type Command, type CommandContext } from '../command.ts';
import { compareIds, formatId, ID_MAX, nextId } from '../entry-id.ts';
import { noGroup } from '../replies.ts';
import type { Stream } from '../stream.ts';
import type { Consumer, Group } from '../stream-group.ts';
import { parseRead, type ReadRequest, type StreamRead } from './read-arguments.ts';
import { replyEntry } from './streams.ts';

export const READ_COMMANDS: Record<string, Command> = {
  xread: { arity: -4, run: read },
  xreadgroup: { arity: -7, run: read },
};

function read(context: CommandContext, argv: readonly string[]): Reply | BlockedRead {
  const request = parseRead(context, argv);
  const reply = readNow(context, request);
  if (reply !== undefined) return reply;
  if (request.blockMs === undefined || context.inScript) return null;
  const keys = [...new Set(request.streams.map(({ key }) => key))];
  return new BlockedRead(keys, request.blockMs, (later, key) => serveBlocked(later, request, key));
}

/** A reader without a group does not notice that its stream is gone: it waits for the next one (S4.36). */
function serveBlocked(context: CommandContext, request: ReadRequest, key: string): Reply | undefined {
  if (request.group === undefined && context.keyspace.get(key)?.type !== 'stream') return undefined;
  return context.profile.blockedReads === 'run-again' ? readNow(context, request) : serveKey(context, request, key);
}

/** What all the streams have at once; undefined when none of them has anything. */
function readNow(context: CommandContext, request: ReadRequest): Reply | undefined {
  // Every group is looked up before anything is delivered: one that is missing fails the whole call (S4.26).
  const sources = request.streams.map((stream) => ({ stream, source: findSource(context, request, stream.key) }));
  const replies: Reply[] = [];
  for (const { stream, source } of sources) {
    if (source === undefined) continue;
    const reply = readStream(context, request, stream, source);
    if (reply !== undefined) replies.push([stream.key, reply]);
  }
  return replies.length === 0 ? undefined : replies;
}

interface Source {
  readonly stream: Stream;
  readonly group: Group | undefined;
}

function findSource({ keyspace }: CommandContext, request: ReadRequest, key: string): Source | undefined {
  const stream = keyspace.stream(key);
  if (request.group === undefined) return stream === undefined ? undefined : { stream, group: undefined };
  const group = stream?.groups.get(request.group.name);
  if (stream === undefined || group === undefined) {
    throw noGroup(key, request.group.name, ' in XREADGROUP with GROUP option');
  }
  return { stream, group };
}

function readStream(
  context: CommandContext,
  request: ReadRequest,
  from: StreamRead,
  source: Source,
): Reply | undefined {
  const { stream, group } = source;
  if (group === undefined || request.group === undefined) return readPlain(stream, from, request.count);
  const { consumer: name } = request.group;
  const isNew = from.after === '>';
  const hasNew = stream.length > 0 && compareIds(lastValidId(stream), group.lastId) > 0;
  if (isNew && !hasNew && !context.profile.consumerCreatedOnAttempt) return undefined;
  const consumer = group.consumer(name, context.nowMs);
  if (from.after !== '>') return readHistory(context, stream, consumer, from, request.count);
  return hasNew ? deliverNew(context, request, stream, group, consumer) : undefined;
}

function readPlain(stream: Stream, { after }: StreamRead, count: number): Reply | undefined {
  if (after === '>' || stream.length === 0) return undefined;
  const start = nextId(after);
  if (start === undefined || compareIds(lastValidId(stream), after) <= 0) return undefined;
  return stream.range(start, ID_MAX, count).map(replyEntry);
}

/** The consumer's own pending entries: nothing new, and a trimmed one shows as its id alone (S4.24, S4.25). */
function readHistory(
  { nowMs }: CommandContext,
  stream: Stream,
  consumer: Consumer,
  { after }: StreamRead,
  count: number,
): Reply {
  const rows: Reply[] = [];
  const start = typeof after === 'string' ? undefined : nextId(after);
  if (start === undefined) return rows;
  consumer.pending.forEachFrom(start, (id, pending) => {
    const entry = stream.find(id);
    if (entry === undefined) rows.push([formatId(id), null]);
    else {
      pending.deliveredAtMs = nowMs;
      pending.deliveries++;
      rows.push(replyEntry(entry));
    }
    return rows.length !== count;
  });
  return rows;
}

function deliverNew(
  { nowMs }: CommandContext,
  request: ReadRequest,
  stream: Stream,
  group: Group,
  consumer: Consumer,
): Reply {
  const start = nextId(group.lastId);
  if (start === undefined) return [];
  const entries = stream.range(start, ID_MAX, request.count);
  for (const entry of entries) {
    group.advance(stream, entry.id);
    if (request.noAck) continue;
    group.deliver(entry.id, consumer, nowMs);
    consumer.activeAtMs = nowMs;
  }
  return entries.map(replyEntry);
}

/** How Redis 7.0 serves a blocked read: only the key that was signalled, by the top id it ever had (S4.34, S4.35). */
function serveKey(context: CommandContext, request: ReadRequest, key: string): Reply | undefined {
  const value = context.keyspace.get(key);
  if (value?.type !== 'stream') throw new RedisReplyError('UNBLOCKED the stream key no longer exists');
  const { stream } = value;
  const count = request.count === 0 ? context.profile.blockedCountMax : request.count;
  if (request.group === undefined) {
    const after = request.streams.find((candidate) => candidate.key === key)?.after;
    if (after === undefined || typeof after === 'string' || compareIds(stream.lastId, after) <= 0) return undefined;
    const start = nextId(after);
    return start === undefined ? undefined : [[key, stream.range(start, ID_MAX, count).map(replyEntry)]];
  }
  const group = stream.groups.get(request.group.name);
  if (group === undefined) {
    throw new RedisReplyError('NOGROUP the consumer group this client was blocked on no longer exists');
  }
  if (compareIds(stream.lastId, group.lastId) <= 0) return undefined;
  const consumer = group.consumer(request.group.consumer, context.nowMs);
  return [[key, deliverNew(context, { ...request, count }, stream, group, consumer)]];
}

/** The last id that is still there; the top id when everything was deleted. */
function lastValidId(stream: Stream): Stream['lastId'] {
  return stream.range({ ms: 0, seq: 0 }, ID_MAX, 1, true)[0]?.id ?? stream.lastId;
}
