import { RedisReplyError, type Reply } from '../../commands.ts';
import type { Command, CommandContext } from '../command.ts';
import { formatId, ID_MAX, ID_MIN } from '../entry-id.ts';
import { noSuchKey, wrongArity } from '../replies.ts';
import type { Stream } from '../stream.ts';
import { compareNames } from './pending.ts';
import { replyEntry } from './streams.ts';

export const STREAM_INFO_COMMANDS: Record<string, Command> = {
  xinfo: { arity: -2, run: xinfo },
};

const SUBCOMMAND_ARITY: Record<string, number> = { STREAM: -3, GROUPS: 3, CONSUMERS: 4 };

function xinfo(context: CommandContext, argv: readonly string[]): Reply {
  const name = argv[1] as string;
  const subcommand = name.toUpperCase();
  const arity = SUBCOMMAND_ARITY[subcommand];
  if (arity === undefined) throw new RedisReplyError(`ERR unknown subcommand '${name}'. Try XINFO HELP.`);
  if (arity > 0 ? argv.length !== arity : argv.length < -arity) throw wrongArity(`xinfo|${name.toLowerCase()}`);
  const key = argv[2] as string;
  const stream = context.keyspace.stream(key);
  if (stream === undefined) throw noSuchKey();
  if (subcommand === 'GROUPS') return groups(stream);
  if (subcommand === 'CONSUMERS') return consumers(context, stream, key, argv[3] as string);
  if (argv.length > 3) {
    throw new RedisReplyError(`ERR unknown subcommand or wrong number of arguments for '${name}'. Try XINFO HELP.`);
  }
  return streamInfo(stream);
}

function streamInfo(stream: Stream): Reply {
  const first = stream.range(ID_MIN, ID_MAX, 1)[0];
  const last = stream.range(ID_MIN, ID_MAX, 1, true)[0];
  return [
    'length',
    stream.length,
    'radix-tree-keys',
    stream.nodeCount,
    'radix-tree-nodes',
    stream.nodeCount + 1,
    'last-generated-id',
    formatId(stream.lastId),
    'max-deleted-entry-id',
    formatId(stream.maxDeletedId),
    'entries-added',
    stream.entriesAdded,
    'recorded-first-entry-id',
    formatId(stream.firstId),
    'groups',
    stream.groups.size,
    'first-entry',
    first === undefined ? null : replyEntry(first),
    'last-entry',
    last === undefined ? null : replyEntry(last),
  ];
}

function groups(stream: Stream): Reply {
  const names = [...stream.groups].sort(([a], [b]) => compareNames(a, b));
  return names.map(([name, group]) => [
    'name',
    name,
    'consumers',
    group.consumers.size,
    'pending',
    group.pending.size,
    'last-delivered-id',
    formatId(group.lastId),
    'entries-read',
    group.entriesRead ?? null,
    'lag',
    group.lag(stream) ?? null,
  ]);
}

function consumers({ profile, nowMs }: CommandContext, stream: Stream, key: string, name: string): Reply {
  const group = stream.groups.get(name);
  if (group === undefined) throw new RedisReplyError(`NOGROUP No such consumer group '${name}' for key name '${key}'`);
  const sorted = [...group.consumers.values()].sort((a, b) => compareNames(a.name, b.name));
  return sorted.map((consumer) => {
    const row: Reply[] = [
      'name',
      consumer.name,
      'pending',
      consumer.pending.size,
      'idle',
      Math.max(nowMs - consumer.seenAtMs, 0),
    ];
    if (!profile.consumerInactive) return row;
    const inactiveMs = consumer.activeAtMs === undefined ? -1 : Math.max(nowMs - consumer.activeAtMs, 0);
    return [...row, 'inactive', inactiveMs];
  });
}
