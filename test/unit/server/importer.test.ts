import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TickerError } from '../../../src/core/errors.ts';
import { openTradeFile, type TradeFile } from '../../../src/feed/index.ts';
import { type ImportOptions, type ImportReport, importFile } from '../../../src/server/importer.ts';
import { openSqliteStore, type Store } from '../../../src/store/index.ts';
import { createVirtualClock } from '../../../src/testkit/virtual-clock.ts';
import { dump, oracleCandles, oracleRows } from '../../oracle/oracle.ts';
import { storedCandles } from '../candles/shard-world.ts';
import { storeWith } from './store-with.ts';

const HEADER = 'symbol,ts_us,price,size,id,seq\n';
/** 2013-10-08 13:47 UTC. */
const T0_US = 1_381_240_020_000_000;

let folder: string;
let store: Store;
const files: TradeFile[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ticker-import-'));
  store = await openStore('t.db');
});

afterEach(async () => {
  for (const file of files.splice(0)) await file.close();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const openStore = (name: string): Promise<Store> =>
  openSqliteStore({ path: join(folder, name), mode: 'write', ownerLabel: 'test', clock: createVirtualClock() });

async function open(text: string): Promise<TradeFile> {
  const path = join(folder, `${files.length}.csv`);
  writeFileSync(path, text);
  const file = await openTradeFile(path);
  files.push(file);
  return file;
}

/** Rows of two symbols, `apartUs` after one another. */
function csv(count: number, apartUs = 50_000): string {
  const row = (index: number): string =>
    `${index % 3 ? 'IBM' : 'AIG'},${T0_US + index * apartUs},${180 + (index % 7)}.${index % 10},${1 + (index % 4)},${index},${index}\n`;
  return HEADER + Array.from({ length: count }, (_, index) => row(index)).join('');
}

const options = (fields: Partial<ImportOptions> = {}): ImportOptions => ({
  store,
  shards: 1,
  source: 'files',
  ownerToken: 'import',
  skipBad: false,
  nowMs: 1_700_000_000_000,
  diskCapBytes: Number.MAX_SAFE_INTEGER,
  onProgress: () => undefined,
  ...fields,
});

const faultOf = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: unknown) => error);

