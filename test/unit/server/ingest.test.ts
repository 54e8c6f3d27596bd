import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TickerError } from '../../../src/core/errors.ts';
import type { Tick } from '../../../src/core/tick.ts';
import type { RedisConnection } from '../../../src/redis/index.ts';
import type { IngestOutcome } from '../../../src/server/ingest.ts';
import { readFence, type StreamEntry } from '../../../src/stream/index.ts';
import { tradesFrom } from '../candles/shard-world.ts';
import { tickOf } from '../candles/trades.ts';
import { faulty } from '../lease/harness.ts';
import { type IngestProcess, type IngestWorld, openIngestWorld } from './ingest-world.ts';
import { listFeed, positionOf } from './list-feed.ts';

let world: IngestWorld;

beforeEach(async () => {
  world = await openIngestWorld();
});

afterEach(() => world.close());

const list = (count: number): Tick[] => tradesFrom(0, count).map(tickOf);
const idsIn = (entries: readonly StreamEntry[]): string[] =>
  entries.flatMap((entry) => (entry.kind === 'tick' ? [entry.tick.id] : []));
const ids = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, index) => String(from + index));

/** Ingests, and lets time pass until it is over. */
async function run(process: IngestProcess, term: number, signal?: AbortSignal): Promise<IngestOutcome> {
  let outcome: IngestOutcome | undefined;
  let failure: unknown;
  void process.ingest(term, signal).then(
    (ended) => (outcome = ended),
    (error: unknown) => (failure = error),
  );
  await world.until(() => outcome !== undefined || failure !== undefined, 'ingest is over');
  if (outcome === undefined) throw failure;
  return outcome;
}

