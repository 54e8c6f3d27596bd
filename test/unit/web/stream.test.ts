import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../src/core/random.ts';
import { createVirtualClock } from '../../../src/testkit/virtual-clock.ts';
import type { StreamEvent } from '../../../web/lib/api.ts';
import type { Connection } from '../../../web/lib/connection.ts';
import { type EventSourceLike, startStream } from '../../../web/lib/stream.ts';

class FakeSource implements EventSourceLike {
  readyState = 1;
  readonly url: string;
  readonly #listeners = new Map<string, ((event: { data?: unknown; lastEventId?: string }) => void)[]>();

  constructor(url: string) {
    this.url = url;
  }

  close(): void {
    this.readyState = 2;
  }

  addEventListener(type: string, listener: (event: { data?: unknown; lastEventId?: string }) => void): void {
    this.#listeners.set(type, [...(this.#listeners.get(type) ?? []), listener]);
  }

  emit(type: string, data?: unknown, lastEventId = ''): void {
    for (const listener of this.#listeners.get(type) ?? []) {
      listener({ data: typeof data === 'string' ? data : JSON.stringify(data), lastEventId });
    }
  }
}

function start() {
  const clock = createVirtualClock();
  const sources: FakeSource[] = [];
  const events: StreamEvent[] = [];
  const phases: Connection['phase'][] = [];
  const stream = startStream({
    symbols: ['IBM', 'BTC/USD'],
    interval: '1m',
    clock,
    random: seededRandom(1),
    connect: (url) => {
      const source = new FakeSource(url);
      sources.push(source);
      return source;
    },
    onEvent: (event) => events.push(event),
    onConnection: ({ phase }) => phases.push(phase),
  });
  const source = (index: number): FakeSource => {
    const found = sources[index];
    if (found === undefined) throw new Error(`no source ${index}: ${sources.length} were opened`);
    return found;
  };
  return { clock, sources, source, events, phases, stream };
}

describe('V5 the live stream of the page', () => {
  it('V1 asks for its symbols and interval, and hands the events on', () => {
    const { source, events, phases } = start();
    expect(source(0).url).toBe('/api/stream?symbols=IBM%2CBTC%2FUSD&candles=1m');
    source(0).emit('ticks', { ticks: [] }, 'c1');
    expect(events).toEqual([{ name: 'ticks', data: { ticks: [] } }]);
    expect(phases).toEqual(['connecting', 'live']);
  });

  it('V2 a silent stream is opened anew within two seconds of the limit, from its cursor', async () => {
    const { clock, sources, source, phases } = start();
    source(0).emit('heartbeat', { serverTimeMs: 1, feed: { state: 'live', lastTickMs: 1 } }, 'in~5-9.3');
    await clock.advance(25_000);
    expect(sources).toHaveLength(1);
    await clock.advance(2_000);
    expect(sources).toHaveLength(2);
    expect(source(0).readyState).toBe(2);
    expect(new URL(source(1).url, 'http://page').searchParams.get('cursor')).toBe('in~5-9.3');
    expect(phases.at(-1)).toBe('stale');
    source(1).emit('ticks', { ticks: [] }, 'in~5-10.3');
    expect(phases.at(-1)).toBe('live');
  });

  it('V5 a source that died on an error status is replaced after a pause; one that reconnects by itself is not', async () => {
    const { clock, sources, source, phases } = start();
    source(0).readyState = 0;
    source(0).emit('error');
    await clock.advance(3_000);
    expect(sources).toHaveLength(1);
    source(0).readyState = 2;
    source(0).emit('error');
    expect(phases.at(-1)).toBe('reconnecting');
    await clock.advance(2_000);
    expect(sources).toHaveLength(2);
  });

  it('V5 events of a replaced source change nothing', async () => {
    const { clock, source, events } = start();
    await clock.advance(27_000);
    source(0).emit('error');
    source(1).emit('ticks', { ticks: [] });
    expect(events).toHaveLength(1);
  });

  it('V5 an event whose data was cut off is left out', () => {
    const { source, events, phases } = start();
    source(0).emit('ticks', '{"ticks":[');
    expect(events).toEqual([]);
    expect(phases).toEqual(['connecting']);
  });

  it('V5 leaving closes the source, waking opens it, stopping ends the watchdog', async () => {
    const { clock, sources, source, stream } = start();
    stream.leave();
    expect(source(0).readyState).toBe(2);
    await clock.advance(60_000);
    expect(sources).toHaveLength(1);
    stream.wake();
    expect(sources).toHaveLength(2);
    stream.stop();
    expect(source(1).readyState).toBe(2);
    expect(clock.pendingTimers).toBe(0);
  });
});
