import type { Clock } from '../core/clock.ts';

/** An instant on both clocks of this process. */
export interface Instant {
  readonly wallMs: number;
  readonly monotonicMs: number;
}

export function instantOf(clock: Clock): Instant {
  return { wallMs: clock.nowMs(), monotonicMs: clock.monotonicMs() };
}

/**
 * Time since `start`: the larger of the two clocks (FENCE-4). The monotonic one may stand still while a machine sleeps, the
 * wall clock may be set back; neither may prolong trust.
 */
export function elapsedMs(start: Instant, now: Instant): number {
  return Math.max(now.wallMs - start.wallMs, now.monotonicMs - start.monotonicMs);
}