describe('ingest', () => {
  it('T1 T2 brings every tick of the feed into the stream, in its order, and its symbols into the store', async () => {
    const process = world.process('one', () => listFeed({ ticks: list(55), ends: true }));
    expect(await run(process, 5)).toBe('ended');
    expect(idsIn(await world.entries())).toEqual(ids(0, 55));
    expect(await world.store.instruments()).toMatchObject([{ symbol: 'A', source: 'test', simulated: false }]);
    expect((await readFence(world.connection, world.keys))?.sourceCursor).toBe(
      JSON.stringify({ sourceId: 'list', position: 55 }),
    );
    expect((await world.entries()).at(-1)).toMatchObject({
      kind: 'watermark',
      watermarkUs: Number.MAX_SAFE_INTEGER,
      source: 'test',
    });
  });

  it('D3 FENCE-15 resumes where the fence is', async () => {
    const abort = new AbortController();
    const first = world.process('first', () =>
      listFeed({ ticks: list(40), before: (position) => (position === 20 ? abort.abort() : undefined) }),
    );
    expect(await run(first, 5, abort.signal)).toBe('lost');
    const feed = listFeed({ ticks: list(40), ends: true });
    expect(
      await run(
        world.process('second', () => feed),
        6,
      ),
    ).toBe('ended');
    expect(feed.opened.map(positionOf)).toEqual([20]);
    expect(idsIn(await world.entries())).toEqual(ids(0, 40));
  });

  it('T6 FENCE-8 a term that is not the highest does not open the feed', async () => {
    expect(
      await run(
        world.process('high', () => listFeed({ ticks: list(5), ends: true })),
        9,
      ),
    ).toBe('ended');
    const feed = listFeed({ ticks: list(5) });
    expect(
      await run(
        world.process('low', () => feed),
        8,
      ),
    ).toBe('lost');
    expect(feed.opened).toEqual([]);
  });

  it('T6 a lease that is lost between two batches ends it before the next', async () => {
    let held = true;
    const feed = listFeed({ ticks: list(40), before: (position) => void (held &&= position < 20) });
    expect(
      await run(
        world.process('one', () => feed, { isHeld: () => held }),
        5,
      ),
    ).toBe('lost');
    expect(idsIn(await world.entries())).toEqual(ids(0, 20));
    expect(feed.reading).toBe(0);
  });

  it('D2 the watermark and the source cursor go out at once, every second, and with the end', async () => {
    const process = world.process('one', (clock) =>
      listFeed({ ticks: list(100), ends: true, before: () => clock.stall(250) }),
    );
    await run(process, 5);
    const entries = await world.entries();
    const marks = entries.flatMap((entry) => (entry.kind === 'watermark' ? [entry] : []));
    expect(marks.map(({ sourceCursor }) => positionOf(sourceCursor))).toEqual([10, 50, 90, 100]);
    expect(marks.slice(0, 3).map(({ watermarkUs }) => watermarkUs)).toEqual(
      [10, 50, 90].map((n) => list(n)[n - 1]?.tsUs),
    );
  });

  it('D2 R38 waits while the candles are behind, goes on after, and skips nothing', async () => {
    let backlog = 0;
    const process = world.process('one', () => listFeed({ ticks: list(60), ends: true }), { backlog: () => backlog });
    backlog = 20_001;
    let over = false;
    void process.ingest(5).then(() => (over = true));
    await world.until(async () => (await world.entries()).length === 1, 'installed');
    await world.advance(1_000);
    expect(idsIn(await world.entries())).toEqual([]);
    backlog = 20_000;
    await world.until(() => over, 'it goes on');
    expect(idsIn(await world.entries())).toEqual(ids(0, 60));
  });

  it('D2 a feed that waits at high water ends with its signal', async () => {
    const abort = new AbortController();
    const process = world.process('one', () => listFeed({ ticks: list(60) }), {
      backlog: () => 30_000,
      isHeld: () => !abort.signal.aborted,
    });
    let outcome: IngestOutcome | undefined;
    void process.ingest(5, abort.signal).then((ended) => (outcome = ended));
    await world.until(async () => (await world.entries()).length === 1, 'installed');
    await world.advance(500);
    abort.abort();
    await world.until(() => outcome !== undefined);
    expect(outcome).toBe('lost');
  });

  it('T9 D2 a gap of the feed stands in the stream before the ticks after it, and is told', async () => {
    const gap = { symbols: ['A'], fromUs: 3, toUs: 7, reason: 'venue down' };
    const process = world.process('one', () =>
      listFeed({ ticks: list(30), ends: true, shape: (batch, at) => (at === 20 ? { ...batch, gap } : batch) }),
    );
    await run(process, 5);
    const entries = await world.entries();
    const at = entries.findIndex(({ kind }) => kind === 'gap');
    expect(entries[at]).toMatchObject({ kind: 'gap', ...gap });
    expect(idsIn(entries.slice(0, at))).toEqual(ids(0, 10));
    expect(idsIn(entries)).toEqual(ids(0, 30));
    expect(process.events).toContainEqual({ kind: 'gap', reason: 'venue down' });
  });

  it('D1 a symbol that another source owns stops the feed with its name', async () => {
    await world.store.register([{ symbol: 'A', source: 'other', simulated: true }]);
    const process = world.process('one', () => listFeed({ ticks: list(5) }));
    const failure = await run(process, 5).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(TickerError);
    expect(failure).toMatchObject({ code: 'SOURCE_CONFLICT', details: { symbol: 'A' } });
    expect(await world.entries()).toEqual([]);
  });
});

