import { beforeEach, describe, expect, it } from 'vitest';
import { TickerError } from '../../../src/core/errors.ts';
import { createStages, type Stages } from '../../../src/server/stages.ts';
import { createVirtualClock, type VirtualClock } from '../../../src/testkit/virtual-clock.ts';
import { aborted } from './list-feed.ts';
import { recordedLog } from './recorded-log.ts';

let clock: VirtualClock;
let recorded: ReturnType<typeof recordedLog>;
let backlog: number;
let stages: Stages;

beforeEach(() => {
  clock = createVirtualClock();
  recorded = recordedLog();
  backlog = 0;
  stages = createStages({ clock, log: recorded.log, backlog: () => backlog });
});

/** What has become of a promise. */
function watch(promise: Promise<unknown>): () => 'pending' | 'resolved' | 'rejected' {
  let state: 'pending' | 'resolved' | 'rejected' = 'pending';
  promise.then(
    () => (state = 'resolved'),
    () => (state = 'rejected'),
  );
  return () => state;
}

describe('stages', () => {
  it('O a stage that fails is logged, named by notReady until it has held for a while, and started again', async () => {
    let starts = 0;
    stages.run('candles 0', 'candles', async (signal) => {
      if (++starts <= 2) throw new Error('disk full');
      await aborted(signal);
    });
    await clock.settle();
    expect([starts, stages.notReady()]).toEqual([1, ['candles 0']]);
    await clock.advance(999);
    expect(starts).toBe(1);
    await clock.advance(1);
    expect([starts, stages.notReady()]).toEqual([2, ['candles 0']]);
    await clock.advance(1_000);
    expect([starts, stages.notReady()]).toEqual([3, ['candles 0']]);
    await clock.advance(3_000);
    expect([starts, stages.notReady()]).toEqual([3, []]);
    expect(recorded.lines()).toMatchObject([
      { stage: 'candles 0', err: { message: 'disk full' } },
      { stage: 'candles 0', err: { message: 'disk full' } },
    ]);
  });

  it('O one stage that fails leaves the others alone', async () => {
    let starts = 0;
    stages.run('live', 'readers', async (signal) => {
      starts++;
      await aborted(signal);
    });
    stages.run('housekeeping', 'candles', async () => {
      throw new Error('no');
    });
    await clock.advance(5_000);
    expect([starts, stages.notReady()]).toEqual([1, ['housekeeping']]);
  });

  it('O a stop ends the feed, waits for its candles, then ends the candles and then the readers', async () => {
    const order: string[] = [];
    const until = (name: string) => async (signal: AbortSignal) => {
      await aborted(signal);
      order.push(name);
    };
    stages.run('live', 'readers', until('readers'));
    stages.run('candles', 'candles', until('candles'));
    backlog = 7;
    const stopped = watch(stages.stop(async () => void order.push('feed')));
    await clock.advance(1_000);
    expect([order, stopped()]).toEqual([['feed'], 'pending']);
    backlog = 0;
    await clock.advance(10);
    expect([order, stopped()]).toEqual([['feed', 'candles', 'readers'], 'resolved']);
  });

  it('O candles that do not catch up hold a stop back for five seconds at most', async () => {
    stages.run('candles', 'candles', aborted);
    backlog = 1;
    const stopped = watch(stages.stop(async () => undefined));
    await clock.advance(4_900);
    expect(stopped()).toBe('pending');
    await clock.advance(200);
    expect(stopped()).toBe('resolved');
  });

  it('O a failure on the way out is logged and not repeated', async () => {
    stages.run('candles', 'candles', async (signal) => {
      await aborted(signal);
      throw new Error('last commit failed');
    });
    const stopped = watch(stages.stop(async () => undefined));
    await clock.advance(5_000);
    expect(stopped()).toBe('resolved');
    expect(recorded.lines()).toMatchObject([{ stage: 'candles', err: { message: 'last commit failed' } }]);
  });

  it('D5 ended resolves when all that the feed brought is committed, and not before', async () => {
    const ended = watch(stages.ended);
    backlog = 3;
    stages.feedEnded();
    await clock.advance(60_000);
    expect(ended()).toBe('pending');
    backlog = 0;
    await clock.advance(10);
    expect(ended()).toBe('resolved');
  });

  it('D5 a stop that leaves ticks uncommitted does not say that all is committed', async () => {
    stages.run('candles', 'candles', aborted);
    const ended = watch(stages.ended);
    backlog = 3;
    stages.feedEnded();
    const stopped = watch(stages.stop(async () => undefined));
    await clock.advance(10_000);
    expect([stopped(), ended()]).toEqual(['resolved', 'pending']);
  });

  it('O a feed that cannot go on rejects ended, and is logged even when nobody waits', async () => {
    const ended = watch(stages.ended);
    stages.feedFailed(new TickerError('INPUT_INVALID', 'line 7'));
    await clock.settle();
    expect(ended()).toBe('rejected');
    await expect(stages.ended).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    expect(recorded.lines()).toMatchObject([{ err: { message: 'line 7' } }]);
  });
});
