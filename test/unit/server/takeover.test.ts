import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { formatDecimal } from '../../../src/core/decimal.ts';
import { compareStreamIds } from '../../../src/core/stream-id.ts';
import type { Tick } from '../../../src/core/tick.ts';
import { createSimulatedFeed, type Feed, type SimulationParams, simulatedTick } from '../../../src/feed/index.ts';
import { LEASE_DEFAULTS } from '../../../src/lease/index.ts';
import type { RedisConnection } from '../../../src/redis/index.ts';
import type { StreamEntry } from '../../../src/stream/index.ts';
import type { VirtualClock } from '../../../src/testkit/virtual-clock.ts';
import { holdUp, type IngestProcess, type IngestWorld, openIngestWorld, POLL_MS } from './ingest-world.ts';

let world: IngestWorld;
/** Opened and not yet closed, by process. */
let reading: Set<string>;

beforeEach(async () => {
  world = await openIngestWorld();
  reading = new Set();
});

afterEach(() => world.close());

const params = (): SimulationParams => ({ seed: 7, symbols: ['ACME', 'BOLT'], ticksPerSecond: 20, startMs: START_MS });
/** Of every virtual clock. */
const START_MS = 1_700_000_000_000;

/** The simulated feed, which notes who reads it. */
function simulated(name: string): (clock: VirtualClock) => Feed {
  return (clock) => {
    const feed = createSimulatedFeed({ ...params(), clock });
    return {
      ...feed,
      async *open(cursor, signal) {
        reading.add(name);
        try {
          yield* feed.open(cursor, signal);
        } finally {
          reading.delete(name);
        }
      },
    };
  };
}

const ticksIn = (entries: readonly StreamEntry[]): Tick[] =>
  entries.flatMap((entry) => (entry.kind === 'tick' ? [entry.tick] : []));

/** Every epoch opens with a barrier that names the end of the one before, and has no hole. */
function expectContiguous(entries: readonly StreamEntry[]): void {
  for (const [index, entry] of entries.entries()) {
    const before = entries[index - 1]?.id;
    if (entry.kind === 'barrier') {
      expect(entry.id.seq).toBe(0);
      expect(entry.prev).toEqual(before);
      continue;
    }
    expect(before).toBeDefined();
    expect(entry.id).toEqual({ epoch: before?.epoch, seq: (before?.seq ?? 0) + 1 });
    expect(compareStreamIds(entry.id, before ?? entry.id)).toBeGreaterThan(0);
  }
}

function expectSimulatedSequence(entries: readonly StreamEntry[]): void {
  const text = ({ symbol, id, tsUs, price, size }: Tick): string =>
    `${symbol} ${id} ${tsUs} ${formatDecimal(price)} ${formatDecimal(size)}`;
  const found = ticksIn(entries).map(text);
  expect(found).toEqual(found.map((_, index) => text(simulatedTick(params(), index))));
}

const leading = (process: IngestProcess): boolean => process.elector.state().kind === 'leading';
const epochs = (entries: readonly StreamEntry[]): number => new Set(entries.map(({ id }) => id.epoch)).size;

/** Two processes; the first leads. */
async function openTwo(wrapFirst?: (connection: RedisConnection) => RedisConnection): Promise<IngestProcess[]> {
  const first = world.process('first', simulated('first'), wrapFirst ? { wrap: wrapFirst } : {});
  const second = world.process('second', simulated('second'));
  first.elector.start();
  await world.until(() => leading(first), 'first leads');
  second.elector.start();
  return [first, second];
}

async function stopAll(...processes: readonly IngestProcess[]): Promise<void> {
  let stopped = 0;
  for (const { elector } of processes) void elector.stop().then(() => stopped++);
  await world.until(() => stopped === processes.length, 'all stop');
  expect(processes.flatMap(({ errors }) => errors)).toEqual([]);
}