describe('import', () => {
  it('R10 R24 D6 gives the oracle’s candles, counts every row, and a second import changes nothing', async () => {
    const text = csv(2_000);
    const report = await importFile(await open(text), options());
    expect(report).toEqual({ rows: 2_000, applied: 2_000, duplicate: 0, rejected: 0 });
    const candles = dump(oracleCandles(oracleRows(text)));
    expect(await storedCandles(store, ['AIG', 'IBM'])).toBe(candles);
    expect(await importFile(await open(text), options())).toEqual({
      rows: 2_000,
      applied: 0,
      duplicate: 2_000,
      rejected: 0,
    });
    expect(await storedCandles(store, ['AIG', 'IBM'])).toBe(candles);
  });

  it('R24 bad rows are counted with skipBad, and refuse the whole file without it', async () => {
    const text = `${csv(50)}IBM,${T0_US},-1,1,x,1\nIBM,${T0_US},1,1,49,1\n`;
    expect(await faultOf(importFile(await open(text), options()))).toMatchObject({ code: 'INPUT_INVALID' });
    expect(await store.instruments()).toEqual([]);
    expect(await importFile(await open(text), options({ skipBad: true }))).toEqual({
      rows: 52,
      applied: 50,
      duplicate: 1,
      rejected: 1,
    });
  });

  it('R24 progress adds up at every step and never goes back, although commits run beside it', async () => {
    const steps: ImportReport[] = [];
    const bytes: number[] = [];
    const text = csv(60_000, 2_000);
    await importFile(
      await open(`${text}${text.slice(HEADER.length, 40_000)}`.replace(/[^\n]*$/, '')),
      options({
        onProgress(report, bytesRead) {
          steps.push({ ...report });
          bytes.push(bytesRead);
        },
      }),
    );
    expect(steps.length).toBeGreaterThan(10);
    for (const [index, step] of steps.entries()) {
      expect(step.applied + step.duplicate + step.rejected).toBe(step.rows);
      expect(step.applied).toBe(Math.min(step.rows, 60_000));
      expect(step.rows).toBeGreaterThan(steps[index - 1]?.rows ?? 0);
      expect(bytes[index]).toBeGreaterThanOrEqual(bytes[index - 1] ?? 0);
    }
  });

  it('D5 CKPT-5 a commit that fails in the middle leaves whole commits, and a second import completes it', async () => {
    const text = csv(60_000, 2_000);
    let commits = 0;
    const failing = storeWith(store, {
      commit: async (flush) => {
        if (++commits === 2) throw new TickerError('STORE_UNUSABLE', 'disk full');
        return store.commit(flush);
      },
    });
    const fault = await faultOf(importFile(await open(text), options({ store: failing })));
    expect(fault).toMatchObject({ code: 'STORE_UNUSABLE', message: 'disk full' });
    expect((await store.shard(0)).commitNo).toBe(1);
    const half = (await storedCandles(store, ['AIG', 'IBM'])).split('\n').length;
    expect(half).toBeGreaterThan(100);

    const report = await importFile(await open(text), options());
    const mended = await storedCandles(store, ['AIG', 'IBM']);
    expect(report.applied + report.duplicate).toBe(60_000);
    expect(report.duplicate).toBeGreaterThanOrEqual(50_000);
    expect(half).toBeLessThan(mended.split('\n').length);
    const clean = await openStore('clean.db');
    await importFile(await open(text), options({ store: clean }));
    expect(mended).toBe(await storedCandles(clean, ['AIG', 'IBM']));
    await clean.close();
  });

  it('D5 CKPT-3 an import that another writer fences says so, and nothing of its flush is written', async () => {
    const fenced = storeWith(store, {
      commit: async (flush) => {
        await store.takeOver(0, 'rival');
        return store.commit(flush);
      },
    });
    const fault = await faultOf(importFile(await open(csv(100)), options({ store: fenced })));
    expect(fault).toMatchObject({ code: 'STORE_LOCKED' });
    expect(String(fault)).toContain('rival');
    expect(await storedCandles(store, ['AIG', 'IBM'])).toBe('');
    expect((await importFile(await open(csv(100)), options())).applied).toBe(100);
  });

  it('D5 the failure of a commit is what is told, also when rows are read while it fails', async () => {
    // The hours of the rows after the first flush are asked of the archive; the commit fails meanwhile.
    const text = csv(60_000, 200_000);
    const end = T0_US + 60_000 * 200_000;
    await importFile(await open(`${HEADER}AIG,${end},1,1,a,1\nIBM,${end},1,1,b,1\n`), options());
    let fail: (error: Error) => void = () => undefined;
    const failing = storeWith(store, {
      commit: () =>
        new Promise((_, reject) => {
          fail = reject;
        }),
      async archivedIds(instrumentId, hourUs) {
        const ids = await store.archivedIds(instrumentId, hourUs);
        fail(new TickerError('STORE_UNUSABLE', 'disk full'));
        return ids;
      },
    });
    const fault = await faultOf(importFile(await open(text), options({ store: failing })));
    expect(fault).toMatchObject({ code: 'STORE_UNUSABLE', message: 'disk full' });
  });

  it('D1 T1 a symbol of another source is refused before anything is written', async () => {
    await store.register([{ symbol: 'IBM', source: 'simulated', simulated: true }]);
    const fault = await faultOf(importFile(await open(csv(10)), options()));
    expect(fault).toMatchObject({ code: 'SOURCE_CONFLICT', details: { symbol: 'IBM' } });
    expect((await store.instruments()).map(({ symbol }) => symbol)).toEqual(['IBM']);
    expect((await store.shard(0)).commitNo).toBe(0);
  });

  it('CKPT-9 the end of the file closes the candles of its symbols', async () => {
    await importFile(await open(csv(30)), options());
    for (const { closedThroughUs } of await store.instruments()) expect(closedThroughUs).toBeGreaterThan(T0_US);
  });

  it('D10 stops at the disk cap with whole commits, and says so', async () => {
    const file = await open(csv(200));
    const sizeBytes = await store.sizeBytes();
    await expect(importFile(file, options({ diskCapBytes: sizeBytes - 1 }))).rejects.toMatchObject({
      code: 'DISK_CAP',
    });
    expect((await store.shard(0)).commitNo).toBe(0);
    expect(await importFile(file, options())).toMatchObject({ applied: 200 });
  });
});
