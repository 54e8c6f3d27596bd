import { beforeEach, describe, expect, it } from 'vitest';
import type { CandleView } from '../../../src/core/candle.ts';
import { parseDecimal } from '../../../src/core/decimal.ts';
import { seededRandom } from '../../../src/core/random.ts';
import type { CandleFrame, StreamEntry, TickEntry } from '../../../src/core/stream-entry.ts';
import { compareStreamIds, type StreamId } from '../../../src/core/stream-id.ts';
import type { LiveSocket } from '../../../src/live/connection.ts';
import { createHub, type Hub, type HubEvent } from '../../../src/live/hub.ts';
import { createMarket } from '../../../src/live/market.ts';
import type { HubShard } from '../../../src/live/shard.ts';
import { createVirtualClock } from '../../../src/testkit/virtual-clock.ts';

const INCARNATION = 'abc123';

interface Event {
  readonly event: string;
  readonly id: string;
  readonly data: Record<string, unknown>;
}

/** A socket whose reader can stop reading. */
class TestSocket implements LiveSocket {
  text = '';
  ended = false;
  stalled = false;
  #buffered = 0;
  #drained: (() => void) | undefined;

  write(chunk: string): void {
    this.text += chunk;
    if (this.stalled) this.#buffered += chunk.length;
  }
  bufferedBytes(): number {
    return this.#buffered;
  }
  onceDrained(listener: () => void): void {
    this.#drained = listener;
  }
  end(): void {
    this.ended = true;
  }
  drain(): void {
    this.stalled = false;
    this.#buffered = 0;
    this.#drained?.();
  }
  events(): Event[] {
    return this.text
      .split('\n\n')
      .filter((block) => block.startsWith('event: '))
      .map((block) => {
        const [event = '', id = '', data = ''] = block.split('\n');
        return { event: event.slice(7), id: id.slice(4), data: JSON.parse(data.slice(6)) as Record<string, unknown> };
      });
  }
}

/** A shard's streams that the test appends to; reads answer at once, or when something is appended. */
class TestShard implements HubShard {
  readonly start = { tick: { epoch: 7, seq: 0 }, commitNo: 0 };
  readonly entries: StreamEntry[] = [];
  readonly frames: CandleFrame[] = [];
  #wake: (() => void)[] = [];
  closed = false;

