import { RedisReplyError } from '../../commands.ts';
import { integer } from '../arguments.ts';
import type { Command, CommandContext } from '../command.ts';
import { syntaxError } from '../replies.ts';

export const KEY_COMMANDS: Record<string, Command> = {
  del: {
    arity: -2,
    run: ({ keyspace }, argv) =>
      argv.slice(1).filter((key) => keyspace.get(key) !== undefined && keyspace.delete(key)).length,
  },
  exists: {
    arity: -2,
    run: ({ keyspace }, argv) => argv.slice(1).filter((key) => keyspace.get(key) !== undefined).length,
  },
  type: {
    arity: 2,
    run: ({ keyspace }, argv) => keyspace.get(argv[1] as string)?.type ?? 'none',
  },
  pexpire: { arity: -3, run: pexpire },
  pttl: {
    arity: 2,
    run: ({ keyspace, nowMs }, argv) => {
      const key = argv[1] as string;
      if (keyspace.get(key) === undefined) return -2;
      const expiresAtMs = keyspace.expiresAtMs(key);
      return expiresAtMs === undefined ? -1 : Math.max(expiresAtMs - nowMs, 0);
    },
  },
};

function pexpire({ keyspace, nowMs }: CommandContext, argv: readonly string[]): number {
  const [, key = '', ttl, condition] = argv;
  if (argv.length > 4) throw syntaxError();
  const expiresAtMs = nowMs + integer(ttl);
  const flag = condition?.toUpperCase();
  if (flag !== undefined && !['NX', 'XX', 'GT', 'LT'].includes(flag)) {
    throw new RedisReplyError(`ERR Unsupported option ${condition}`);
  }
  if (keyspace.get(key) === undefined) return 0;
  const current = keyspace.expiresAtMs(key);
  if (flag === 'NX' && current !== undefined) return 0;
  if (flag === 'XX' && current === undefined) return 0;
  // Without a time to live a key lives for ever: nothing is greater, everything is less.
  if (flag === 'GT' && (current === undefined || expiresAtMs <= current)) return 0;
  if (flag === 'LT' && current !== undefined && expiresAtMs >= current) return 0;
  if (expiresAtMs <= nowMs) keyspace.delete(key);
  else keyspace.expireAt(key, expiresAtMs);
  return 1;
}
