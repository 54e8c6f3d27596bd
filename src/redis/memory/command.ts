import type { Reply } from '../commands.ts';
import type { Keyspace } from './keyspace.ts';
import type { Profile } from './profile.ts';

/** A command of the table: argv[0] is its name, as in the documentation of servers. */
export interface Command {
  /** Number of arguments with the name; negative = at least. */
  readonly arity: number;
  /** Runs at once and answers in RESP2 shape, or throws RedisReplyError, or asks to be blocked. */
  readonly run: (context: CommandContext, argv: readonly string[]) => Reply | BlockedRead;
}

/** What a command may touch. Time stands still while it runs. */
export interface CommandContext {
  readonly keyspace: Keyspace;
  readonly profile: Profile;
  readonly nowMs: number;
  readonly inScript: boolean;
  /** Answers how many connections listen. */
  publish(channel: string, message: string): number;
}

/** A read that waits: the server parks its connection on `keys` and asks `serve` whenever one of them is signalled. */
export class BlockedRead {
  readonly keys: readonly string[];
  /** 0 = for ever. */
  readonly timeoutMs: number;
  /** Undefined = wait on. It may throw an error reply, which ends the wait too. */
  readonly serve: (context: CommandContext, key: string) => Reply | undefined;

  constructor(
    keys: readonly string[],
    timeoutMs: number,
    serve: (context: CommandContext, key: string) => Reply | undefined,
  ) {
    this.keys = keys;
    this.timeoutMs = timeoutMs;
    this.serve = serve;
  }
}