describe('ticks that cannot be', () => {
  const good = (): Tick => list(1)[0] as Tick;
  const bad: Record<string, Partial<Tick>> = {
    symbol: { symbol: '' },
    'symbol ': { symbol: '{x}' },
    price: { price: { units: 0, digits: 0 } },
    'price ': { price: { units: -1, digits: 2 } },
    size: { size: { units: -1, digits: 0 } },
    ts: { tsUs: 1.5 },
    'ts ': { tsUs: 1_700_000_090_000_000 },
    ns: { ns: 1_000 },
    id: { id: '' },
  };

  it('F1 R9 R24 each is refused with its field and counted, never enters the stream, and the others go on', async () => {
    const mixed = Object.values(bad).flatMap((fields, index): Tick[] => [
      { ...good(), id: String(index) },
      { ...good(), id: `bad-${index}`, ...fields },
    ]);
    const process = world.process('one', () => listFeed({ ticks: mixed, symbols: ['A'], ends: true }));
    expect(await run(process, 5)).toBe('ended');
    expect(idsIn(await world.entries())).toEqual(ids(0, Object.keys(bad).length));
    const rejected = process.events.flatMap((event) => (event.kind === 'rejected' ? [event.field] : []));
    expect(rejected).toEqual(Object.keys(bad).map((field) => field.trim()));
    const published = process.events.reduce((sum, event) => sum + (event.kind === 'published' ? event.ticks : 0), 0);
    expect(published + rejected.length).toBe(mixed.length);
    expect((await world.store.instruments()).map(({ symbol }) => symbol)).toEqual(['A']);
  });

  it('F1 a batch with nothing valid in it publishes no tick and still moves the cursor', async () => {
    const process = world.process('one', () =>
      listFeed({ ticks: [{ ...good(), ...bad['price'] }], symbols: ['A'], ends: true }),
    );
    expect(await run(process, 5)).toBe('ended');
    expect((await world.entries()).map(({ kind }) => kind)).toEqual(['barrier', 'watermark']);
    expect(process.events.filter(({ kind }) => kind === 'published')).toEqual([]);
  });
});

describe('an answer that was lost', () => {
  /** A process whose publishes meet a fault until it is healed; installing is left alone. */
  function lossy(count: number, fault: 'refuse' | 'lose-reply') {
    const connections: ReturnType<typeof faulty>[] = [];
    const held = { now: true };
    const process = world.process('one', () => listFeed({ ticks: list(count), ends: true }), {
      isHeld: () => held.now,
      wrap(connection: RedisConnection) {
        const lossyRuns = faulty(connection);
        connections.push(lossyRuns);
        const run: RedisConnection['run'] = (script, keys, args) =>
          script.name === 'fence-publish' ? lossyRuns.run(script, keys, args) : connection.run(script, keys, args);
        return { ...lossyRuns, run };
      },
    });
    for (const connection of connections) connection.fault = fault;
    let outcome: IngestOutcome | undefined;
    void process.ingest(5).then((ended) => (outcome = ended));
    const heal = (): void => {
      for (const connection of connections) connection.fault = 'none';
    };
    return { process, held, heal, outcome: () => outcome };
  }

  it('FENCE-11 a batch whose answer was lost is sent again and appears once', async () => {
    const { process, heal, outcome } = lossy(60, 'lose-reply');
    // The first batch is in the stream, and nobody knows.
    await world.until(async () => idsIn(await world.entries()).length > 0);
    await world.advance(1_000);
    expect(idsIn(await world.entries())).toEqual(ids(0, 10));
    expect(process.events).toEqual([]);
    heal();
    await world.until(() => outcome() === 'ended');
    const entries = await world.entries();
    expect(idsIn(entries)).toEqual(ids(0, 60));
    expect(entries.map(({ id }) => id.seq)).toEqual(entries.map((_, index) => index));
  });

  it('FENCE-11 a batch that never arrived is sent again too', async () => {
    const { heal, outcome } = lossy(60, 'refuse');
    await world.until(async () => (await world.entries()).length === 1, 'installed');
    await world.advance(1_000);
    expect(idsIn(await world.entries())).toEqual([]);
    heal();
    await world.until(() => outcome() === 'ended');
    expect(idsIn(await world.entries())).toEqual(ids(0, 60));
  });

  it('T6 FENCE-11 without the lease it is not sent again; the next leader resumes where the fence is', async () => {
    const { process, held, outcome } = lossy(60, 'lose-reply');
    await world.until(async () => idsIn(await world.entries()).length > 0);
    held.now = false;
    await world.until(() => outcome() === 'lost');
    expect(process.events).toEqual([{ kind: 'refused', shard: 0, outcome: 'unknown' }]);
    const feed = listFeed({ ticks: list(60), ends: true });
    await run(
      world.process('next', () => feed),
      6,
    );
    expect(feed.opened.map(positionOf)).toEqual([10]);
    expect(idsIn(await world.entries())).toEqual(ids(0, 60));
  });
});
