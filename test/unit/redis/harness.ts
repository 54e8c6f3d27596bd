import {
  createMemoryRedis,
  type ProfileName,
  RedisReplyError,
  type Reply,
  type Script,
} from '../../../src/redis/index.ts';
import { createVirtualClock, type VirtualClock } from '../../../src/testkit/virtual-clock.ts';

export const PROFILE_NAMES: readonly ProfileName[] = ['redis-7.0', 'valkey-8'];

export interface Harness {
  readonly clock: VirtualClock;
  /** Runs a command written as one line; an error reply comes back as its text. */
  readonly run: (line: string) => Promise<Reply>;
  /** The same on another connection each time, for commands that block. */
  readonly block: (line: string) => Blocked;
  /** Runs lines as one atomic step. */
  readonly atomically: (...lines: readonly string[]) => Promise<Reply>;
}

export interface Blocked {
  /** Undefined while it waits. */
  reply(): Reply | undefined;
}

/** An in-memory server with a clock that stands still. */
export function openHarness(profile: ProfileName = 'redis-7.0', startMs?: number): Harness {
  const clock = createVirtualClock(startMs);
  const redis = createMemoryRedis({ clock, profile });
  const connection = redis.connect();
  const textOf = (error: unknown): string => {
    if (error instanceof RedisReplyError) return error.message;
    throw error;
  };
  return {
    clock,
    run: (line) => connection.call(...words(line)).catch(textOf),
    block: (line) => {
      let settled: Reply | undefined;
      void redis
        .connect()
        .call(...words(line))
        .catch(textOf)
        .then((reply) => {
          settled = reply;
        });
      return { reply: () => settled };
    },
    atomically: (...lines) => connection.run(scriptOf(lines), [], []).catch(textOf),
  };
}

function scriptOf(lines: readonly string[]): Script {
  return { name: 'lines', lua: '', twin: (call) => lines.map((line) => call(...words(line))) };
}

function words(line: string): string[] {
  return line.split(' ').map((word) => (word === "''" ? '' : word));
}
