import { type CandleRow, type CandleView, viewCandle } from '../core/candle.ts';
import type { Instrument } from '../core/instrument.ts';
import { bucketEndUs, endOfAllBucketsUs, INTERVALS } from '../core/interval.ts';
import type { Flush, Store } from '../store/store.ts';

/**
 * Candles that have not closed yet (R29). Closing is a function of the stream alone: of its watermark, or of the end of a
 * source (D5). No local clock is asked, so a backlog and a replay of 2013 close rightly, and silent symbols close too.
 */
export class OpenCandles {
  /** By series and start. */
  readonly #rows = new Map<string, CandleRow>();
  /** Event time of the newest tick of each instrument. */
  readonly #newestUs = new Map<number, number>();
  #endedSources: string[] = [];

  static async load(store: Pick<Store, 'latestCandles'>, watermarkUs: number): Promise<OpenCandles> {
    const open = new OpenCandles();
    for (const interval of INTERVALS) {
      for (const { row } of await store.latestCandles(interval)) {
        open.#track(row, watermarkUs);
        open.noteTick(row.instrumentId, row.candle.close.tsUs);
      }
    }
    return open;
  }

  noteTick(instrumentId: number, tsUs: number): void {
    if (tsUs > (this.#newestUs.get(instrumentId) ?? Number.NEGATIVE_INFINITY)) this.#newestUs.set(instrumentId, tsUs);
  }

  /** Nothing will come for the symbols of this source: the next commit closes their candles. */
  endSource(source: string): void {
    this.#endedSources.push(source);
  }

  /** What the next commit has to close for good, of the sources that have ended. */
  closings(instruments: ReadonlyMap<string, Instrument>): NonNullable<Flush['closedThrough']> {
    return [...instruments.values()].flatMap(({ instrumentId, source }) => {
      const newestUs = this.#newestUs.get(instrumentId);
      return newestUs !== undefined && this.#endedSources.includes(source)
        ? [{ instrumentId, closedThroughUs: endOfAllBucketsUs(newestUs) }]
        : [];
    });
  }

  /** After a commit: the candles it changed, and those it closed, as readers see them. A closing is told once (R30). */
  committed(
    rows: readonly CandleRow[],
    watermarkUs: number,
    instruments: ReadonlyMap<string, Instrument>,
  ): CandleView[] {
    const byId = new Map([...instruments.values()].map((instrument) => [instrument.instrumentId, instrument]));
    const isClosed = (row: CandleRow): boolean => {
      const closedThroughUs = byId.get(row.instrumentId)?.closedThroughUs ?? watermarkUs;
      return bucketEndUs(row.interval, row.startUs) <= Math.max(watermarkUs, closedThroughUs);
    };
    const changed = new Map(rows.map((row) => [keyOf(row), row]));
    for (const [key, row] of this.#rows) {
      if (!isClosed(row)) continue;
      if (!changed.has(key)) changed.set(key, row);
      this.#rows.delete(key);
    }
    const views = [...changed.values()].flatMap((row) => {
      const instrument = byId.get(row.instrumentId);
      const closed = isClosed(row);
      if (!closed) this.#rows.set(keyOf(row), row);
      return instrument
        ? [
            viewCandle(row, {
              symbol: instrument.symbol,
              simulated: instrument.simulated,
              state: closed ? 'closed' : 'open',
            }),
          ]
        : [];
    });
    this.#endedSources = [];
    return views;
  }

  #track(row: CandleRow, watermarkUs: number): void {
    if (bucketEndUs(row.interval, row.startUs) > watermarkUs) this.#rows.set(keyOf(row), row);
  }
}

function keyOf(row: CandleRow): string {
  return `${row.instrumentId}:${row.interval}:${row.startUs}`;
}