describe('two processes, one feed', () => {
  it('T6 T7 only the holder of the lease opens the upstream', async () => {
    const [first, second] = (await openTwo()) as [IngestProcess, IngestProcess];
    await world.advance(3 * LEASE_DEFAULTS.ttlMs);
    expect([...reading]).toEqual(['first']);
    expect(second.elector.state()).toEqual({ kind: 'standby', holder: 'first' });
    const entries = await world.entries();
    expect(epochs(entries)).toBe(1);
    expectContiguous(entries);
    expectSimulatedSequence(entries);
    expect(ticksIn(entries).length).toBeGreaterThan(800);
    await stopAll(first, second);
  });

  it('T7 D3 a leader that stops hands over at once, and no tick is lost or doubled', async () => {
    const [first, second] = (await openTwo()) as [IngestProcess, IngestProcess];
    await world.advance(5_000);
    await stopAll(first);
    await world.advance(POLL_MS / 2);
    expect(leading(second)).toBe(true);
    await world.until(() => reading.has('second'));
    expect([...reading]).toEqual(['second']);
    await world.advance(5_000);
    const entries = await world.entries();
    expect(epochs(entries)).toBe(2);
    expectContiguous(entries);
    expectSimulatedSequence(entries);
    await stopAll(second);
  });

  it('T6 T9 FENCE-4 a leader that stalls beyond its lease is replaced, and on waking adds nothing', async () => {
    const [first, second] = (await openTwo()) as [IngestProcess, IngestProcess];
    await world.advance(5_000);
    first.pause();
    await world.until(() => leading(second), 'second leads');
    await world.advance(5_000);
    const before = await world.entries();
    first.wake();
    await world.until(() => first.outcomes.length === 1, 'first notices');
    expect(first.outcomes).toEqual(['lost']);
    expect(first.events.filter(({ kind }) => kind === 'refused')).toEqual([]);
    await world.advance(5_000);
    const entries = await world.entries();
    expect(entries.length).toBeGreaterThan(before.length);
    expect([...reading]).toEqual(['second']);
    expect(epochs(entries)).toBe(2);
    expectContiguous(entries);
    expectSimulatedSequence(entries);
    await stopAll(first, second);
  });

  it('T9 FENCE-10 a leader that stalls between its look at the lease and its append is refused by the stream', async () => {
    const stall = holdUp();
    const wrap = (connection: RedisConnection): RedisConnection => ({
      call: (...command) => connection.call(...command),
      subscribe: (...args) => connection.subscribe(...args),
      close: () => connection.close(),
      async run(script, keys, args) {
        if (script.name === 'fence-publish') await stall.pass();
        return connection.run(script, keys, args);
      },
    });
    const [first, second] = (await openTwo(wrap)) as [IngestProcess, IngestProcess];
    await world.advance(5_000);
    stall.arm();
    await world.until(stall.reached, 'first is about to append');
    first.pause();
    await world.until(() => leading(second), 'second leads');
    await world.advance(5_000);
    first.wake();
    stall.release();
    await world.until(() => first.outcomes.length === 1, 'first notices');
    expect(first.events.filter(({ kind }) => kind === 'refused')).toEqual([
      { kind: 'refused', shard: 0, outcome: 'stale' },
    ]);
    await world.advance(5_000);
    const entries = await world.entries();
    expect(epochs(entries)).toBe(2);
    expectContiguous(entries);
    expectSimulatedSequence(entries);
    await stopAll(first, second);
  });

  it('T9 leadership that goes back and forth leaves one unbroken sequence', async () => {
    let [standby, leader] = (await openTwo()) as [IngestProcess, IngestProcess];
    for (let round = 0; round < 3; round++) {
      [standby, leader] = [leader, standby];
      await world.advance(2_000);
      leader.pause();
      await world.until(() => leading(standby), 'the standby leads');
      await world.advance(1_000);
      leader.wake();
      await world.until(() => leader.outcomes.at(-1) === 'lost' && !leading(leader), 'the old one notices');
    }
    const entries = await world.entries();
    expect(epochs(entries)).toBe(4);
    expectContiguous(entries);
    expectSimulatedSequence(entries);
    await stopAll(leader, standby);
  });
});
