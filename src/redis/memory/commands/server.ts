import type { Command } from '../command.ts';
import { wrongArity } from '../replies.ts';

export const SERVER_COMMANDS: Record<string, Command> = {
  ping: {
    arity: -1,
    run: (_context, argv) => {
      if (argv.length > 2) throw wrongArity('ping');
      return argv[1] ?? 'PONG';
    },
  },
  time: {
    arity: 1,
    run: ({ nowMs }) => [String(Math.floor(nowMs / 1000)), String((nowMs % 1000) * 1000)],
  },
  info: {
    arity: -1,
    run: ({ profile }) => ['# Server', ...profile.info, ''].join('\r\n'),
  },
  flushall: {
    arity: -1,
    run: ({ keyspace }) => {
      keyspace.clear();
      return 'OK';
    },
  },
  publish: {
    arity: 3,
    run: (context, argv) => context.publish(argv[1] as string, argv[2] as string),
  },
};
