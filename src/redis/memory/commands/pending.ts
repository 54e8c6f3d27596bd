import type { Reply } from '../../commands.ts';
import { integer, rangeEnd, rangeStart } from '../arguments.ts';
import type { Command, CommandContext } from '../command.ts';
import { compareIds, type EntryId, formatId } from '../entry-id.ts';
import { noGroup, syntaxError } from '../replies.ts';
import type { Group } from '../stream-group.ts';

export const PENDING_COMMANDS: Record<string, Command> = {
  xpending: { arity: -3, run: xpending },
};

function xpending({ keyspace, nowMs }: CommandContext, argv: readonly string[]): Reply {
  const [, key = '', name = ''] = argv;
  if (argv.length !== 3 && (argv.length < 6 || argv.length > 9)) throw syntaxError();
  const query = argv.length === 3 ? undefined : parseQuery(argv);
  const group = keyspace.stream(key)?.groups.get(name);
  if (group === undefined) throw noGroup(key, name);
  return query === undefined ? summary(group) : rows(group, query, nowMs);
}

interface PendingQuery {
  readonly from: EntryId;
  readonly to: EntryId;
  readonly count: number;
  readonly consumer: string | undefined;
  readonly minIdleMs: number;
}

function parseQuery(argv: readonly string[]): PendingQuery {
  const withIdle = (argv[3] as string).toUpperCase() === 'IDLE';
  const minIdleMs = withIdle ? integer(argv[4]) : 0;
  if (withIdle && argv.length < 8) throw syntaxError();
  const at = withIdle ? 5 : 3;
  const count = Math.max(integer(argv[at + 2]), 0);
  return {
    from: rangeStart(argv[at] as string),
    to: rangeEnd(argv[at + 1] as string),
    count,
    consumer: argv[at + 3],
    minIdleMs,
  };
}

function summary(group: Group): Reply {
  const { pending } = group;
  if (pending.size === 0) return [0, null, null, null];
  const owing = [...group.consumers.values()].filter((consumer) => consumer.pending.size > 0);
  return [
    pending.size,
    formatId(pending.first() as EntryId),
    formatId(pending.last() as EntryId),
    owing
      .sort((a, b) => compareNames(a.name, b.name))
      .map((consumer) => [consumer.name, String(consumer.pending.size)]),
  ];
}

function rows(group: Group, query: PendingQuery, nowMs: number): Reply {
  const { from, to, count, minIdleMs } = query;
  const source = query.consumer === undefined ? group : group.consumers.get(query.consumer);
  const found: Reply[] = [];
  if (source === undefined || count === 0) return found;
  source.pending.forEachFrom(from, (id, pending) => {
    if (compareIds(id, to) > 0) return false;
    const idleMs = Math.max(nowMs - pending.deliveredAtMs, 0);
    if (idleMs >= minIdleMs) found.push([formatId(id), pending.consumer.name, idleMs, pending.deliveries]);
    return found.length < count;
  });
  return found;
}

/** Servers keep names in the order of their bytes. */
export function compareNames(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
