import { describe, expect, it } from 'vitest';
import { createLifecycle, type StopFailure } from '../../../src/server/lifecycle.ts';
import { createVirtualClock } from '../../../src/testkit/virtual-clock.ts';

const never = (): Promise<void> => new Promise(() => undefined);

describe('lifecycle', () => {
  it('O stops in the reverse order of the start, each after the one before', async () => {
    const clock = createVirtualClock();
    const lifecycle = createLifecycle(clock);
    const order: string[] = [];
    for (const name of ['store', 'redis', 'pipeline'])
      lifecycle.onStop(name, async () => {
        order.push(`${name} stops`);
        await clock.sleep(10);
        order.push(`${name} stopped`);
      });
    const stopped = lifecycle.stop();
    await clock.advance(100);
    expect(await stopped).toEqual([]);
    expect(order).toEqual(['pipeline', 'redis', 'store'].flatMap((name) => [`${name} stops`, `${name} stopped`]));
    expect(clock.pendingTimers).toBe(0);
  });

  it('O a part that hangs, rejects or throws is named, and the others still stop within their own deadlines', async () => {
    const clock = createVirtualClock();
    const lifecycle = createLifecycle(clock);
    const order: string[] = [];
    lifecycle.onStop('store', async () => void order.push('store'));
    lifecycle.onStop('hangs', never, 2_000);
    lifecycle.onStop('rejects', () => Promise.reject(new Error('disk full')));
    lifecycle.onStop('throws', () => {
      throw new RangeError('not even started');
    });
    let failures: StopFailure[] | undefined;
    void lifecycle.stop().then((found) => (failures = found));
    await clock.advance(1_999);
    expect([failures, order]).toEqual([undefined, []]);
    await clock.advance(1);
    expect(failures).toEqual([
      { name: 'throws', reason: 'not even started' },
      { name: 'rejects', reason: 'disk full' },
      { name: 'hangs', reason: 'did not stop within 2000 ms' },
    ]);
    expect(order).toEqual(['store']);
  });

  it('O stopping twice stops once', async () => {
    const lifecycle = createLifecycle(createVirtualClock());
    let stops = 0;
    lifecycle.onStop('store', async () => void stops++);
    const [first, second] = [lifecycle.stop(), lifecycle.stop()];
    expect(await first).toEqual(await second);
    expect(stops).toBe(1);
  });
});
