import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dump, oracleCandles, oracleRows } from '../oracle/oracle.ts';
import { dumpStore, tempDir, ticker } from './ticker.ts';
import { generateRows, HEADER, readGz, realFiles, shuffle } from './trades.ts';

const dir = tempDir();
afterAll(dir.remove);

let stores = 0;
const freshStore = (): string => `sqlite:${join(dir.path, `store-${stores++}.db`)}`;

const write = (name: string, rows: readonly string[], header = HEADER): string => {
  const path = join(dir.path, name);
  const text = `${[header, ...rows].join('\n')}\n`;
  writeFileSync(path, name.endsWith('.gz') ? gzipSync(text) : text);
  return path;
};

const importInto = (store: string, files: readonly string[], args: readonly string[] = []): string => {
  const { code, stderr } = ticker(['import', ...files, '--store', store, ...args]);
  expect(code, stderr).toBe(0);
  return stderr;
};

describe('exactness, from a file to the candles', () => {
  const rows = generateRows(4_000);
  let expected = '';
  let plain = '';

  beforeAll(() => {
    plain = write('plain.csv', rows);
    expected = dump(oracleCandles(oracleRows(readFileSync(plain, 'utf8'))));
    expect(expected.length).toBeGreaterThan(100_000);
  });

  it('R10 R12 R16 R31 import equals the oracle in all intervals, digit for digit', () => {
    const store = freshStore();
    importInto(store, [plain]);
    expect(dumpStore(store)).toBe(expected);
  });

  it('D2 replay through the stream gives the same bytes', () => {
    const store = freshStore();
    const { code, stderr } = ticker(['replay', plain, '--speed', 'max', '--store', store]);
    expect(code, stderr).toBe(0);
    expect(dumpStore(store)).toBe(expected);
  });

  it('R11 shuffled rows, and gzipped', () => {
    const store = freshStore();
    importInto(store, [write('shuffled.csv.gz', shuffle(rows))]);
    expect(dumpStore(store)).toBe(expected);
    const replayed = freshStore();
    ticker(['replay', join(dir.path, 'shuffled.csv.gz'), '--speed', 'max', '--store', replayed]);
    expect(dumpStore(replayed)).toBe(expected);
  });

  it('R20 T8 every row twice', () => {
    const store = freshStore();
    const said = importInto(store, [write('twice.csv', shuffle([...rows, ...rows]))]);
    expect(said).toContain(`${rows.length} new, ${rows.length} already known, 0 bad`);
    expect(dumpStore(store)).toBe(expected);
  });

  it('R11 rows split over two files, in two calls', () => {
    const mixed = shuffle(rows, 11);
    const store = freshStore();
    importInto(store, [write('half-1.csv', mixed.slice(0, 1_234))]);
    importInto(store, [write('half-2.csv', mixed.slice(1_234))]);
    expect(dumpStore(store)).toBe(expected);
  });

  it('D6 the same file twice, and import over replay, change nothing', () => {
    const store = freshStore();
    importInto(store, [plain, plain]);
    ticker(['replay', plain, '--speed', 'max', '--store', store]);
    expect(importInto(store, [plain])).toContain(`0 new, ${rows.length} already known, 0 bad`);
    expect(dumpStore(store)).toBe(expected);
  });

  it('D6 without an id column the same file twice changes nothing, and the command says what that covers', () => {
    const [header, bare] = ['symbol,ts_ms,price,size', rows.map((row) => row.split(',').slice(0, 4).join(','))];
    const path = write('no-ids.csv', bare, header);
    const store = freshStore();
    expect(importInto(store, [path])).toContain('no `id` column');
    const once = dumpStore(store);
    importInto(store, [path]);
    expect(dumpStore(store)).toBe(once);
    expect(once.split('\n').length).toBe(expected.split('\n').length);
  });

  it('JSON lines and microseconds from standard input give the same candles', () => {
    const lines = rows.map((row) => {
      const [symbol, ms, price, size, id, seq] = row.split(',');
      return `{"symbol":"${symbol}","ts_us":${ms}000,"price":${price},"size":"${size}","id":"${id}","seq":${seq}}`;
    });
    const store = freshStore();
    const { code, stderr } = ticker(['import', '-', '--store', store], { input: lines.join('\n') });
    expect(code, stderr).toBe(0);
    expect(dumpStore(store)).toBe(expected);
  });

  it('prints the first fields in the documented order, and ranges, formats and paging agree', () => {
    const store = freshStore();
    importInto(store, [plain]);
    const line =
      ticker(['candles', '--symbol', 'IBM', '--interval', '1d', '--store', store]).stdout.split('\n')[0] ?? '';
    expect(Object.keys(JSON.parse(line) as object).slice(0, 9)).toEqual([
      'symbol',
      'interval',
      'startMs',
      'open',
      'high',
      'low',
      'close',
      'volume',
      'trades',
    ]);
    const all = dumpStore(store, ['--symbol', 'IBM', '--interval', '1m']).trim().split('\n');
    const startOf = (text: string | undefined): number => (JSON.parse(text ?? '') as { startMs: number }).startMs;
    const part = dumpStore(store, [
      '--symbol',
      'IBM',
      '--interval',
      '1m',
      '--from',
      String(startOf(all[3])),
      '--to',
      new Date(startOf(all[9])).toISOString(),
    ]);
    expect(part.trim().split('\n')).toEqual(all.slice(3, 9));
    const csv = ticker(['candles', '--symbol', 'IBM', '--interval', '1m', '--store', store, '--format', 'csv'])
      .stdout.trim()
      .split('\n');
    expect(csv).toHaveLength(all.length + 1);
    expect(
      ticker(['candles', '--symbol', 'IBM', '--interval', '1m', '--store', store, '--format', 'table']).stdout,
    ).toContain('2013-10-31T22:30:00.000Z');
  });
});

describe.runIf(realFiles().length > 0)('exactness on real trades', () => {
  it('X1 D2 D6 import and replay of each real day equal the oracle', () => {
    const files = realFiles();
    const expected = dump(oracleCandles(files.flatMap((file) => oracleRows(readGz(file)))));
    const imported = freshStore();
    const replayed = freshStore();
    importInto(imported, files);
    const { code, stderr } = ticker(['replay', ...files, '--speed', 'max', '--store', replayed]);
    expect(code, stderr).toBe(0);
    expect(dumpStore(imported)).toBe(expected);
    expect(dumpStore(replayed)).toBe(expected);
  });
});
