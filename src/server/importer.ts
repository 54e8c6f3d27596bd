import { type CandleWriter, createCandleWriter } from '../candles/index.ts';
import { TickerError } from '../core/errors.ts';
import { describeConflict, type Instrument } from '../core/instrument.ts';
import { endOfAllBucketsUs } from '../core/interval.ts';
import { shardOfSymbol } from '../core/symbol.ts';
import type { Tick } from '../core/tick.ts';
import { requireGoodRows, type TradeFile } from '../feed/index.ts';
import type { Store } from '../store/index.ts';

/**
 * Brings a file of real trades straight into candles and archive, past the stream (D5: a guest of each shard). Repeating
 * an import changes nothing (D6); a crash in the middle is mended by importing again.
 */
export interface ImportOptions {
  readonly store: Store;
  readonly shards: number;
  /** Source of the instruments (D1). */
  readonly source: string;
  readonly ownerToken: string;
  /** Count bad rows and go on; otherwise a bad row refuses the whole file before anything is written. */
  readonly skipBad: boolean;
  readonly nowMs: number;
  /** The store may grow to this size; beyond it the import stops with DISK_CAP (D10). */
  readonly diskCapBytes: number;
  readonly onProgress: (report: ImportReport, bytesRead: number) => void;
}

/** rows = applied + duplicate + rejected (R24); what a commit under way carries counts as applied. */
export interface ImportReport {
  rows: number;
  applied: number;
  duplicate: number;
  rejected: number;
}

/** Large enough that a commit costs little a row, small enough that it takes well under a second (D5). */
const FLUSH_TICKS = 50_000;

export async function importFile(file: TradeFile, options: ImportOptions): Promise<ImportReport> {
  if (!options.skipBad) requireGoodRows(file);
  const instruments = await registerAll(file, options);
  const guests = await Promise.all(
    Array.from({ length: options.shards }, (_, shard) => visit(shard, instruments, options)),
  );
  const report: ImportReport = { rows: 0, applied: 0, duplicate: 0, rejected: 0 };
  const lastUs = new Map<string, number>();
  // The store commits one flush while the next is being read.
  let committing = Promise.resolve();
  for await (const batch of file.batches()) {
    for (const { symbol, tsUs } of batch.ticks)
      if (tsUs > (lastUs.get(symbol) ?? Number.NEGATIVE_INFINITY)) lastUs.set(symbol, tsUs);
    for (const [shard, guest] of guests.entries()) {
      const before = guest.pending;
      await guest.add(ticksOfShard(batch.ticks, shard, options.shards));
      report.applied += guest.pending - before;
      if (guest.pending < FLUSH_TICKS) continue;
      await committing;
      committing = flush(guest, options);
      // Awaited before the next flush; a failure meanwhile is not unheard.
      committing.catch(() => undefined);
    }
    report.rows += batch.rows;
    report.rejected += batch.faults.length;
    report.duplicate = report.rows - report.rejected - report.applied;
    options.onProgress(report, batch.bytesRead);
  }
  await committing;
  for (const [shard, guest] of guests.entries()) {
    // The end of a file closes every candle its trades are in (D5).
    const ended = [...lastUs].filter(([symbol]) => shardOfSymbol(symbol, options.shards) === shard);
    await flush(
      guest,
      options,
      ended.map(([symbol, tsUs]) => ({
        instrumentId: idOf(instruments, symbol),
        closedThroughUs: endOfAllBucketsUs(tsUs),
      })),
    );
    await options.store.compact(shard, Number.MAX_SAFE_INTEGER);
  }
  return report;
}

async function registerAll(file: TradeFile, { store, source }: ImportOptions): Promise<Map<string, Instrument>> {
  const outcome = await store.register(file.symbols.map((symbol) => ({ symbol, source, simulated: false })));
  if (!outcome.ok)
    throw new TickerError('SOURCE_CONFLICT', `${file.name}: ${describeConflict(outcome.error)}`, {
      details: { file: file.name, symbol: outcome.error.symbol },
    });
  return new Map(outcome.value.map((instrument) => [instrument.symbol, instrument]));
}

/** Raises the owner term: a live owner reloads when it is fenced, and goes on (D5). */
async function visit(
  shard: number,
  instruments: ReadonlyMap<string, Instrument>,
  { store, ownerToken }: ImportOptions,
): Promise<CandleWriter> {
  const { ownerTerm } = await store.takeOver(shard, ownerToken);
  return createCandleWriter({ store, shard, ownerTerm, instruments });
}

type Closings = NonNullable<Parameters<CandleWriter['flush']>[0]['closedThrough']>;

async function flush(guest: CandleWriter, options: ImportOptions, closedThrough: Closings = []): Promise<void> {
  const { store, nowMs, diskCapBytes } = options;
  const sizeBytes = await store.sizeBytes();
  if (sizeBytes > diskCapBytes) {
    const message = `the store has ${sizeBytes} bytes, which is above TICKER_DISK_CAP (${diskCapBytes}); what was imported so far stays, and importing again completes it`;
    throw new TickerError('DISK_CAP', message, { details: { sizeBytes, diskCapBytes } });
  }
  const outcome = await guest.flush({ ingestMs: nowMs, closedThrough });
  if (outcome.kind === 'fenced')
    throw new TickerError(
      'STORE_LOCKED',
      `another writer (${outcome.ownerToken}) took the store over during the import; import again to complete it`,
    );
}

function ticksOfShard(ticks: readonly Tick[], shard: number, shards: number): readonly Tick[] {
  return shards === 1 ? ticks : ticks.filter((tick) => shardOfSymbol(tick.symbol, shards) === shard);
}

function idOf(instruments: ReadonlyMap<string, Instrument>, symbol: string): number {
  return (instruments.get(symbol) as Instrument).instrumentId;
}
