import { type CandleRow, type CandleView, viewCandle } from '../core/candle.ts';
import type { Instrument } from '../core/instrument.ts';
import { bucketEndUs, bucketStartUs, endOfAllBucketsUs, INTERVALS } from '../core/interval.ts';
import { shardOfSymbol } from '../core/symbol.ts';
import type { Flush, LatestCandle, ShardRow, Store } from '../store/store.ts';

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

  /** The open candles of a shard, as its row and its instruments stand. */
  static async load(
    store: OpenCandleStore,
    row: Pick<ShardRow, 'shard' | 'watermarkUs'>,
    instruments: ReadonlyMap<string, Instrument>,
  ): Promise<OpenCandles> {
    const open = new OpenCandles();
    const own = [...instruments.values()].filter(({ symbol }) => shardOfSymbol(symbol, store.shards) === row.shard);
    const closedUs = new Map(
      own.map(({ instrumentId, closedThroughUs }) => [instrumentId, Math.max(row.watermarkUs, closedThroughUs)]),
    );
    for (const interval of INTERVALS) {
      for (const latest of await store.latestCandles(interval)) {
        const closedThroughUs = closedUs.get(latest.row.instrumentId);
        if (closedThroughUs === undefined) continue;
        open.noteTick(latest.row.instrumentId, latest.row.candle.close.tsUs);
        if (bucketEndUs(interval, latest.row.startUs) <= closedThroughUs) continue;
        for (const candle of await openSince(store, row.shard, latest, closedThroughUs))
          open.#rows.set(keyOf(candle), candle);
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
}

type OpenCandleStore = Pick<Store, 'shards' | 'latestCandles' | 'readCandles'>;

/** Of one series; older open ones are closed in the store, but no reader is told. */
const OPEN_MAX = 1_000;

/** The newest candle of a series, which is open, and those before it that are. */
async function openSince(
  store: OpenCandleStore,
  shard: number,
  { row, previousClose }: LatestCandle,
  closedThroughUs: number,
): Promise<CandleRow[]> {
  const { instrumentId, interval, startUs } = row;
  const nothingClosed = closedThroughUs === Number.MIN_SAFE_INTEGER;
  const fromUs = nothingClosed ? undefined : bucketStartUs(interval, closedThroughUs);
  if (previousClose === undefined || (fromUs !== undefined && fromUs >= startUs)) return [row];
  const window = fromUs === undefined ? {} : { fromUs };
  return (await store.readCandles({ instrumentId, shard, interval, ...window, limit: OPEN_MAX })).rows;
}

function keyOf(row: CandleRow): string {
  return `${row.instrumentId}:${row.interval}:${row.startUs}`;
}