  async readTicks(after: StreamId): Promise<StreamEntry[]> {
    return this.#wait(() => this.entries.filter((entry) => compareStreamIds(entry.id, after) > 0));
  }
  async rangeTicks(after: StreamId, through: StreamId): Promise<StreamEntry[]> {
    return this.entries.filter(
      (entry) => compareStreamIds(entry.id, after) > 0 && compareStreamIds(entry.id, through) <= 0,
    );
  }
  async readFrames(after: number): Promise<CandleFrame[]> {
    return this.#wait(() => this.frames.filter((frame) => frame.commitNo > after));
  }
  async rangeFrames(after: number, through: number): Promise<CandleFrame[]> {
    return this.frames.filter((frame) => frame.commitNo > after && frame.commitNo <= through);
  }
  append(...entries: StreamEntry[]): void {
    this.entries.push(...entries);
    this.wake();
  }
  commit(frame: CandleFrame): void {
    this.frames.push(frame);
    this.wake();
  }
  wake(): void {
    for (const resolve of this.#wake.splice(0)) resolve();
  }
  async #wait<T>(read: () => T[]): Promise<T[]> {
    for (;;) {
      const found = read();
      if (found.length > 0 || this.closed) return found;
      await new Promise<void>((resolve) => this.#wake.push(resolve));
    }
  }
}

const decimal = (text: string) => parseDecimal(text) ?? { units: 0, digits: 0 };

const tickEntry = (seq: number, symbol = 'ACME', price = '10.5', epoch = 7): TickEntry => ({
  kind: 'tick',
  id: { epoch, seq },
  ingestMs: 1_000 + seq,
  simulated: true,
  tick: {
    symbol,
    tsUs: 1_000_000 + seq,
    ns: 0,
    seq,
    id: String(seq),
    price: decimal(price),
    size: decimal('1'),
    exchange: '',
    conditions: '',
    side: '',
  },
});

const candle = (revision: number, close: string, symbol = 'ACME'): CandleView => ({
  symbol,
  interval: '1m',
  startMs: 0,
  open: '10',
  high: '11',
  low: '9',
  close,
  volume: '5',
  trades: 3,
  quoteVolume: '50',
  vwap: '10',
  simulated: true,
  state: 'open',
  revision,
});

describe('hub', () => {
  let shard: TestShard;
  let hub: Hub;
  let observed: HubEvent[];
  let stop: () => Promise<void>;
  const clock = createVirtualClock(1_700_000_000_000);

  const settle = (): Promise<void> => clock.advance(0);
  const attach = (cursor?: string, symbols = ['ACME']): TestSocket => {
    const socket = new TestSocket();
    hub.attach({ socket, symbols, intervals: ['1m'], cursor });
    return socket;
  };

  beforeEach(() => {
    shard = new TestShard();
    observed = [];
    const market = createMarket();
    for (const [index, symbol] of ['ACME', 'BOLT'].entries()) {
      market.setInstrument({
        instrumentId: index,
        symbol,
        source: 'simulated',
        simulated: true,
        priceDigits: 2,
        sizeDigits: 0,
        closedThroughUs: 0,
      });
    }
    const abort = new AbortController();
    hub = createHub({
      incarnation: INCARNATION,
      shards: [shard],
      market,
      refresh: async () => {},
      clock,
      random: seededRandom(1),
      connectionsMax: 3,
      bufferMaxBytes: 4_000,
      feedState: () => ({ state: 'simulated', lastTickMs: null }),
      observe: (event) => observed.push(event),
    });
    const running = hub.run(abort.signal);
    stop = async () => {
      abort.abort();
      shard.closed = true;
      shard.wake();
      await running;
    };
    return stop;
  });

  it('LIVE-4 LIVE-7 LIVE-14 a first visit gets the preamble and then a snapshot that says fresh and simulated', async () => {
    shard.append(tickEntry(1));
    shard.commit({ commitNo: 1, through: { epoch: 7, seq: 1 }, kind: 'candles', candles: [candle(1, '10.5')] });
    await settle();
    const socket = attach();
    expect(socket.text).toMatch(/^retry: \d+\n: ok\n\nevent: snapshot\n/);
    const [snapshot] = socket.events();
    expect(snapshot?.data).toMatchObject({
      verdict: 'fresh',
      simulated: true,
      symbols: [{ symbol: 'ACME', last: '10.5', simulated: true }],
      candles: [{ close: '10.5', simulated: true }],
    });
  });

  it('LIVE-1 LIVE-14 ticks and candles of subscribed symbols follow, with the cursor as id', async () => {
    const socket = attach();
    shard.append(tickEntry(1), tickEntry(2, 'BOLT'));
    await settle();
    shard.commit({
      commitNo: 1,
      through: { epoch: 7, seq: 2 },
      kind: 'candles',
      candles: [candle(1, '10.5'), candle(1, '7', 'BOLT')],
    });
    await settle();
    const [, ticks, candles] = socket.events();
    expect(ticks).toMatchObject({
      event: 'ticks',
      id: `${INCARNATION}~7-2.0`,
      data: { simulated: true, ticks: [{ symbol: 'ACME', price: '10.5', id: '1', simulated: true }] },
    });
    expect(candles).toMatchObject({
      event: 'candles',
      id: `${INCARNATION}~7-2.1`,
      data: { candles: [{ symbol: 'ACME', close: '10.5', shard: 0, commitNo: 1, through: '7-2' }] },
    });
    expect(socket.events()).toHaveLength(3);
  });

  it('LIVE-5 LIVE-6 a reader that returns is replayed exactly what it missed', async () => {
    shard.append(tickEntry(1), tickEntry(2), tickEntry(3, 'BOLT'));
    shard.commit({ commitNo: 1, through: { epoch: 7, seq: 3 }, kind: 'candles', candles: [candle(1, '10.5')] });
    await settle();
    const socket = attach(`${INCARNATION}~7-1.0`);
    await settle();
    const [snapshot, ticks, candles] = socket.events();
    expect(snapshot?.data).toMatchObject({ verdict: 'replayed', missed: 3 });
    expect(ticks?.data).toMatchObject({ ticks: [{ id: '2' }] });
    expect(candles?.data).toMatchObject({ candles: [{ revision: 1 }] });
    const again = attach(socket.events().at(-1)?.id);
    await settle();
    expect(again.events()[0]?.data).toMatchObject({ verdict: 'exact' });
  });

  it('LIVE-2 LIVE-6 what cannot be proved complete is a reset with its reason', async () => {
    shard.append(tickEntry(1), tickEntry(2), tickEntry(3));
    await settle();
    shard.entries.splice(1, 1);
    const reasons: Record<string, string> = {
      nonsense: 'cursor-invalid',
      'other~7-1.0': 'store-replaced',
      [`${INCARNATION}~7-1.0~7-1.0`]: 'shards-changed',
      [`${INCARNATION}~7-9.0`]: 'cursor-ahead',
      [`${INCARNATION}~7-1.0`]: 'hole',
      [`${INCARNATION}~6-1.0`]: 'restarted',
    };
    for (const [cursor, reason] of Object.entries(reasons)) {
      const socket = new TestSocket();
      const outcome = hub.attach({ socket, symbols: ['ACME'], intervals: ['1m'], cursor });
      await settle();
      expect(socket.events()[0]?.data, cursor).toMatchObject({ verdict: 'reset', reason });
      if (outcome.kind === 'attached') hub.detach(outcome.connection);
    }
  });

  it('LIVE-8 a hole, a gap or a strange barrier reaches every reader as a reset', async () => {
    const socket = attach();
    shard.append(tickEntry(1), tickEntry(3));
    await settle();
    shard.append({
      kind: 'gap',
      id: { epoch: 7, seq: 4 },
      ingestMs: 1,
      symbols: ['ACME'],
      fromUs: 0,
      toUs: 1,
      reason: 'venue',
    });
    await settle();
    shard.append(
      { kind: 'barrier', id: { epoch: 8, seq: 0 }, ingestMs: 1, prev: { epoch: 7, seq: 4 }, term: 8 },
      tickEntry(1, 'ACME', '11', 8),
    );
    await settle();
    shard.append({ kind: 'barrier', id: { epoch: 9, seq: 0 }, ingestMs: 1, prev: { epoch: 8, seq: 0 }, term: 9 });
    await settle();
    shard.append({ kind: 'barrier', id: { epoch: 10, seq: 0 }, ingestMs: 1, prev: undefined, term: 10 });
    await settle();
    expect(
      socket.events().map(({ event, data }) => `${event} ${String(data['reason'] ?? data['verdict'] ?? '')}`),
    ).toEqual(['snapshot fresh', 'snapshot hole', 'snapshot gap', 'ticks ', 'snapshot failover', 'snapshot restarted']);
  });

  it('LIVE-9 a stalled reader costs its buffer and then gets a snapshot; others go on', async () => {
    const slow = attach();
    const quick = attach();
    slow.stalled = true;
    for (let seq = 1; seq <= 200; seq++) {
      shard.append(tickEntry(seq));
      await settle();
    }
    expect(slow.bufferedBytes()).toBeLessThanOrEqual(4_000);
    expect(quick.events().filter(({ event }) => event === 'ticks')).toHaveLength(200);
    slow.drain();
    expect(slow.events().at(-1)?.data).toMatchObject({ verdict: 'reset', reason: 'slow' });
    shard.append(tickEntry(201));
    await settle();
    expect(slow.events().at(-1)?.data).toMatchObject({ ticks: [{ id: '201' }] });
    expect(observed).toContainEqual({ kind: 'reset', reason: 'slow' });
  });

  it('LIVE-3 heartbeats are named events with the cursor', async () => {
    const socket = attach();
    shard.append(tickEntry(1, 'BOLT'));
    await settle();
    await clock.advance(10_000);
    expect(socket.events().at(-1)).toMatchObject({
      event: 'heartbeat',
      id: `${INCARNATION}~7-1.0`,
      data: { simulated: true, feed: { state: 'simulated' } },
    });
  });

  it('LIVE-12 beyond the limit a newcomer is asked to come back, and nobody is evicted', () => {
    const readers = [attach(), attach(), attach()];
    const outcome = hub.attach({ socket: new TestSocket(), symbols: ['ACME'], intervals: [], cursor: undefined });
    expect(outcome.kind).toBe('busy');
    expect(hub.connections).toBe(3);
    expect(readers.every((reader) => !reader.ended)).toBe(true);
  });

  it('LIVE-13 a hub that stops says bye with the cursor and ends the stream', async () => {
    const socket = attach();
    await stop();
    expect(socket.events().at(-1)).toMatchObject({ event: 'bye', id: `${INCARNATION}~7-0.0` });
    expect(socket.ended).toBe(true);
  });

  it('LIVE-10 LIVE-11 an older revision of a candle does not replace a newer one in snapshots', async () => {
    shard.commit({ commitNo: 1, through: { epoch: 7, seq: 0 }, kind: 'candles', candles: [candle(5, '12')] });
    shard.commit({ commitNo: 2, through: { epoch: 7, seq: 0 }, kind: 'candles', candles: [candle(4, '1')] });
    await settle();
    expect(attach().events()[0]?.data).toMatchObject({ candles: [{ revision: 5, close: '12' }] });
  });
});
