import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Tick } from '../../../src/core/tick.ts';
import { formatRowFault } from '../../../src/feed/formats/row-fault.ts';
import { openTradeFile, type TradeFile, type TradeFileOptions } from '../../../src/feed/formats/trade-file.ts';
import { createVirtualClock } from '../../../src/testkit/virtual-clock.ts';

/** A folder that is gone after `use`. */
export async function inFolder<Result>(use: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'ticker-feed-test-'));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** 2023-11-14T22:13:20Z. */
export const NOW_MS = 1_700_000_000_000;

/** Writes the content into a file of a new folder, opens it and hands it over. */
export function withInput<Result>(
  content: string | Buffer,
  use: (file: TradeFile, path: string) => Promise<Result>,
  options: TradeFileOptions = {},
): Promise<Result> {
  return inFolder(async (folder) => {
    const path = join(folder, 'trades.csv');
    await writeFile(path, content);
    const file = await openTradeFile(path, { clock: createVirtualClock(NOW_MS), ...options });
    try {
      return await use(file, path);
    } finally {
      await file.close();
    }
  });
}

/** All ticks of an input, read the second time; fails when the two readings disagree. */
export function ticksOf(content: string | Buffer, options: TradeFileOptions = {}): Promise<Tick[]> {
  return withInput(content, collect, options);
}

export async function collect(file: TradeFile): Promise<Tick[]> {
  const ticks: Tick[] = [];
  let rows = 0;
  for await (const batch of file.batches()) {
    ticks.push(...batch.ticks);
    rows += batch.rows;
  }
  if (rows !== file.rows || ticks.length !== rows - file.faultCount) throw new Error(`${rows} rows, then ${file.rows}`);
  return ticks;
}

/** The messages about an input's bad rows, with the folder cut off. */
export function faultsOf(content: string | Buffer): Promise<string[]> {
  return withInput(content, async (file, path) =>
    file.faults.map((fault) => formatRowFault(fault).replace(path, 'trades.csv')),
  );
}

/** The message with which an input is refused as a whole. */
export async function refusalOf(content: string | Buffer): Promise<string> {
  try {
    return `opened: ${await withInput(content, async (file) => file.format)}`;
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    return `${code}: ${message.replace(/^.*trades\.csv/, 'trades.csv')}`;
  }
}

export function hashOf(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 16);
}
