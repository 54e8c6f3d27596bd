import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import { INTERVALS } from '../../../src/core/interval.ts';
import { type Random, seededRandom } from '../../../src/core/random.ts';
import { openSqliteStore } from '../../../src/store/index.ts';
import { openConnection } from '../../../src/store/sqlite/connection.ts';
import { archived, candlesOf, ownerOf, register, T0_US, tickOf } from '../../../src/testkit/store-fixtures.ts';

const READER = join(import.meta.dirname, 'reader.mjs');
const ROUNDS = 40;
const FLIPS = 20;
const PAGE_BYTES = 4_096;
const OUTPUT_MAX_BYTES = 1 << 29;

let directory: string;
let path: string;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'ticker-damage-'));
  path = join(directory, 'ticker.db');
  await fillStore();
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe('a damaged file', () => {
  it('SCHEMA-16 SCHEMA-6 flipped bytes anywhere are a fault or a true answer, never a wrong row, never the end of the process', () => {
    const truth = readsOf([path])[0] as Map<string, Read>;
    const undamaged = readFileSync(path);
    const random = seededRandom(8);
    const paths = Array.from({ length: ROUNDS }, (_, round) => {
      const copy = join(directory, `${round}.db`);
      // The first rounds damage one byte each, the others many; page 1 is SQLite's own.
      writeFileSync(copy, damaged(undamaged, random, round < ROUNDS / 2 ? 1 : FLIPS));
      return copy;
    });
    const rounds = readsOf(paths);
    expect(rounds).toHaveLength(ROUNDS);
    let faults = 0;
    for (const reads of rounds) {
      for (const [name, { value, fault }] of reads) {
        if (fault !== undefined) {
          faults++;
          expect([name, fault]).toEqual([name, 'STORE_UNUSABLE']);
        } else expectTrue(name, value, truth);
      }
    }
    expect(faults).toBeGreaterThan(ROUNDS);
  }, 60_000);

  it.each([
    ['candle', "close = CAST(x'31ff' AS TEXT)", 'candle of instrument 1, interval 1m, start 1381240020000000 us'],
    ['candle', "volume = '101'", 'candle of instrument 1, interval 1m, start 1381240020000000 us'],
    ['candle', 'rev = rev + 1', 'candle of instrument 1'],
    ['instrument', "source = CAST(x'ff' AS TEXT)", 'instrument IBM'],
    ['instrument', 'price_digits = price_digits + 1', 'instrument IBM'],
    ['shard', "owner_token = CAST(x'ff' AS TEXT)", 'shard 0'],
    ['shard', 'watermark_us = 1', 'shard 0'],
  ])('SCHEMA-16 a damaged row of table %s is named: %s', (table, assignment, named) => {
    const connection = openConnection(path);
    const keys = {
      candle: 'interval_code = 3 AND start_us = 1381240020000000',
      instrument: "symbol = 'IBM'",
      shard: 'TRUE',
    };
    connection.exec(`UPDATE ${table} SET ${assignment} WHERE ${keys[table as keyof typeof keys]}`);
    connection.close();
    const child = spawnSync(process.execPath, [READER, path], { encoding: 'utf8', maxBuffer: OUTPUT_MAX_BYTES });
    expect(child.status).toBe(0);
    expect(child.stdout).toContain(named);
  });
});

interface Read {
  readonly value?: unknown;
  readonly fault?: string;
}

/** What a process of its own reads of each store; it must end as it should. */
function readsOf(paths: readonly string[]): Map<string, Read>[] {
  const child = spawnSync(process.execPath, [READER, ...paths], { encoding: 'utf8', maxBuffer: OUTPUT_MAX_BYTES });
  expect([child.signal, child.status, child.stderr]).toEqual([null, 0, '']);
  const stores: Map<string, Read>[] = [];
  for (const line of child.stdout.trim().split('\n')) {
    const { path: next, read, ...answer } = JSON.parse(line) as Read & { path?: string; read: string };
    if (next === undefined) stores.at(-1)?.set(read, answer);
    else stores.push(new Map());
  }
  return stores;
}

/** Every row that is answered is a true one. Rows may be missing where a page no longer leads to them. */
function expectTrue(name: string, value: unknown, truth: ReadonlyMap<string, Read>): void {
  if (!Array.isArray(value)) return expect([name, value]).toEqual([name, truth.get(name)?.value]);
  const interval = /^latest (.+)$/.exec(name)?.[1];
  const sources = interval === undefined ? [name] : [`candles 1 ${interval}`, `candles 2 ${interval}`];
  const known = new Set(sources.flatMap((source) => truth.get(source)?.value as unknown[]).map(textOf));
  const rows = interval === undefined ? value : (value as { row: unknown }[]).map(({ row }) => row);
  expect([name, rows.filter((row) => !known.has(textOf(row)))]).toEqual([name, []]);
}

function textOf(row: unknown): string {
  return JSON.stringify(row);
}

function damaged(bytes: Buffer, random: Random, flips: number): Buffer {
  const copy = Buffer.from(bytes);
  for (let flip = 0; flip < flips; flip++) {
    const at = PAGE_BYTES + Math.floor(random.next() * (copy.length - PAGE_BYTES));
    copy[at] = (copy[at] as number) ^ (1 + Math.floor(random.next() * 255));
  }
  return copy;
}

async function fillStore(): Promise<void> {
  const store = await openSqliteStore({ path, mode: 'write', ownerLabel: 'test', clock: systemClock });
  const [ibm, aig] = [await register(store, 'IBM'), await register(store, 'AIG')];
  const commit = await ownerOf(store);
  const ticks = Array.from({ length: 60 }, (_, i) => tickOf({ id: `${i}`, tsUs: T0_US + i * 7_000_000 }));
  const days = ticks.map((tick, day) => ({ ...tick, symbol: 'AIG', tsUs: tick.tsUs + day * 86_400_000_000 }));
  for (const [{ instrumentId }, own] of [
    [ibm, ticks],
    [aig, days],
  ] as const) {
    await commit({
      candles: INTERVALS.flatMap((interval) => candlesOf(instrumentId, interval, own)),
      ticks: archived(instrumentId, own),
      checkpoint: { streamId: { epoch: 3, seq: 60 }, sourceCursor: '{"position":60}', watermarkUs: T0_US },
    });
    if (instrumentId === ibm.instrumentId) await store.compact(0, Number.MAX_SAFE_INTEGER);
  }
  await store.close();
}
