import type { Clock } from '../../core/clock.ts';
import { type RedisArgument, RedisReplyError, type Reply, type Script } from '../commands.ts';
import { BlockedReads, type Waiter } from './blocked-reads.ts';
import { BlockedRead, type CommandContext } from './command.ts';
import { COMMANDS } from './commands/table.ts';
import { Keyspace } from './keyspace.ts';
import type { Profile } from './profile.ts';
import { PubSub } from './pubsub.ts';
import { wrongArity } from './replies.ts';

/** One server: it runs commands and scripts one after another, each as one atomic step, then serves blocked readers. */
export class MemoryServer {
  readonly pubsub = new PubSub();
  readonly #keyspace: Keyspace;
  readonly #blocked: BlockedReads;
  readonly #clock: Clock;
  readonly #profile: Profile;

  constructor(clock: Clock, profile: Profile) {
    this.#clock = clock;
    this.#profile = profile;
    this.#blocked = new BlockedReads(clock);
    this.#keyspace = new Keyspace((key) => this.#blocked.has(key));
  }

  /** Runs a command. A read that has to wait is handed back, for the connection to park. */
  execute(argv: readonly string[]): Reply | BlockedRead {
    const context = this.#context(false);
    try {
      return runCommand(context, argv);
    } finally {
      this.#serveBlocked();
    }
  }

  /** Runs the twin of a script: everything it calls happens in one step, at one time (S4.5). */
  runScript(script: Script, keys: readonly string[], args: readonly RedisArgument[]): Reply {
    const context = this.#context(true);
    const call = (...command: readonly RedisArgument[]): Reply => {
      const reply = runCommand(context, command.map(String));
      return reply instanceof BlockedRead ? null : reply;
    };
    try {
      return script.twin(call, keys, args.map(String));
    } finally {
      this.#serveBlocked();
    }
  }

  park(read: BlockedRead, waiter: Waiter): void {
    this.#blocked.park(read, waiter);
  }

  /** Takes a waiter out, because its connection closes. */
  unpark(waiter: Waiter): void {
    this.#blocked.remove(waiter);
  }

  #serveBlocked(): void {
    for (let keys = this.#keyspace.takeSignalled(); keys.length > 0; keys = this.#keyspace.takeSignalled()) {
      for (const key of keys) this.#blocked.serve(key, this.#context(false));
    }
  }

  #context(inScript: boolean): CommandContext {
    const nowMs = this.#clock.nowMs();
    this.#keyspace.nowMs = nowMs;
    const { pubsub } = this;
    return {
      keyspace: this.#keyspace,
      profile: this.#profile,
      nowMs,
      inScript,
      publish: (channel, message) => pubsub.publish(channel, message),
    };
  }
}

function runCommand(context: CommandContext, argv: readonly string[]): Reply | BlockedRead {
  const name = argv[0] ?? '';
  const command = COMMANDS.get(name) ?? COMMANDS.get(name.toLowerCase());
  if (command === undefined) throw unknownCommand(argv);
  const { arity } = command;
  if (arity > 0 ? argv.length !== arity : argv.length < -arity) throw wrongArity(name.toLowerCase());
  return command.run(context, argv);
}

function unknownCommand([name = '', ...args]: readonly string[]): RedisReplyError {
  const beginning = args.map((arg) => `'${arg}' `).join('');
  return new RedisReplyError(`ERR unknown command '${name}', with args beginning with: ${beginning}`);
}
