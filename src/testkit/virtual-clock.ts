import { type Clock, sleepOn } from '../core/clock.ts';

export interface VirtualClock extends Clock {
  /** Moves both clocks forward and fires what is due, in due order; what a timer starts settles before the next fires. */
  advance(deltaMs: number): Promise<void>;
  /** Moves the wall clock alone, forwards or backwards: a jump, or a correction by NTP. */
  jumpWall(deltaMs: number): void;
  /** Moves both clocks without firing a timer: the process was stopped, and has just been woken. */
  stall(deltaMs: number): void;
  /** Lets everything that can go on without time passing go on. */
  settle(): Promise<void>;
  readonly pendingTimers: number;
}

/** A clock that stands still until a test moves it. `startMs` is Unix milliseconds. */
export function createVirtualClock(startMs = 1_700_000_000_000): VirtualClock {
  return new TimerQueue(startMs);
}

/** Turns of the microtask queue that are taken for settled: more than the longest chain of awaits between two timers. */
const SETTLE_TURNS = 100;

class TimerQueue implements VirtualClock {
  #wallMs: number;
  #monotonicMs = 0;
  #sequence = 0;
  readonly #timers = new Set<Timer>();

  constructor(startMs: number) {
    this.#wallMs = startMs;
  }

  get pendingTimers(): number {
    return this.#timers.size;
  }

  nowMs(): number {
    return this.#wallMs;
  }

  monotonicMs(): number {
    return this.#monotonicMs;
  }

  setTimer(delayMs: number, task: () => void): () => void {
    const timer = { dueMs: this.#monotonicMs + Math.max(delayMs, 0), sequence: this.#sequence++, task };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, delayMs, signal);
  }

  async advance(deltaMs: number): Promise<void> {
    const endMs = this.#monotonicMs + deltaMs;
    await this.settle();
    for (let timer = this.#nextDue(endMs); timer !== undefined; timer = this.#nextDue(endMs)) {
      this.stall(Math.max(timer.dueMs - this.#monotonicMs, 0));
      this.#timers.delete(timer);
      timer.task();
      await this.settle();
    }
    this.stall(Math.max(endMs - this.#monotonicMs, 0));
    await this.settle();
  }

  jumpWall(deltaMs: number): void {
    this.#wallMs += deltaMs;
  }

  stall(deltaMs: number): void {
    this.#wallMs += deltaMs;
    this.#monotonicMs += deltaMs;
  }

  async settle(): Promise<void> {
    for (let turn = 0; turn < SETTLE_TURNS; turn++) await Promise.resolve();
  }

  #nextDue(endMs: number): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers) {
      if (timer.dueMs > endMs) continue;
      if (
        next === undefined ||
        timer.dueMs < next.dueMs ||
        (timer.dueMs === next.dueMs && timer.sequence < next.sequence)
      ) {
        next = timer;
      }
    }
    return next;
  }
}

interface Timer {
  readonly dueMs: number;
  readonly sequence: number;
  readonly task: () => void;
}
