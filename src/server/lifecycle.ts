import type { Clock } from '../core/clock.ts';

/** Starts in order and stops in reverse, each part within its own deadline, whatever the others do. */
export interface Lifecycle {
  /** Registers how to stop what was just started. */
  onStop(name: string, stop: () => Promise<void>, deadlineMs?: number): void;
  /** Runs once; later calls wait for the first. Returns the parts that failed or did not end in time. */
  stop(): Promise<StopFailure[]>;
}

export interface StopFailure {
  readonly name: string;
  readonly reason: string;
}

const DEADLINE_MS = 5_000;

export function createLifecycle(clock: Clock): Lifecycle {
  const steps: { name: string; stop: () => Promise<void>; deadlineMs: number }[] = [];
  let stopping: Promise<StopFailure[]> | undefined;

  async function stopAll(): Promise<StopFailure[]> {
    const failures: StopFailure[] = [];
    for (const { name, stop, deadlineMs } of steps.reverse()) {
      const reason = await within(clock, deadlineMs, stop);
      if (reason !== undefined) failures.push({ name, reason });
    }
    return failures;
  }

  return {
    onStop: (name, stop, deadlineMs = DEADLINE_MS) => void steps.push({ name, stop, deadlineMs }),
    stop: () => (stopping ??= stopAll()),
  };
}

/** undefined when the task ended well in time, else the reason it did not. */
async function within(clock: Clock, deadlineMs: number, task: () => Promise<void>): Promise<string | undefined> {
  const timedOut = new AbortController();
  // What a task throws before its first await is a failure like any other.
  const ended = (async () => task())().then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  const late = clock.sleep(deadlineMs, timedOut.signal).then(() => `did not stop within ${deadlineMs} ms`);
  const reason = await Promise.race([ended, late]);
  timedOut.abort();
  return reason;
}
