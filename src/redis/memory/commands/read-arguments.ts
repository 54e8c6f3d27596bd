import { RedisReplyError } from '../../commands.ts';
import { integer, strictId } from '../arguments.ts';
import type { CommandContext } from '../command.ts';
import { compareIds, type EntryId, ID_MAX, ID_MIN, previousId } from '../entry-id.ts';
import { noGroup, syntaxError } from '../replies.ts';

/** A parsed XREAD or XREADGROUP. */
export interface ReadRequest {
  readonly streams: readonly StreamRead[];
  readonly group: { readonly name: string; readonly consumer: string } | undefined;
  /** 0 = no limit (S4.29). */
  readonly count: number;
  /** Undefined = do not block; 0 = for ever. */
  readonly blockMs: number | undefined;
  readonly noAck: boolean;
}

export interface StreamRead {
  readonly key: string;
  /** Exclusive; `>` = never delivered to the group. `$` and `+` are resolved at the call (S4.36). */
  readonly after: EntryId | '>';
}

export function parseRead(context: CommandContext, argv: readonly string[]): ReadRequest {
  const isGroup = (argv[0] as string).toUpperCase() === 'XREADGROUP';
  const options = parseOptions(context, argv, isGroup);
  const { group } = options;
  const list = argv.slice(options.streamsAt);
  if (isGroup && group === undefined) throw new RedisReplyError('ERR Missing GROUP option for XREADGROUP');
  const half = list.length / 2;
  const streams = list.slice(0, half).map((key, i) => {
    const text = list[half + i] as string;
    const stream = context.keyspace.stream(key);
    if (group !== undefined && !stream?.groups.has(group.name)) {
      throw noGroup(key, group.name, ' in XREADGROUP with GROUP option');
    }
    return { key, after: parseAfter(text, isGroup, context.profile.lastEntryId, stream?.lastId) };
  });
  return { streams, group, count: options.count, blockMs: options.blockMs, noAck: options.noAck };
}

interface ReadOptions {
  group: ReadRequest['group'];
  count: number;
  blockMs: number | undefined;
  noAck: boolean;
  streamsAt: number;
}

function parseOptions(context: CommandContext, argv: readonly string[], isGroup: boolean): ReadOptions {
  const options: ReadOptions = { group: undefined, count: 0, blockMs: undefined, noAck: false, streamsAt: 0 };
  for (let i = 1; i < argv.length; i++) {
    const option = (argv[i] as string).toUpperCase();
    const more = argv.length - 1 - i;
    if (option === 'BLOCK' && more >= 1) {
      if (context.inScript && context.profile.blockInScript === 'refused') {
        throw new RedisReplyError(`ERR ${argv[0]} command is not allowed with BLOCK option from scripts`);
      }
      options.blockMs = timeoutMs(argv[++i]);
    } else if (option === 'COUNT' && more >= 1) options.count = Math.max(integer(argv[++i]), 0);
    else if (option === 'STREAMS' && more >= 1) {
      options.streamsAt = i + 1;
      if (more % 2 === 0) return options;
      throw new RedisReplyError(context.profile.unbalancedStreams(isGroup));
    } else if (option === 'GROUP' && more >= 2) {
      if (!isGroup) throw onlyForGroups('GROUP');
      options.group = { name: argv[i + 1] as string, consumer: argv[i + 2] as string };
      i += 2;
    } else if (option === 'NOACK') {
      if (!isGroup) throw onlyForGroups('NOACK');
      options.noAck = true;
    } else throw syntaxError();
  }
  throw syntaxError();
}

function parseAfter(text: string, isGroup: boolean, knowsLast: boolean, top: EntryId | undefined): StreamRead['after'] {
  if (text === '$') {
    if (isGroup) throw meaningless(text);
    return top ?? ID_MIN;
  }
  if (text === '>') {
    if (isGroup) return '>';
    throw new RedisReplyError(
      'ERR The > ID can be specified only when calling XREADGROUP using the GROUP <group> <consumer> option.',
    );
  }
  if (text === '+' && knowsLast) {
    if (isGroup) throw meaningless(text);
    return top === undefined ? ID_MIN : beforeTop(top);
  }
  const id = strictId(text);
  // Servers keep `>` as the greatest id there is, so that id means the same.
  return isGroup && compareIds(id, ID_MAX) === 0 ? '>' : id;
}

/** After which the last entry is the only one (S4.37). */
function beforeTop(top: EntryId): EntryId {
  const id = previousId(top);
  if (id === undefined) throw new RedisReplyError('ERR the stream last element ID is 0-0');
  return id;
}

function meaningless(id: string): RedisReplyError {
  return new RedisReplyError(
    `ERR The ${id} ID is meaningless in the context of XREADGROUP: you want to read the history of this consumer by specifying a proper ID, or use the > ID to get new messages. The ${id} ID would just return an empty result set.`,
  );
}

function timeoutMs(text: string | undefined): number {
  const value = integer(text, 'ERR timeout is not an integer or out of range');
  if (value < 0) throw new RedisReplyError('ERR timeout is negative');
  return value;
}

function onlyForGroups(option: string): RedisReplyError {
  return new RedisReplyError(`ERR The ${option} option is only supported by XREADGROUP. You called XREAD instead.`);
}
