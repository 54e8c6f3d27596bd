import { RedisReplyError, type Reply } from '../../commands.ts';
import { integer } from '../arguments.ts';
import type { Command, CommandContext } from '../command.ts';
import { syntaxError } from '../replies.ts';

export const STRING_COMMANDS: Record<string, Command> = {
  get: { arity: 2, run: ({ keyspace }, argv) => keyspace.text(argv[1] as string) ?? null },
  set: { arity: -3, run: set },
};

function set({ keyspace, nowMs }: CommandContext, argv: readonly string[]): Reply {
  const key = argv[1] as string;
  const { ttlMs, keepTtl, condition, get } = parseSet(argv);
  const previous = get ? (keyspace.text(key) ?? null) : null;
  const exists = keyspace.get(key) !== undefined;
  if ((condition === 'NX' && exists) || (condition === 'XX' && !exists)) return get ? previous : null;
  keyspace.setText(key, argv[2] as string);
  if (ttlMs !== undefined) keyspace.expireAt(key, nowMs + ttlMs);
  else if (!keepTtl) keyspace.persist(key);
  return get ? previous : 'OK';
}

interface SetOptions {
  ttlMs: number | undefined;
  keepTtl: boolean;
  condition: 'NX' | 'XX' | undefined;
  get: boolean;
}

function parseSet(argv: readonly string[]): SetOptions {
  const options: SetOptions = { ttlMs: undefined, keepTtl: false, condition: undefined, get: false };
  let ttlText: string | undefined;
  let unitMs = 1;
  for (let i = 3; i < argv.length; i++) {
    const option = (argv[i] as string).toUpperCase();
    if ((option === 'NX' || option === 'XX') && (options.condition ?? option) === option) options.condition = option;
    else if (option === 'GET') options.get = true;
    else if (option === 'KEEPTTL' && ttlText === undefined) options.keepTtl = true;
    else if ((option === 'PX' || option === 'EX') && ttlText === undefined && !options.keepTtl && i + 1 < argv.length) {
      ttlText = argv[++i] as string;
      unitMs = option === 'EX' ? 1000 : 1;
    } else throw syntaxError();
  }
  if (ttlText !== undefined) {
    options.ttlMs = integer(ttlText) * unitMs;
    if (options.ttlMs <= 0) throw new RedisReplyError("ERR invalid expire time in 'set' command");
  }
  return options;
}
