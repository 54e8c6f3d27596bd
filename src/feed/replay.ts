import { createHash } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import { TickerError } from '../core/errors.ts';
import type { Tick } from '../core/tick.ts';
import { formatFeedCursor, parseFeedCursor } from './cursor.ts';
import { BATCH_TICKS_MAX, type Feed, type FeedBatch } from './feed.ts';
import type { RowFault } from './formats/row-fault.ts';
import { openTradeFile, requireGoodRows, type TradeFile, type TradeFileOptions } from './formats/trade-file.ts';
import { mergeTicks, type TickMerge } from './merge.ts';

export interface ReplayFeedOptions extends Omit<TradeFileOptions, 'clock'> {
  /** Paths, `-` for standard input; at most FILES_MAX. */
  readonly files: readonly string[];
  /** Event seconds per second, or as fast as it is pulled. */
  readonly speed: number | 'max';
  /** Source name of the instruments (D1). */
  readonly source: string;
  /** Leave bad rows out and report them, instead of refusing the file. */
  readonly skipBad: boolean;
  /** Receives each bad row that is left out, once for every time the feed is opened. */
  readonly onFault?: (fault: RowFault) => void;
  readonly clock: Clock;
}

export interface ReplayFeed extends Feed {
  readonly files: readonly TradeFile[];
  close(): Promise<void>;
}

/** Each holds a file handle and a chunk of rows. */
export const FILES_MAX = 256;

/**
 * A feed of recorded trades: several files merged by event time, each in its own order. Every file is read through first;
 * without `skipBad` one bad row anywhere refuses all of them with INPUT_INVALID, before a tick is out. Throws as
 * openTradeFile does, and USAGE when there is no file, too many, or the speed is not a positive number.
 */
export async function createReplayFeed(options: ReplayFeedOptions): Promise<ReplayFeed> {
  const { speed, source } = options;
  if (options.files.length === 0 || options.files.length > FILES_MAX) {
    throw new TickerError('USAGE', `replay takes 1 to ${FILES_MAX} files, not ${options.files.length}`);
  }
  if (speed !== 'max' && !(speed > 0 && speed < Number.POSITIVE_INFINITY)) {
    throw new TickerError('USAGE', `the speed must be a number above 0, or max: ${speed}`);
  }
  const files = await openFiles(options);
  return {
    source,
    simulated: false,
    symbols: [...new Set(files.flatMap((file) => file.symbols))],
    files,
    open: (cursor, signal) => run(options, files, cursor, signal),
    close: () => closeAll(files),
  };
}

/** Pause of a paced replay between batches. While nothing is due an empty batch tells that time passes. */
const BATCH_INTERVAL_MS = 50;
const IDLE_INTERVAL_MS = 1_000;

async function openFiles(options: ReplayFeedOptions): Promise<TradeFile[]> {
  const files: TradeFile[] = [];
  try {
    for (const path of options.files) {
      const file = await openTradeFile(path, options);
      files.push(file);
      if (!options.skipBad) requireGoodRows(file);
    }
    return files;
  } catch (cause) {
    await closeAll(files);
    throw cause;
  }
}

async function closeAll(files: readonly TradeFile[]): Promise<void> {
  await Promise.all(files.map((file) => file.close()));
}

async function* run(
  options: ReplayFeedOptions,
  files: readonly TradeFile[],
  cursorText: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<FeedBatch> {
  const sourceId = sourceIdOf(files);
  const cursor = parseFeedCursor(cursorText);
  const merge = await mergeTicks(files.map((file) => readTicks(file, options.onFault)));
  try {
    let position = await skipTicks(merge, cursor?.sourceId === sourceId ? cursor.position : 0, signal);
    const msUntilDue = createPace(options, merge.head());
    while (!signal.aborted && merge.head() !== undefined) {
      const ticks = await takeDue(merge, msUntilDue);
      position += ticks.length;
      yield { ticks, cursor: formatFeedCursor({ sourceId, position }), watermarkUs: merge.watermarkUs() };
      const next = merge.head();
      const waitMs = next === undefined ? 0 : msUntilDue(next);
      if (waitMs > 0)
        await options.clock.sleep(Math.min(Math.max(waitMs, BATCH_INTERVAL_MS), IDLE_INTERVAL_MS), signal);
    }
    if (signal.aborted) return;
    yield {
      ticks: [],
      cursor: formatFeedCursor({ sourceId, position }),
      watermarkUs: Number.MAX_SAFE_INTEGER,
      end: true,
    };
  } finally {
    await merge.close();
  }
}

/** Returns how many there were to skip: fewer than `count` at the end of the files. */
async function skipTicks(merge: TickMerge, count: number, signal: AbortSignal): Promise<number> {
  let skipped = 0;
  while (skipped < count && merge.head() !== undefined && !signal.aborted) {
    const refill = merge.advance();
    if (refill !== undefined) await refill;
    skipped++;
  }
  return skipped;
}

/** The next ticks whose time has come, a batch at most. */
async function takeDue(merge: TickMerge, msUntilDue: (tick: Tick) => number): Promise<Tick[]> {
  const ticks: Tick[] = [];
  for (let head = merge.head(); head !== undefined && ticks.length < BATCH_TICKS_MAX; head = merge.head()) {
    if (msUntilDue(head) > 0) break;
    ticks.push(head);
    const refill = merge.advance();
    if (refill !== undefined) await refill;
  }
  return ticks;
}

/** Event time runs `speed` times as fast as the clock, beginning now with the first tick. */
function createPace({ speed, clock }: ReplayFeedOptions, first: Tick | undefined): (tick: Tick) => number {
  if (speed === 'max' || first === undefined) return () => 0;
  const startedMs = clock.monotonicMs();
  return (tick) => (tick.tsUs - first.tsUs) / 1_000 / speed - (clock.monotonicMs() - startedMs);
}

async function* readTicks(file: TradeFile, onFault: ReplayFeedOptions['onFault']): AsyncGenerator<readonly Tick[]> {
  for await (const { ticks, faults } of file.batches()) {
    if (onFault !== undefined) for (const fault of faults) onFault(fault);
    yield ticks;
  }
}

/** Contents, in order, and how many of their rows count: a row that was in the future once may be good later. */
function sourceIdOf(files: readonly TradeFile[]): string {
  const contents = files.map((file) => `${file.contentHash}:${file.rows - file.faultCount}`);
  return `replay:${createHash('sha256').update(contents.join()).digest('hex').slice(0, 16)}`;
}
