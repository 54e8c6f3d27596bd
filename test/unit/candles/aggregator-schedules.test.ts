import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StreamId } from '../../../src/core/stream-id.ts';
import { dump, oracleCandles } from '../../oracle/oracle.ts';
import { positionOf } from '../server/list-feed.ts';
import { type Faults, openShardWorld, publish, register, type ShardWorld, ticks, watermark } from './shard-world.ts';
import { arbitraryTrades, type Trade } from './trades.ts';

const SYMBOLS = ['A', 'B'];

/** What happens to a running shard, one after the other. */
type Step =
  | { readonly kind: 'publish' | 'again'; readonly count: number }
  /** The owner stops for ever at its next commit, before or after it; another one takes over meanwhile. */
  | { readonly kind: 'crash'; readonly at: 'before' | 'after' }
  | { readonly kind: 'restart' }
  | { readonly kind: 'guest' }
  | { readonly kind: 'new-leader' }
  | { readonly kind: 'failover'; readonly lost: number }
  | { readonly kind: 'emptied' }
  | { readonly kind: 'time'; readonly turns: number };

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant('publish' as const), count: fc.integer({ min: 1, max: 9 }) }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('again' as const), count: fc.integer({ min: 1, max: 5 }) }) },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('crash' as const),
        at: fc.constantFrom('before' as const, 'after' as const),
      }),
    },
    { weight: 1, arbitrary: fc.constant({ kind: 'restart' as const }) },
    { weight: 1, arbitrary: fc.constant({ kind: 'guest' as const }) },
    { weight: 2, arbitrary: fc.constant({ kind: 'new-leader' as const }) },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant('failover' as const), lost: fc.integer({ min: 1, max: 8 }) }),
    },
    { weight: 1, arbitrary: fc.constant({ kind: 'emptied' as const }) },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('time' as const), turns: fc.integer({ min: 1, max: 8 }) }) },
  ),
  { maxLength: 14 },
);

describe('aggregator under any schedule', () => {
  it('R11 R41 D3 D4 D5 T8 crashes, takeovers, failovers and repeats give the oracle’s candles', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryTrades(SYMBOLS), steps, async (trades, schedule) => {
        const world = await openShardWorld();
        try {
          await register(world.store, SYMBOLS);
          const run = new ScheduleRun(world, trades);
          await run.start();
          for (const step of schedule) await run.take(step);
          await run.finish();
          expect(await world.stored(SYMBOLS)).toBe(dump(oracleCandles(trades)));
          expect(await world.pending()).toBe(0);
        } finally {
          await world.close();
        }
      }),
      { numRuns: 25 },
    );
  });
});

class ScheduleRun {
  readonly #world: ShardWorld;
  readonly #trades: readonly Trade[];
  /** Trades published so far; what a feed would resume at. */
  #position = 0;
  #term = 1;
  #names = 0;
  #last: StreamId = { epoch: 0, seq: 0 };
  #owner: { readonly faults: { crash?: 'before' | 'after' }; stop(): Promise<void> } | undefined;

  constructor(world: ShardWorld, trades: readonly Trade[]) {
    this.#world = world;
    this.#trades = trades;
  }

  async start(): Promise<void> {
    await this.#lead();
    this.#aggregate();
  }

  async take(step: Step): Promise<void> {
    const world = this.#world;
    switch (step.kind) {
      case 'publish':
        return this.#publish(this.#position, step.count);
      case 'again':
        return this.#publish(Math.max(0, this.#position - step.count), step.count);
      case 'crash':
        if (this.#owner) this.#owner.faults.crash = step.at;
        return this.#aggregate();
      case 'restart':
        await this.#owner?.stop();
        return this.#aggregate();
      case 'guest':
        await world.store.takeOver(0, 'guest');
        return;
      case 'new-leader':
        return this.#lead();
      case 'failover':
        return this.#failOver(step.lost);
      case 'emptied':
        await world.connection.call('FLUSHALL');
        this.#position = positionOf((await world.store.shard(0)).sourceCursor);
        return this.#lead();
      case 'time': {
        let turns = 0;
        return world.until(() => turns++ === step.turns);
      }
    }
  }

  /** Whoever is still there stops for ever; a sound owner finishes the job. */
  async finish(): Promise<void> {
    await this.take({ kind: 'crash', at: 'before' });
    while (this.#position < this.#trades.length) await this.#publish(this.#position, 9);
    this.#last = await publish(this.#world.publisher(), [watermark(0)], this.#position);
    await this.#world.committedThrough(this.#last);
    await this.#world.until(async () => (await this.#world.pending()) === 0);
    await this.#owner?.stop();
  }

  async #publish(from: number, count: number): Promise<void> {
    const some = this.#trades.slice(from, from + count);
    this.#position = Math.max(this.#position, from + some.length);
    const position = this.#position;
    this.#last = await publish(this.#world.publisher(), [...ticks(some), watermark(0)], position);
  }

  async #lead(): Promise<void> {
    this.#term += 1_000;
    await this.#world.lead(this.#term);
    this.#last = this.#world.publisher().position() ?? this.#last;
  }

  /** The newest entries are gone; the next leader resumes where the stream says that it ends. */
  async #failOver(lost: number): Promise<void> {
    const { connection, keys } = this.#world;
    const { epoch, seq } = this.#last;
    const end = Math.max(0, seq - lost);
    for (let gone = end + 1; gone <= seq; gone++) await connection.call('XDEL', keys.ticks, `${epoch}-${gone}`);
    await connection.call('HSET', keys.fence, 'seq', end);
    this.#position = 0;
    await this.#lead();
  }

  #aggregate(): void {
    const crash: { crash?: 'before' | 'after' } = {};
    const faults: Faults = {
      async commit(commit, flush) {
        if (crash.crash === 'before') return new Promise<never>(() => undefined);
        const outcome = await commit(flush);
        return crash.crash === 'after' ? new Promise<never>(() => undefined) : outcome;
      },
    };
    const running = this.#world.aggregate(`owner-${this.#names++}`, faults);
    this.#owner = { faults: crash, stop: () => running.stop() };
  }
}
