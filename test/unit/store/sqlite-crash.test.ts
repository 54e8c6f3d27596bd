import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import { openSqliteStore, type Store } from '../../../src/store/index.ts';

const WRITER = join(import.meta.dirname, 'writer.mjs');
const CROWDED = join(import.meta.dirname, 'crowded.mjs');

let directory: string;
let path: string;
let children: ChildProcess[];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ticker-crash-'));
  path = join(directory, 'ticker.db');
  children = [];
});

afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(directory, { recursive: true, force: true });
});

describe('a process that is killed', () => {
  it('CKPT-5 R32 kill -9 in the middle of commits leaves whole commits only, and none that was confirmed is lost', async () => {
    for (let round = 1; round <= 4; round++) {
      const { child, lines } = startWriter('commit');
      let confirmed = 0;
      let count = 0;
      for await (const line of lines) {
        if (count === 0) expect(line).toBe('open');
        else confirmed = Number(line.replace('commit ', ''));
        if (count++ === 13 * round) child.kill('SIGKILL');
      }
      const store = await openSqliteStore({ path, mode: 'write', ownerLabel: 'test', clock: systemClock });
      await expectWholeCommits(store, round, confirmed);
      await store.close();
    }
  }, 60_000);

  it('SCHEMA-10 D10 a second process is told who holds the store, and kill -9 frees it at once', async () => {
    const first = startWriter('hold');
    expect(await first.next()).toBe('open');
    const second = startWriter('hold');
    expect(await second.next()).toMatch(
      new RegExp(`^STORE_LOCKED store .*ticker.db is in use by 'test hold', process ${first.child.pid} on .+, since `),
    );
    const here = openSqliteStore({ path, mode: 'write', ownerLabel: 'test', clock: systemClock });
    await expect(here).rejects.toMatchObject({
      code: 'STORE_LOCKED',
      details: { pid: first.child.pid, label: 'test hold' },
    });
    first.child.kill('SIGKILL');
    await once(first.child, 'exit');
    const store = await openSqliteStore({ path, mode: 'write', ownerLabel: 'the next', clock: systemClock });
    expect(JSON.parse(readFileSync(`${path}.lock.json`, 'utf8'))).toMatchObject({
      pid: process.pid,
      label: 'the next',
    });
    await store.close();
  }, 30_000);
});

describe('a disk that is full', () => {
  it('CKPT-2 D5 a takeover that could not be written is a fault, and no term that the store does not hold', () => {
    // In blocks of 512 or 1,024 bytes: less than the log grows to before it is emptied.
    const command = `ulimit -f 1500; exec "${process.execPath}" "${CROWDED}" "${path}"`;
    const child = spawnSync('sh', ['-c', command], { encoding: 'utf8' });
    const { answered, stored, fault } = JSON.parse(child.stdout) as Record<string, unknown>;
    expect(fault).toBe('STORE_UNUSABLE');
    expect(answered).toBeGreaterThan(1);
    expect(stored).toBe(answered);
  });
});

async function expectWholeCommits(store: Store, round: number, confirmed: number): Promise<void> {
  const { commitNo, streamId, sourceCursor, watermarkUs, ownerTerm } = await store.shard(0);
  expect(ownerTerm).toBe(round);
  expect(commitNo).toBeGreaterThanOrEqual(confirmed);
  expect({ streamId, sourceCursor, watermarkUs }).toEqual({
    streamId: { epoch: 1, seq: commitNo },
    sourceCursor: `${commitNo}`,
    watermarkUs: commitNo,
  });
  for (const interval of ['1s', '1M'] as const) {
    const [latest] = await store.latestCandles(interval);
    expect(latest?.row).toMatchObject({
      rev: commitNo,
      candle: { trades: commitNo, volume: { units: commitNo }, close: { id: `${commitNo}` } },
    });
  }
  const ids = await store.archivedIds(1, 0);
  expect(ids.map(Number).toSorted((a, b) => a - b)).toEqual(Array.from({ length: commitNo }, (_, i) => i + 1));
}

function startWriter(mode: 'hold' | 'commit'): {
  child: ChildProcess;
  lines: AsyncIterable<string>;
  next: () => Promise<string>;
} {
  const child = spawn(process.execPath, [WRITER, path, mode], { stdio: ['pipe', 'pipe', 'inherit'] });
  children.push(child);
  const lines = createInterface({ input: child.stdout });
  const iterator = lines[Symbol.asyncIterator]();
  return { child, lines, next: async () => String((await iterator.next()).value) };
}
