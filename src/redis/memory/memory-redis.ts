import type { Clock } from '../../core/clock.ts';
import { TickerError } from '../../core/errors.ts';
import type { Redis, RedisArgument, RedisConnection, Reply, Script } from '../commands.ts';
import type { Waiter } from './blocked-reads.ts';
import { BlockedRead } from './command.ts';
import { PROFILES, type ProfileName } from './profile.ts';
import type { Listener } from './pubsub.ts';
import { MemoryServer } from './server.ts';

/** Calls that may wait behind a blocked one on a connection; more is a leak. */
const QUEUE_MAX = 10_000;

/**
 * A Redis in this process: the embedded default, and what tests run on (F15). It answers like the server of the profile,
 * by the clock it is given. Its data lives as long as it does.
 */
export function createMemoryRedis({ clock, profile = 'redis-7.0' }: { clock: Clock; profile?: ProfileName }): Redis {
  const server = new MemoryServer(clock, PROFILES[profile]);
  const connections = new Set<MemoryConnection>();
  let closed = false;
  return {
    connect() {
      if (closed) throw connectionClosed();
      const connection = new MemoryConnection(server, () => connections.delete(connection));
      connections.add(connection);
      return connection;
    },
    async close() {
      closed = true;
      await Promise.all([...connections].map((connection) => connection.close()));
    },
  };
}

/** One connection: commands in order, each waiting for a blocked one before it. */
class MemoryConnection implements RedisConnection {
  readonly #server: MemoryServer;
  readonly #onClose: () => void;
  /** Calls that came while a read was blocked. */
  readonly #queue: Queued[] = [];
  #blocked: Waiter | undefined;
  #closed = false;

  constructor(server: MemoryServer, onClose: () => void) {
    this.#server = server;
    this.#onClose = onClose;
  }

  call(...command: readonly RedisArgument[]): Promise<Reply> {
    const argv = command.every(isText) ? command : command.map(String);
    return this.#send(() => this.#server.execute(argv));
  }

  run(script: Script, keys: readonly string[], args: readonly RedisArgument[]): Promise<Reply> {
    return this.#send(() => this.#server.runScript(script, keys, args));
  }

  async subscribe(channel: string, listener: Listener): Promise<() => Promise<void>> {
    if (this.#closed) throw connectionClosed();
    const unsubscribe = this.#server.pubsub.subscribe(this, channel, listener);
    return async () => unsubscribe();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#onClose();
    this.#server.pubsub.unsubscribeAll(this);
    const waiting = this.#queue.splice(0);
    if (this.#blocked !== undefined) {
      this.#server.unpark(this.#blocked);
      this.#blocked.reject(connectionClosed());
    }
    for (const queued of waiting) queued.reject(connectionClosed());
  }

  #send(execute: Queued['execute']): Promise<Reply> {
    if (this.#closed) return Promise.reject(connectionClosed());
    if (this.#blocked === undefined) return this.#start(execute);
    if (this.#queue.length >= QUEUE_MAX) {
      return Promise.reject(new TickerError('INTERNAL', 'too many calls wait behind a blocking read'));
    }
    return new Promise((resolve, reject) => this.#queue.push({ execute, resolve, reject }));
  }

  #start(execute: Queued['execute']): Promise<Reply> {
    try {
      const reply = execute();
      return reply instanceof BlockedRead ? this.#wait(reply) : Promise.resolve(reply);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #wait(read: BlockedRead): Promise<Reply> {
    return new Promise((resolve, reject) => {
      this.#blocked = {
        resolve: (reply) => this.#unblock(() => resolve(reply)),
        reject: (error) => this.#unblock(() => reject(error)),
      };
      this.#server.park(read, this.#blocked);
    });
  }

  #unblock(settle: () => void): void {
    this.#blocked = undefined;
    settle();
    while (this.#blocked === undefined) {
      const next = this.#queue.shift();
      if (next === undefined) return;
      this.#start(next.execute).then(next.resolve, next.reject);
    }
  }
}

interface Queued extends Waiter {
  readonly execute: () => Reply | BlockedRead;
}

function isText(argument: RedisArgument): argument is string {
  return typeof argument === 'string';
}

function connectionClosed(): TickerError {
  return new TickerError('REDIS_UNREACHABLE', 'the connection to Redis is closed');
}
