import { RedisReplyError, type Reply } from '../../commands.ts';
import { boundary, integer, strictId } from '../arguments.ts';
import type { Command, CommandContext } from '../command.ts';
import { ID_MIN } from '../entry-id.ts';
import { wrongArity } from '../replies.ts';
import type { Stream } from '../stream.ts';
import { Consumer, Group } from '../stream-group.ts';

export const GROUP_COMMANDS: Record<string, Command> = {
  xgroup: { arity: -2, run: xgroup },
  xack: { arity: -4, run: xack },
};

interface Subcommand {
  readonly arity: number;
  readonly run: (context: CommandContext, argv: readonly string[]) => Reply;
}

const SUBCOMMANDS: Record<string, Subcommand> = {
  CREATE: { arity: -5, run: create },
  SETID: { arity: -5, run: setId },
  DESTROY: { arity: 4, run: destroy },
  CREATECONSUMER: { arity: 5, run: createConsumer },
  DELCONSUMER: { arity: 5, run: deleteConsumer },
};

function xgroup(context: CommandContext, argv: readonly string[]): Reply {
  const name = argv[1] as string;
  const subcommand = SUBCOMMANDS[name.toUpperCase()];
  if (subcommand === undefined) {
    throw new RedisReplyError(`ERR unknown subcommand '${name}'. Try XGROUP HELP.`);
  }
  const { arity } = subcommand;
  if (arity > 0 ? argv.length !== arity : argv.length < -arity) throw wrongArity(`xgroup|${name.toLowerCase()}`);
  return subcommand.run(context, argv);
}

function create({ keyspace }: CommandContext, argv: readonly string[]): Reply {
  const [, , key = '', name = '', start = ''] = argv;
  const existing = keyspace.stream(key);
  const { makeStream, entriesRead } = parseOptions(argv);
  if (existing === undefined && !makeStream) throw keyMissing();
  const lastId = start === '$' ? (existing?.lastId ?? ID_MIN) : strictId(start);
  const stream = existing ?? keyspace.streamOrCreate(key);
  if (stream.groups.has(name)) throw new RedisReplyError('BUSYGROUP Consumer Group name already exists');
  stream.groups.set(name, new Group(lastId, entriesRead));
  return 'OK';
}

function setId({ keyspace }: CommandContext, argv: readonly string[]): Reply {
  const [, , key = '', name = '', start = ''] = argv;
  const existing = keyspace.stream(key);
  const { entriesRead } = parseOptions(argv);
  const { stream, group } = existingGroup(existing, key, name);
  group.lastId = start === '$' ? stream.lastId : boundary(start);
  group.entriesRead = entriesRead;
  return 'OK';
}

function destroy({ keyspace }: CommandContext, argv: readonly string[]): Reply {
  const [, , key = '', name = ''] = argv;
  const stream = keyspace.stream(key);
  if (stream === undefined) throw keyMissing();
  if (!stream.groups.delete(name)) return 0;
  keyspace.signal(key);
  return 1;
}

function createConsumer({ keyspace, nowMs }: CommandContext, argv: readonly string[]): Reply {
  const [, , key = '', name = '', consumer = ''] = argv;
  const { group } = existingGroup(keyspace.stream(key), key, name);
  if (group.consumers.has(consumer)) return 0;
  group.consumers.set(consumer, new Consumer(consumer, nowMs));
  return 1;
}

/** Answers how many entries the consumer owed; they leave the group's list with it (S4.20). */
function deleteConsumer({ keyspace }: CommandContext, argv: readonly string[]): Reply {
  const [, , key = '', name = '', consumerName = ''] = argv;
  const { group } = existingGroup(keyspace.stream(key), key, name);
  const consumer = group.consumers.get(consumerName);
  if (consumer === undefined) return 0;
  const owed = consumer.pending.size;
  consumer.pending.forEachFrom(ID_MIN, (id) => group.pending.delete(id));
  group.consumers.delete(consumerName);
  return owed;
}

function xack({ keyspace }: CommandContext, argv: readonly string[]): Reply {
  const group = keyspace.stream(argv[1] as string)?.groups.get(argv[2] as string);
  if (group === undefined) return 0;
  return argv
    .slice(3)
    .map(strictId)
    .filter((id) => group.forget(id)).length;
}

function existingGroup(stream: Stream | undefined, key: string, name: string): { stream: Stream; group: Group } {
  if (stream === undefined) throw keyMissing();
  const group = stream.groups.get(name);
  if (group === undefined) {
    throw new RedisReplyError(`NOGROUP No such consumer group '${name}' for key name '${key}'`);
  }
  return { stream, group };
}

function parseOptions(argv: readonly string[]): { makeStream: boolean; entriesRead: number | undefined } {
  const subcommand = (argv[1] as string).toUpperCase();
  let makeStream = false;
  let entriesRead: number | undefined;
  for (let i = 5; i < argv.length; i++) {
    const option = (argv[i] as string).toUpperCase();
    if (option === 'MKSTREAM' && subcommand === 'CREATE') makeStream = true;
    else if (option === 'ENTRIESREAD' && i + 1 < argv.length) {
      const count = integer(argv[++i]);
      if (count < -1) throw new RedisReplyError('ERR value for ENTRIESREAD must be positive or -1');
      entriesRead = count === -1 ? undefined : count;
    } else {
      throw new RedisReplyError(
        `ERR unknown subcommand or wrong number of arguments for '${argv[1]}'. Try XGROUP HELP.`,
      );
    }
  }
  return { makeStream, entriesRead };
}

function keyMissing(): RedisReplyError {
  return new RedisReplyError(
    'ERR The XGROUP subcommand requires the key to exist. Note that for CREATE you may want to use the MKSTREAM option to create an empty stream automatically.',
  );
}
