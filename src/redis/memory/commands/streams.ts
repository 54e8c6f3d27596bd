import { addUnits } from '../../../core/decimal.ts';
import { RedisReplyError, type Reply } from '../../commands.ts';
import { integer, rangeEnd, rangeStart, strictId } from '../arguments.ts';
import type { Command, CommandContext } from '../command.ts';
import { compareIds, type EntryId, formatId, ID_MAX, isZeroId, parseU64, SEQ_MAX } from '../entry-id.ts';
import { invalidStreamId, syntaxError, wrongArity } from '../replies.ts';
import type { Stream, Trim } from '../stream.ts';
import type { Entry } from '../stream-node.ts';
import { TrimArguments } from './trim-arguments.ts';

export const STREAM_COMMANDS: Record<string, Command> = {
  xadd: { arity: -5, run: xadd },
  xlen: { arity: 2, run: ({ keyspace }, argv) => keyspace.stream(argv[1] as string)?.length ?? 0 },
  xrange: { arity: -4, run: (context, argv) => xrange(context, argv, false) },
  xrevrange: { arity: -4, run: (context, argv) => xrange(context, argv, true) },
  xdel: {
    arity: -3,
    run: ({ keyspace }, argv) => {
      const stream = keyspace.stream(argv[1] as string);
      if (stream === undefined) return 0;
      return argv
        .slice(2)
        .map(strictId)
        .filter((id) => stream.delete(id)).length;
    },
  },
  xtrim: {
    arity: -4,
    run: ({ keyspace }, argv) => {
      const trim = TrimArguments.ofXtrim(argv);
      return keyspace.stream(argv[1] as string)?.trim(trim) ?? 0;
    },
  },
};

/** An entry as every reading command replies it. */
export function replyEntry(entry: Entry): Reply {
  return [formatId(entry.id), entry.fields];
}

function xadd({ keyspace, nowMs, profile }: CommandContext, argv: readonly string[]): Reply {
  const key = argv[1] as string;
  const { trim, makeStream, idAt, id } = parseXadd(argv);
  const fields = argv.slice(idAt + 1);
  if (fields.length < 2 || fields.length % 2 !== 0) throw wrongArity('xadd');
  if (id !== '*' && id.seq !== undefined && isZeroId({ ms: id.ms, seq: id.seq })) {
    throw new RedisReplyError('ERR The ID specified in XADD must be greater than 0-0');
  }
  const existing = keyspace.stream(key);
  if (existing === undefined && !makeStream) return null;
  const stream = existing ?? keyspace.streamOrCreate(key);
  if (compareIds(stream.lastId, ID_MAX) === 0) {
    throw new RedisReplyError('ERR The stream has exhausted the last possible ID, unable to add more items');
  }
  const chosen = id === '*' ? stream.autoId(nowMs) : completeId(id, stream, profile.sequenceExhausted);
  if (compareIds(chosen, stream.lastId) <= 0) {
    throw new RedisReplyError('ERR The ID specified in XADD is equal or smaller than the target stream top item');
  }
  stream.append(chosen, fields);
  if (trim !== undefined) stream.trim(trim);
  keyspace.signal(key);
  return formatId(chosen);
}

/** `*`, or an id whose sequence the server chooses when it is left out as `<ms>-*`. */
type NewId = '*' | { readonly ms: EntryId['ms']; readonly seq: EntryId['seq'] | undefined };

interface XaddArguments {
  readonly trim: Trim | undefined;
  readonly makeStream: boolean;
  readonly idAt: number;
  readonly id: NewId;
}

function parseXadd(argv: readonly string[]): XaddArguments {
  const options = new TrimArguments();
  let makeStream = true;
  let i = 2;
  for (; i < argv.length; i++) {
    const option = argv[i] as string;
    if (option === '*') break;
    const next = options.take(argv, i);
    if (next !== undefined) i = next;
    else if (option.toUpperCase() === 'NOMKSTREAM') makeStream = false;
    else break;
  }
  const id = i < argv.length ? parseNewId(argv[i] as string) : '*';
  return { trim: options.finish(), makeStream, idAt: i, id };
}

function parseNewId(text: string): NewId {
  if (text === '*') return '*';
  if (!text.endsWith('-*')) return strictId(text);
  const ms = parseU64(text.slice(0, -2));
  if (ms === undefined) throw invalidStreamId();
  return { ms, seq: undefined };
}

function completeId(id: Exclude<NewId, '*'>, stream: Stream, exhausted: string): EntryId {
  if (id.seq !== undefined) return { ms: id.ms, seq: id.seq };
  const { lastId } = stream;
  if (id.ms !== lastId.ms) return { ms: id.ms, seq: 0 };
  if (lastId.seq === SEQ_MAX) throw new RedisReplyError(exhausted);
  return { ms: id.ms, seq: addUnits(lastId.seq, 1) };
}

function xrange({ keyspace }: CommandContext, argv: readonly string[], reverse: boolean): Reply {
  const from = rangeStart(argv[reverse ? 3 : 2] as string);
  const to = rangeEnd(argv[reverse ? 2 : 3] as string);
  let count: number | undefined;
  for (let i = 4; i < argv.length; i += 2) {
    if ((argv[i] as string).toUpperCase() !== 'COUNT' || i + 1 >= argv.length) throw syntaxError();
    count = Math.max(integer(argv[i + 1]), 0);
  }
  const stream = keyspace.stream(argv[1] as string);
  if (stream === undefined) return [];
  if (count === 0) return null;
  return stream.range(from, to, count ?? 0, reverse).map(replyEntry);
}
