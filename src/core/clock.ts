/**
 * The only door to time. Everything that waits or asks the hour takes a Clock, so tests can move it by hand.
 */
export interface Clock {
  /** Wall clock, Unix milliseconds. */
  nowMs(): number;
  /** Monotonic milliseconds from an arbitrary start; never goes back. */
  monotonicMs(): number;
  /** Runs `task` once after `delayMs`. The returned function cancels it. */
  setTimer(delayMs: number, task: () => void): () => void;
  /** Resolves after `delayMs`, or at once when `signal` aborts. Never rejects. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  setTimer(delayMs, task) {
    const timer = setTimeout(task, delayMs);
    return () => clearTimeout(timer);
  },
  sleep(delayMs, signal) {
    return sleepOn(systemClock, delayMs, signal);
  },
};

/** The one implementation of sleep, shared with the virtual clock of the testkit. */
export function sleepOn(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = (): void => {
      cancel();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const cancel = clock.setTimer(delayMs, done);
    signal?.addEventListener('abort', done, { once: true });
  });
}
