import type { Tick } from '../../../src/core/tick.ts';
import type { Feed, FeedBatch } from '../../../src/feed/index.ts';

/** A feed over a list of ticks that resumes by position. */
export interface ListFeed extends Feed {
  /** Cursors it was opened at. */
  readonly opened: (string | undefined)[];
  /** Opened and not yet closed. */
  readonly reading: number;
}

export interface ListFeedOptions {
  readonly ticks: readonly Tick[];
  readonly source?: string;
  readonly simulated?: boolean;
  readonly symbols?: readonly string[];
  readonly perBatch?: number;
  /** Says that the list is over; otherwise the feed stays open in silence. */
  readonly ends?: boolean;
  /** Awaited before the batch at this position is handed out. */
  readonly before?: (position: number, signal: AbortSignal) => Promise<void> | void;
  /** Changes a batch before it is handed out. */
  readonly shape?: (batch: FeedBatch, position: number) => FeedBatch;
}

export function listFeed(options: ListFeedOptions): ListFeed {
  const {
    ticks,
    source = 'test',
    simulated = false,
    symbols = [...new Set(ticks.map(({ symbol }) => symbol))],
  } = options;
  const opened: (string | undefined)[] = [];
  let reading = 0;
  return {
    source,
    simulated,
    symbols,
    opened,
    get reading() {
      return reading;
    },
    async *open(cursor, signal) {
      opened.push(cursor);
      reading++;
      try {
        yield* batches(options, positionOf(cursor), signal);
      } finally {
        reading--;
      }
    },
  };
}

async function* batches(options: ListFeedOptions, from: number, signal: AbortSignal): AsyncGenerator<FeedBatch> {
  const { ticks, perBatch = 10, ends = false, before, shape = (batch) => batch } = options;
  for (let position = from; !signal.aborted; ) {
    await before?.(position, signal);
    if (signal.aborted) return;
    const batch = ticks.slice(position, position + perBatch);
    position += batch.length;
    const over = position >= ticks.length;
    if (over && ends) {
      yield shape({ ...batchOf(batch, position), watermarkUs: Number.MAX_SAFE_INTEGER, end: true }, position);
      return;
    }
    if (batch.length > 0) yield shape(batchOf(batch, position), position);
    if (over) await aborted(signal);
  }
}

function batchOf(ticks: readonly Tick[], position: number): FeedBatch {
  return { ticks, cursor: JSON.stringify({ sourceId: 'list', position }), watermarkUs: ticks.at(-1)?.tsUs ?? 0 };
}

export function positionOf(cursor: string | undefined): number {
  return cursor === undefined ? 0 : (JSON.parse(cursor) as { position: number }).position;
}

/** Resolves when the signal aborts. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
