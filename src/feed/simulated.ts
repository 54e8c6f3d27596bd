import { createHash } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import { crc32 } from '../core/crc32.ts';
import { TickerError } from '../core/errors.ts';
import { noiseAt } from '../core/random.ts';
import { isSymbol } from '../core/symbol.ts';
import type { Tick } from '../core/tick.ts';
import { formatFeedCursor, parseFeedCursor } from './cursor.ts';
import { BATCH_TICKS_MAX, type Feed, type FeedBatch } from './feed.ts';
import { simulatedPrice } from './simulated-price.ts';

export interface SimulatedFeedOptions {
  readonly seed: number;
  /** Unique; invented names, so that real trades can be imported beside them. */
  readonly symbols?: readonly string[];
  /** Of all symbols together; a whole number from 1 to TICKS_PER_SECOND_MAX. */
  readonly ticksPerSecond: number;
  /** Event time of the first tick, Unix ms. Omitted: `initialHistoryMs` before the feed is first opened. */
  readonly startMs?: number;
  readonly initialHistoryMs?: number;
  /** After a longer stop, by the clock, the feed skips to this long ago and declares the gap (D3). */
  readonly maxCatchUpMs?: number;
  readonly clock: Clock;
}

/** What a simulated tick depends on, besides its index. */
export interface SimulationParams {
  readonly seed: number;
  readonly symbols: readonly string[];
  readonly ticksPerSecond: number;
  readonly startMs: number;
}

/** No company trades under these. */
export const SIMULATED_SYMBOLS: readonly string[] = ['ACME', 'GLOBEX', 'INITECH', 'HOOLI', 'UMBRELLA'];

export const SIMULATED_SOURCE = 'simulated';

export const TICKS_PER_SECOND_MAX = 100_000;

/**
 * The default feed (T1): an endless market that is a pure function of its parameters and an index, so that it can be
 * resumed anywhere without a hole or a double (D3). Runs in real time; what the clock is ahead of it is caught up as
 * fast as it is pulled. Throws SETTING_INVALID for parameters outside their range.
 */
export function createSimulatedFeed(options: SimulatedFeedOptions): Feed {
  const { symbols = SIMULATED_SYMBOLS, seed, ticksPerSecond } = options;
  requireValid(symbols, ticksPerSecond);
  return {
    source: SIMULATED_SOURCE,
    simulated: true,
    symbols,
    open: (cursor, signal) => run(options, startAt({ seed, symbols, ticksPerSecond }, options, cursor), signal),
  };
}

/** The tick at `index` (0, 1, ..). Times never go back; ids and seq are dense over the feed and rise with it. */
export function simulatedTick(params: SimulationParams, index: number): Tick {
  const { seed, symbols, ticksPerSecond } = params;
  const serial = firstSerial(params) + index;
  const symbol = symbols[symbolIndex(seed, serial, symbols.length)] as string;
  const symbolSeed = (seed ^ crc32(symbol)) >>> 0;
  const noise = (channel: number): number => noiseAt(symbolSeed + channel, serial);
  const seconds = Math.floor(serial / ticksPerSecond) + (serial % ticksPerSecond) / ticksPerSecond;
  return {
    symbol,
    tsUs: dueUs(params, index) + Math.floor(noise(1) * Math.floor(1e6 / ticksPerSecond)),
    ns: 0,
    seq: serial,
    id: String(serial),
    price: { units: simulatedPrice(symbolSeed, seconds, noise(2)), digits: 2 },
    size: { units: sizeOf(noise(3)), digits: 0 },
    exchange: 'SIM',
    conditions: '',
    side: noise(4) < 0.5 ? 'buy' : 'sell',
  };
}

const HOUR_MS = 3_600_000;

/** Pause of a feed that has caught up: long enough to fill batches, short enough to look alive. */
const BATCH_INTERVAL_MS = 50;

/** After a clock was set back the feed waits; it looks at the clock again and again, in case it is set right. */
const SLEEP_MAX_MS = 60_000;

/** The metrics count gaps by it: the one kind that loses nothing real. */
const GAP_REASON = 'simulated-stop';

/** Raise it when the same parameters give other ticks: their sources must not be taken for one. */
const ALGORITHM = 1;

interface Start {
  readonly params: SimulationParams;
  readonly position: number;
  /** When the feed was last known to run, Unix ms: from then until now it stood still, however far behind it was. */
  readonly aliveMs: number;
}

/** D3: a cursor of the same seed and parameters resumes; any other starts anew, after what it has already told. */
function startAt(
  shape: Omit<SimulationParams, 'startMs'>,
  options: SimulatedFeedOptions,
  cursorText: string | undefined,
): Start {
  const { clock, initialHistoryMs = HOUR_MS, startMs: fixedStartMs } = options;
  const cursor = parseFeedCursor(cursorText);
  const startMs = Number(cursor?.sourceId.split(':').at(-1));
  if (cursor !== undefined && cursor.sourceId === sourceIdOf({ ...shape, startMs })) {
    const params = { ...shape, startMs };
    const { position } = cursor;
    return { params, position, aliveMs: cursor.aliveMs ?? dueUs(params, position) / 1_000 };
  }
  const nowMs = clock.nowMs();
  const toldUs = cursor?.sourceId.startsWith('sim:') ? (cursor.watermarkUs ?? 0) : 0;
  const freshStartMs = fixedStartMs ?? Math.max(nowMs - initialHistoryMs, Math.ceil(toldUs / 1_000));
  return { params: { ...shape, startMs: Math.floor(freshStartMs) }, position: 0, aliveMs: nowMs };
}

