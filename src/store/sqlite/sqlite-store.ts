import type { Clock } from '../../core/clock.ts';
import { formatDecimal } from '../../core/decimal.ts';
import { assert } from '../../core/errors.ts';
import { INTERVAL_CODES } from '../../core/interval.ts';
import { type Random, systemRandom } from '../../core/random.ts';
import { compareTicks, type Tick } from '../../core/tick.ts';
import { blockIds, decodeBlock } from '../archive/index.ts';
import { CLAIMS_MAX, type LatestCandle, LOAD_KEYS_MAX, READ_LIMIT_MAX, type Store } from '../store.ts';
import { encodeFlush } from './flush.ts';
import { acquireStoreLock, type StoreLock } from './lock.ts';
import { type CandleRecord, decodeCandle, keyOfRecord } from './record.ts';
import { type DatabaseWorker, startDatabaseWorker } from './worker-client.ts';

export interface SqliteStoreOptions {
  /** The database file; `.lock` and `.lock.json` are put beside it. */
  readonly path: string;
  /** One writer at a time; readers beside it are free, and write nothing. */
  readonly mode: 'write' | 'read';
  /** What the process is, for the one who finds the store locked: `ticker start`. */
  readonly ownerLabel: string;
  readonly clock: Clock;
  /** STORE_SHARDS when the store was made for another number. Undefined = the store's own, 1 for a new one. */
  readonly shards?: number;
  readonly random?: Random;
}

/** The embedded store. STORE_LOCKED, STORE_NEWER, STORE_SHARDS or STORE_UNUSABLE when it cannot be opened. */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const { path, mode, clock, random = systemRandom } = options;
  const lock = mode === 'write' ? await acquireStoreLock(path, options.ownerLabel, clock) : undefined;
  try {
    const worker = await startDatabaseWorker({
      path,
      mode,
      shards: options.shards,
      newIncarnation: random.hex(INCARNATION_DIGITS),
    });
    return storeOn(worker, lock);
  } catch (error) {
    lock?.release();
    throw error;
  }
}

const INCARNATION_DIGITS = 16;
/** Bounds one call of compact or retain; the next goes on. */
const STEPS_MAX = 10_000;

function storeOn(worker: DatabaseWorker, lock: StoreLock | undefined): Store {
  return {
    ...worker.identity,
    instruments: () => worker.call('instruments', []),
    async register(claims) {
      assert(claims.length <= CLAIMS_MAX, `at most ${CLAIMS_MAX} symbols are registered at once`);
      return worker.call('register', [claims]);
    },
    shard: (shard) => worker.call('shard', [shard]),
    takeOver: (shard, ownerToken) => worker.call('takeOver', [shard, ownerToken]),
    async commit(flush) {
      const encoded = encodeFlush(flush);
      return worker.call('commit', [encoded], encoded.part === undefined ? [] : [encoded.part.buffer as ArrayBuffer]);
    },
    ...candleReads(worker),
    ...archiveOf(worker),
    sizeBytes: () => worker.call('sizeBytes', []),
    async close() {
      try {
        await worker.close();
      } finally {
        lock?.release();
      }
    },
  };
}

function candleReads(worker: DatabaseWorker): Pick<Store, 'loadCandles' | 'readCandles' | 'latestCandles'> {
  return {
    async loadCandles(keys) {
      assert(keys.length <= LOAD_KEYS_MAX, `at most ${LOAD_KEYS_MAX} candles are loaded at once`);
      const flat = Float64Array.from(
        keys.flatMap((key) => [key.instrumentId, INTERVAL_CODES[key.interval], key.startUs]),
      );
      return (await worker.call('loadCandles', [flat], [flat.buffer])).map(decodeCandle);
    },
    async readCandles({ instrumentId, shard, interval, limit, ...window }) {
      assert(limit >= 1 && limit <= READ_LIMIT_MAX, `a read has 1 to ${READ_LIMIT_MAX} candles`);
      const { fromUs = Number.MIN_SAFE_INTEGER, toUs = Number.MAX_SAFE_INTEGER, keep = 'last' } = window;
      const query = { instrumentId, shard, intervalCode: INTERVAL_CODES[interval], fromUs, toUs, limit, keep };
      const snapshot = await worker.call('readCandles', [query]);
      return {
        rows: snapshot.records.map(decodeCandle),
        commitNo: snapshot.shard.commitNo,
        through: snapshot.shard.streamId,
        closedThroughUs: snapshot.closedThroughUs,
      };
    },
    async latestCandles(interval) {
      const records = await worker.call('latestCandles', [INTERVAL_CODES[interval]]);
      return records.flatMap((record, i) => latestOf(record, records[i - 1], records[i + 1]));
    },
  };
}

function archiveOf(worker: DatabaseWorker): Pick<Store, 'archivedIds' | 'archivedTicks' | 'compact' | 'retain'> {
  return {
    async archivedIds(instrumentId, hourStartUs) {
      return (await worker.call('blocks', [instrumentId, hourStartUs])).flatMap(blockIds);
    },
    async archivedTicks(instrumentId, fromUs, toUs) {
      const ticks: Tick[] = [];
      for (const hourStartUs of await worker.call('hours', [instrumentId, fromUs, toUs])) {
        const blocks = await worker.call('blocks', [instrumentId, hourStartUs]);
        const hour = blocks.flatMap((block) => decodeBlock(block).ticks).sort(compareTicks);
        for (const tick of hour) if (tick.tsUs >= fromUs && tick.tsUs < toUs) ticks.push(tick);
      }
      return ticks;
    },
    async compact(shard, beforeUs) {
      let merged = 0;
      for (let step = 0; step < STEPS_MAX; step++) {
        const blocks = await worker.call('compactStep', [shard, beforeUs]);
        if (blocks === 0) break;
        merged += blocks;
      }
      return merged;
    },
    async retain(policy) {
      const total = { candlesRemoved: 0, segmentsRemoved: 0, sizeBytes: 0, overCap: false };
      for (let step = 0; step < STEPS_MAX; step++) {
        const { more, candlesRemoved, segmentsRemoved, sizeBytes, overCap } = await worker.call('retainStep', [policy]);
        total.candlesRemoved += candlesRemoved;
        total.segmentsRemoved += segmentsRemoved;
        Object.assign(total, { sizeBytes, overCap });
        if (!more) break;
      }
      return total;
    },
  };
}

/** Records come newest first, at most two of an instrument: the first is the latest, the second the one before it. */
function latestOf(
  record: CandleRecord,
  before: CandleRecord | undefined,
  after: CandleRecord | undefined,
): LatestCandle[] {
  const { instrumentId } = keyOfRecord(record);
  const isOfSame = (other: CandleRecord | undefined): other is CandleRecord =>
    other !== undefined && keyOfRecord(other).instrumentId === instrumentId;
  if (isOfSame(before)) return [];
  const previousClose = isOfSame(after) ? formatDecimal(decodeCandle(after).candle.close.price) : undefined;
  return [{ row: decodeCandle(record), previousClose }];
}
