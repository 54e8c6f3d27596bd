import { createHash, type Hash } from 'node:crypto';
import { type Clock, systemClock } from '../../core/clock.ts';
import { TickerError } from '../../core/errors.ts';
import type { Tick, TickRules } from '../../core/tick.ts';
import { type ByteSource, type ByteSourceOptions, openByteSource } from './byte-source.ts';
import { readLineBlocks } from './line-blocks.ts';
import { formatRowFault, type RowFault } from './row-fault.ts';
import { createRowReader, type RowReader } from './row-reader.ts';

/**
 * A file of trades that was read through once, so that everything wrong with it is known before anything is written:
 * native CSV or JSON lines, gzipped or not (docs/formats.md).
 */
export interface TradeFile {
  /** As messages name it: the path as given, or `standard input`. */
  readonly name: string;
  readonly format: 'csv' | 'jsonl';
  /** First 16 hex digits of the SHA-256 of the unzipped bytes (D6). */
  readonly contentHash: string;
  /**
   * False: rows have no id of their own and are known as `<contentHash>:<row>`, so only a second import of the same file
   * is recognized (D6).
   */
  readonly hasIds: boolean;
  /** Columns or fields that mean nothing to Ticker. */
  readonly ignoredFields: readonly string[];
  readonly symbols: readonly string[];
  /** Rows with data, good or bad. */
  readonly rows: number;
  readonly faultCount: number;
  /** The first FAULTS_KEPT_MAX of them. */
  readonly faults: readonly RowFault[];
  /** As stored, compressed when it is compressed. */
  readonly sizeBytes: number;
  /** Reads the ticks, in file order. Throws INPUT_INVALID when the file has changed since it was opened. */
  batches(): AsyncIterable<RowBatch>;
  /** Closes the file; a spooled standard input is gone. */
  close(): Promise<void>;
}

/** A run of rows of one file, some thousand at most. rows = ticks + faults (R24). */
export interface RowBatch {
  readonly ticks: readonly Tick[];
  readonly faults: readonly RowFault[];
  readonly rows: number;
  /** Stored bytes read so far, of TradeFile.sizeBytes. */
  readonly bytesRead: number;
}

export interface TradeFileOptions extends ByteSourceOptions {
  readonly clock?: Clock;
  /** R17: zero and negative prices are trades too. */
  readonly allowNonPositivePrice?: boolean;
  /** Called as the first reading goes on, with stored bytes. */
  readonly onProgress?: (bytesRead: number, sizeBytes: number) => void;
}

export const FAULTS_KEPT_MAX = 20;

/**
 * Opens and checks a file, or standard input for '-'. Bad rows are counted in the result; what makes the whole file
 * useless is thrown: INPUT_FORMAT (not a known format, wrong header) or INPUT_INVALID (unreadable, truncated, corrupted).
 */
export async function openTradeFile(path: string, options: TradeFileOptions = {}): Promise<TradeFile> {
  const source = await openByteSource(path, options);
  const rules: TickRules = {
    allowNonPositivePrice: options.allowNonPositivePrice ?? false,
    // One limit for all readings of the file: a second one finds the same rows good and bad.
    tsMaxUs: ((options.clock ?? systemClock).nowMs() + FUTURE_ALLOWANCE_MS) * 1_000,
  };
  try {
    const survey = await surveyFile(source, rules, options.onProgress);
    return {
      ...survey,
      name: source.name,
      sizeBytes: source.sizeBytes,
      batches: () => readSurveyed(source, rules, survey.contentHash),
      close: () => source.close(),
    };
  } catch (cause) {
    await source.close();
    throw cause;
  }
}

/** Throws INPUT_INVALID with the first bad rows when there are any: nothing of such a file is written by default. */
export function requireGoodRows(file: TradeFile): void {
  if (file.faultCount === 0) return;
  const lines = file.faults.map(formatRowFault);
  if (file.faultCount > lines.length) lines.push(`.. and ${file.faultCount - lines.length} more`);
  throw new TickerError('INPUT_INVALID', lines.join('\n'), { details: { file: file.name, faults: file.faultCount } });
}

/** R9: an event time further ahead is a mistake, and one such tick would close every candle. */
const FUTURE_ALLOWANCE_MS = 60_000;

const HASH_LENGTH = 16;

/** Stands where the hash will be while it is being computed. */
const UNKNOWN_HASH = '0'.repeat(HASH_LENGTH);

/** A limit on everything: symbols of one file. */
const SYMBOLS_MAX = 100_000;

type Survey = Omit<TradeFile, 'name' | 'sizeBytes' | 'batches' | 'close'>;

async function surveyFile(
  source: ByteSource,
  rules: TickRules,
  onProgress: TradeFileOptions['onProgress'],
): Promise<Survey> {
  const hash = createHash('sha256');
  const reader = createRowReader(source.name, rules, UNKNOWN_HASH);
  const symbols = new Set<string>();
  const faults: RowFault[] = [];
  let rows = 0;
  let faultCount = 0;
  for await (const batch of readBatches(source, reader, hash)) {
    for (const { symbol } of batch.ticks) symbols.add(symbol);
    if (symbols.size > SYMBOLS_MAX) {
      throw new TickerError('INPUT_INVALID', `${source.name}: has more than ${SYMBOLS_MAX} symbols`, {
        details: { file: source.name },
      });
    }
    faults.push(...batch.faults.slice(0, FAULTS_KEPT_MAX - faults.length));
    faultCount += batch.faults.length;
    rows += batch.rows;
    onProgress?.(batch.bytesRead, source.sizeBytes);
  }
  const contentHash = hash.digest('hex').slice(0, HASH_LENGTH);
  return { ...reader.summary(), contentHash, symbols: [...symbols], rows, faultCount, faults };
}

async function* readSurveyed(source: ByteSource, rules: TickRules, contentHash: string): AsyncGenerator<RowBatch> {
  const hash = createHash('sha256');
  yield* readBatches(source, createRowReader(source.name, rules, contentHash), hash);
  if (hash.digest('hex').slice(0, HASH_LENGTH) === contentHash) return;
  throw new TickerError('INPUT_INVALID', `${source.name}: changed while it was being read`, {
    details: { file: source.name },
  });
}

async function* readBatches(source: ByteSource, reader: RowReader, hash: Hash): AsyncGenerator<RowBatch> {
  const { chunks, bytesRead } = source.read();
  for await (const block of readLineBlocks(hashed(chunks, hash))) {
    yield { ...reader.read(block), bytesRead: bytesRead() };
  }
}

async function* hashed(chunks: AsyncIterable<Buffer>, hash: Hash): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    hash.update(chunk);
    yield chunk;
  }
}
