import { RedisReplyError, type Reply } from '../../commands.ts';
import { integer, rangeStart, strictId } from '../arguments.ts';
import type { Command, CommandContext } from '../command.ts';
import { compareIds, type EntryId, formatId, ID_MIN, parseId } from '../entry-id.ts';
import { noGroup, syntaxError } from '../replies.ts';
import type { Stream } from '../stream.ts';
import type { Consumer, Group } from '../stream-group.ts';
import { replyEntry } from './streams.ts';

export const CLAIM_COMMANDS: Record<string, Command> = {
  xclaim: { arity: -6, run: xclaim },
  xautoclaim: { arity: -6, run: xautoclaim },
};

/** XAUTOCLAIM looks at no more than this many entries for each one it may answer (S4.46). */
const ATTEMPTS_PER_ENTRY = 10;

function xclaim(context: CommandContext, argv: readonly string[]): Reply {
  const { stream, group } = existingGroup(context, argv);
  const minIdleMs = Math.max(integer(argv[4], 'ERR Invalid min-idle-time argument for XCLAIM'), 0);
  const { ids, options } = parseXclaim(argv, context.nowMs);
  if (compareIds(options.lastId, group.lastId) > 0) group.lastId = options.lastId;
  const consumer = claimant(context, group, argv[3] as string);
  const claimed: Reply[] = [];
  for (const id of ids) {
    const entry = stream.find(id);
    const pending = group.pending.get(id);
    if (entry === undefined) {
      group.forget(id);
      continue;
    }
    if (pending === undefined && !options.force) continue;
    if (pending !== undefined && context.nowMs - pending.deliveredAtMs < minIdleMs) continue;
    const owner = consumer();
    const deliveries = options.retryCount ?? (pending?.deliveries ?? 1) + (options.justId ? 0 : 1);
    group.own(id, pending, owner, { deliveredAtMs: options.deliveredAtMs, deliveries });
    owner.activeAtMs = context.nowMs;
    claimed.push(options.justId ? formatId(id) : replyEntry(entry));
  }
  return claimed;
}

interface ClaimOptions {
  deliveredAtMs: number;
  retryCount: number | undefined;
  force: boolean;
  justId: boolean;
  lastId: EntryId;
}

function parseXclaim(argv: readonly string[], nowMs: number): { ids: EntryId[]; options: ClaimOptions } {
  const ids: EntryId[] = [];
  let at = 5;
  for (; at < argv.length; at++) {
    const id = parseId(argv[at] as string);
    if (id === undefined) break;
    ids.push(id);
  }
  const options: ClaimOptions = {
    deliveredAtMs: nowMs,
    retryCount: undefined,
    force: false,
    justId: false,
    lastId: ID_MIN,
  };
  for (; at < argv.length; at++) {
    const option = (argv[at] as string).toUpperCase();
    const value = argv[at + 1];
    const invalid = `ERR Invalid ${option} option argument for XCLAIM`;
    if (option === 'FORCE') options.force = true;
    else if (option === 'JUSTID') options.justId = true;
    else if (value === undefined) throw unrecognized(argv[at] as string);
    else if (option === 'IDLE') options.deliveredAtMs = nowMs - integer(value, invalid);
    else if (option === 'TIME') options.deliveredAtMs = integer(value, invalid);
    else if (option === 'RETRYCOUNT') options.retryCount = integer(value, invalid);
    else if (option === 'LASTID') options.lastId = strictId(value);
    else throw unrecognized(argv[at] as string);
    if (option !== 'FORCE' && option !== 'JUSTID') at++;
  }
  // A time to come or before 1970 is taken as now, so that a client's wrong clock does not fail the claim (S4.42).
  if (options.deliveredAtMs < 0 || options.deliveredAtMs > nowMs) options.deliveredAtMs = nowMs;
  if (options.retryCount !== undefined && options.retryCount < 0) options.retryCount = undefined;
  return { ids, options };
}

function xautoclaim(context: CommandContext, argv: readonly string[]): Reply {
  const minIdleMs = Math.max(integer(argv[4], 'ERR Invalid min-idle-time argument for XAUTOCLAIM'), 0);
  const from = rangeStart(argv[5] as string);
  const { count, justId } = parseXautoclaim(argv);
  const { stream, group } = existingGroup(context, argv);
  const consumer = claimant(context, group, argv[3] as string);
  const claimed: Reply[] = [];
  const deleted: string[] = [];
  let attempts = count * ATTEMPTS_PER_ENTRY;
  let cursor = ID_MIN;
  group.pending.forEachFrom(from, (id, pending) => {
    if (attempts-- === 0 || claimed.length + deleted.length === count) {
      cursor = id;
      return false;
    }
    const entry = stream.find(id);
    if (entry === undefined) {
      group.forget(id);
      deleted.push(formatId(id));
      return true;
    }
    if (context.nowMs - pending.deliveredAtMs < minIdleMs) return true;
    const owner = consumer();
    const deliveries = pending.deliveries + (justId ? 0 : 1);
    group.own(id, pending, owner, { deliveredAtMs: context.nowMs, deliveries });
    owner.activeAtMs = context.nowMs;
    claimed.push(justId ? formatId(id) : replyEntry(entry));
    return true;
  });
  return [formatId(cursor), claimed, deleted];
}

function parseXautoclaim(argv: readonly string[]): { count: number; justId: boolean } {
  let count = 100;
  let justId = false;
  for (let at = 6; at < argv.length; at++) {
    const option = (argv[at] as string).toUpperCase();
    if (option === 'COUNT' && at + 1 < argv.length) {
      count = integer(argv[++at]);
      if (count < 1) throw new RedisReplyError('ERR COUNT must be > 0');
    } else if (option === 'JUSTID') justId = true;
    else throw syntaxError();
  }
  return { count, justId };
}

function existingGroup({ keyspace }: CommandContext, argv: readonly string[]): { stream: Stream; group: Group } {
  const [, key = '', name = ''] = argv;
  const stream = keyspace.stream(key);
  const group = stream?.groups.get(name);
  if (stream === undefined || group === undefined) throw noGroup(key, name);
  return { stream, group };
}

/** The consumer that claims: made at once, or with its first entry (S4.30). */
function claimant({ profile, nowMs }: CommandContext, group: Group, name: string): () => Consumer {
  if (profile.consumerCreatedOnAttempt) group.consumer(name, nowMs);
  return () => group.consumer(name, nowMs);
}

function unrecognized(option: string): RedisReplyError {
  return new RedisReplyError(`ERR Unrecognized XCLAIM option '${option}'`);
}