async function* run(options: SimulatedFeedOptions, start: Start, signal: AbortSignal): AsyncGenerator<FeedBatch> {
  const { clock, maxCatchUpMs = HOUR_MS } = options;
  const { params } = start;
  const sourceId = sourceIdOf(params);
  let { position, aliveMs } = start;
  const here = (): Pick<FeedBatch, 'cursor' | 'watermarkUs'> => {
    const watermarkUs = simulatedTick(params, position).tsUs;
    return { cursor: formatFeedCursor({ sourceId, position, watermarkUs, aliveMs }), watermarkUs };
  };
  while (!signal.aborted) {
    const nowMs = clock.nowMs();
    const stoppedMs = nowMs - aliveMs;
    aliveMs = nowMs;
    const earliest = indexDueAt(params, nowMs - maxCatchUpMs);
    if (stoppedMs > maxCatchUpMs && earliest > position) {
      const fromUs = here().watermarkUs;
      position = earliest;
      const toUs = here().watermarkUs;
      yield { ticks: [], ...here(), gap: { symbols: params.symbols, fromUs, toUs, reason: GAP_REASON } };
      continue;
    }
    const count = Math.min(indexDueAt(params, nowMs) - position, BATCH_TICKS_MAX);
    if (count <= 0) {
      const nextMs = dueUs(params, position + 1) / 1_000 - nowMs;
      await clock.sleep(Math.min(Math.max(BATCH_INTERVAL_MS, Math.ceil(nextMs)), SLEEP_MAX_MS), signal);
      continue;
    }
    const ticks = Array.from({ length: count }, (_, offset) => simulatedTick(params, position + offset));
    position += count;
    yield { ticks, ...here() };
  }
}

/** Start of the slot of a tick: its time is there or later, and before the next slot. */
function dueUs({ startMs, ticksPerSecond }: SimulationParams, index: number): number {
  const seconds = Math.floor(index / ticksPerSecond);
  return (startMs + seconds * 1_000) * 1_000 + Math.floor(((index % ticksPerSecond) * 1e6) / ticksPerSecond);
}

/** Number of ticks whose whole slot lies before `nowMs`: none of them is ahead of the clock. */
function indexDueAt({ startMs, ticksPerSecond }: SimulationParams, nowMs: number): number {
  return Math.max(0, Math.floor(((nowMs - startMs) * ticksPerSecond) / 1_000));
}

/**
 * Serial number of tick 0, counted from 1970. Ids and prices follow the serial and not the index, so that a feed that
 * starts anew in a store with older simulated ticks neither repeats an id nor jumps in price.
 */
function firstSerial({ startMs, ticksPerSecond }: SimulationParams): number {
  return Math.floor(startMs / 1_000) * ticksPerSecond + Math.floor(((startMs % 1_000) * ticksPerSecond) / 1_000);
}

/** Every symbol once in each round, from another first one. */
function symbolIndex(seed: number, serial: number, count: number): number {
  const round = Math.floor(serial / count);
  return (serial + Math.floor(noiseAt(seed, round) * count)) % count;
}

/** Mostly round lots, some odd ones, few large. */
function sizeOf(noise: number): number {
  if (noise < 0.2) return 1 + Math.floor(noise * 5 * 99);
  const lots = (noise - 0.2) / 0.8;
  return 100 * (1 + Math.floor(lots * lots * lots * 20));
}

function sourceIdOf({ seed, symbols, ticksPerSecond, startMs }: SimulationParams): string {
  const shape = JSON.stringify([ALGORITHM, symbols, ticksPerSecond]);
  return `sim:${seed}:${createHash('sha256').update(shape).digest('hex').slice(0, 8)}:${startMs}`;
}

function requireValid(symbols: readonly string[], ticksPerSecond: number): void {
  if (symbols.length === 0 || new Set(symbols).size !== symbols.length || !symbols.every(isSymbol)) {
    throw new TickerError(
      'SETTING_INVALID',
      `symbols of the simulated feed must be unique symbols, at least one: ${symbols.join(',')}`,
    );
  }
  if (!Number.isInteger(ticksPerSecond) || ticksPerSecond < 1 || ticksPerSecond > TICKS_PER_SECOND_MAX) {
    throw new TickerError(
      'SETTING_INVALID',
      `ticksPerSecond must be a whole number from 1 to ${TICKS_PER_SECOND_MAX}: ${ticksPerSecond}`,
    );
  }
}
