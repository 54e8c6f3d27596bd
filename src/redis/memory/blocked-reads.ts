import type { Clock } from '../../core/clock.ts';
import type { Reply } from '../commands.ts';
import type { BlockedRead, CommandContext } from './command.ts';

/** A connection that waits for the reply of its blocking read. */
export interface Waiter {
  resolve(reply: Reply): void;
  reject(error: unknown): void;
}

/** The readers that wait, by key: who blocked first is served first (S4.32). */
export class BlockedReads {
  readonly #byKey = new Map<string, Set<Parked>>();
  readonly #byWaiter = new Map<Waiter, Parked>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  park(read: BlockedRead, waiter: Waiter): void {
    const parked: Parked = { read, waiter, cancelTimer: () => undefined };
    this.#byWaiter.set(waiter, parked);
    for (const key of read.keys) {
      const queue = this.#byKey.get(key) ?? new Set();
      queue.add(parked);
      this.#byKey.set(key, queue);
    }
    if (read.timeoutMs === 0) return;
    parked.cancelTimer = this.#clock.setTimer(read.timeoutMs, () => {
      this.remove(waiter);
      waiter.resolve(null);
    });
  }

  /** Whether anyone waits on the key. */
  has(key: string): boolean {
    return this.#byKey.has(key);
  }

  serve(key: string, context: CommandContext): void {
    for (const parked of this.#byKey.get(key) ?? []) {
      const { waiter } = parked;
      if (this.#byWaiter.get(waiter) !== parked) continue;
      try {
        const reply = parked.read.serve(context, key);
        if (reply === undefined) continue;
        this.remove(waiter);
        waiter.resolve(reply);
      } catch (error) {
        this.remove(waiter);
        waiter.reject(error);
      }
    }
  }

  remove(waiter: Waiter): void {
    const parked = this.#byWaiter.get(waiter);
    if (parked === undefined) return;
    parked.cancelTimer();
    this.#byWaiter.delete(waiter);
    for (const key of parked.read.keys) {
      const queue = this.#byKey.get(key);
      queue?.delete(parked);
      if (queue?.size === 0) this.#byKey.delete(key);
    }
  }
}

interface Parked {
  readonly read: BlockedRead;
  readonly waiter: Waiter;
  cancelTimer: () => void;
}
