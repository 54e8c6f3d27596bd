import { RedisReplyError, type Reply } from '../../commands.ts';
import { integer } from '../arguments.ts';
import type { Command, CommandContext } from '../command.ts';
import { wrongArity } from '../replies.ts';

export const HASH_COMMANDS: Record<string, Command> = {
  hget: { arity: 3, run: ({ keyspace }, argv) => keyspace.hash(argv[1] as string)?.get(argv[2] as string) ?? null },
  hmget: {
    arity: -3,
    run: ({ keyspace }, argv) => {
      const fields = keyspace.hash(argv[1] as string);
      return argv.slice(2).map((field) => fields?.get(field) ?? null);
    },
  },
  hgetall: { arity: 2, run: ({ keyspace }, argv) => [...(keyspace.hash(argv[1] as string) ?? [])].flat() },
  hset: { arity: -4, run: hset },
  hdel: { arity: -3, run: hdel },
  hincrby: { arity: 4, run: hincrby },
};

/** Answers how many fields are new. */
function hset({ keyspace }: CommandContext, argv: readonly string[]): Reply {
  if (argv.length % 2 !== 0) throw wrongArity('hset');
  const fields = keyspace.hashOrCreate(argv[1] as string);
  const before = fields.size;
  for (let i = 2; i < argv.length; i += 2) fields.set(argv[i] as string, argv[i + 1] as string);
  return fields.size - before;
}

/** A hash without fields is no key. */
function hdel({ keyspace }: CommandContext, argv: readonly string[]): Reply {
  const key = argv[1] as string;
  const fields = keyspace.hash(key);
  if (fields === undefined) return 0;
  const removed = argv.slice(2).filter((field) => fields.delete(field)).length;
  if (fields.size === 0) keyspace.delete(key);
  return removed;
}

function hincrby({ keyspace }: CommandContext, argv: readonly string[]): Reply {
  const [, key = '', field = '', by] = argv;
  const increment = integer(by);
  const value = integer(keyspace.hash(key)?.get(field) ?? '0', 'ERR hash value is not an integer') + increment;
  if (!Number.isSafeInteger(value)) throw new RedisReplyError('ERR increment or decrement would overflow');
  keyspace.hashOrCreate(key).set(field, String(value));
  return value;
}
