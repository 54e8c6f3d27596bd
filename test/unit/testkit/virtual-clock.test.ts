import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../../src/testkit/virtual-clock.ts';

describe('T9 the virtual clock', () => {
  it('T9 fires timers in due order and lets each settle before the next', async () => {
    const clock = createVirtualClock(1_000);
    const log: string[] = [];
    clock.setTimer(20, () => log.push(`b@${clock.nowMs()}`));
    clock.setTimer(10, () => {
      log.push(`a@${clock.nowMs()}`);
      void clock.sleep(5).then(() => log.push(`a+5@${clock.nowMs()}`));
    });
    const cancel = clock.setTimer(15, () => log.push('never'));
    cancel();
    await clock.advance(19);
    expect(log).toEqual(['a@1010', 'a+5@1015']);
    await clock.advance(1);
    expect(log).toEqual(['a@1010', 'a+5@1015', 'b@1020']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('T9 a stall moves time without firing; a jump moves the wall clock alone', async () => {
    const clock = createVirtualClock(1_000);
    let fired = 0;
    clock.setTimer(10, () => fired++);
    clock.stall(50);
    expect([fired, clock.nowMs(), clock.monotonicMs()]).toEqual([0, 1_050, 50]);
    clock.jumpWall(-500);
    expect([clock.nowMs(), clock.monotonicMs()]).toEqual([550, 50]);
    await clock.advance(0);
    expect(fired).toBe(1);
  });
});
