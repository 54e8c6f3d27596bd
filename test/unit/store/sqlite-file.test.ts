import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import { seededRandom } from '../../../src/core/random.ts';
import { openSqliteStore, type Store } from '../../../src/store/index.ts';
import { readCandles } from '../../../src/store/sqlite/candles.ts';
import { type Connection, openConnection } from '../../../src/store/sqlite/connection.ts';
import { decodeCandle } from '../../../src/store/sqlite/record.ts';
import { REQUESTS_MAX, startDatabaseWorker } from '../../../src/store/sqlite/worker-client.ts';
import { candlesOf, ownerOf, register, tickOf } from '../../../src/testkit/store-fixtures.ts';

let directory: string;
let path: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ticker-file-'));
  path = join(directory, 'ticker.db');
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe('the file of the embedded store', () => {
  it('SCHEMA-10 D10 one writer; the second is refused with the name of the first; a closed store is free', async () => {
    const first = await open('write', { ownerLabel: 'ticker start' });
    await expect(open('write')).rejects.toMatchObject({
      code: 'STORE_LOCKED',
      message: expect.stringContaining("'ticker start'"),
    });
    await first.close();
    await first.close();
    expect(readdirSync(directory).toSorted()).toEqual(['ticker.db', 'ticker.db.lock']);
    await (await open('write')).close();
  });

  it('SCHEMA-10 a reader needs no lock, sees commits, writes nothing', async () => {
    const writer = await open('write');
    const reader = await open('read');
    const { instrumentId } = await register(writer, 'IBM');
    await (await ownerOf(writer))({ candles: candlesOf(instrumentId, '1m', [tickOf({})]) });
    expect(await reader.latestCandles('1m')).toHaveLength(1);
    await expect(reader.takeOver(0, 'reader')).rejects.toMatchObject({ code: 'STORE_UNUSABLE' });
    await expect(register(reader, 'NEW')).rejects.toMatchObject({ code: 'STORE_UNUSABLE' });
    await writer.close();
    expect(await reader.latestCandles('1m')).toHaveLength(1);
    await reader.close();
  });

  it('CKPT-11 D7 a commit of another process between the statements of a read does not show in it', async () => {
    const store = await open('write');
    const { instrumentId } = await register(store, 'IBM');
    await (await ownerOf(store))({ candles: candlesOf(instrumentId, '1m', [tickOf({})]) });
    await store.close();
    const [reading, writing] = [openConnection(path), openConnection(path)];
    let commits = 0;
    const interrupted = (row: Connection['row']): Connection['row'] => {
      return (sql, values) => {
        const result = row(sql, values);
        writing.exec(
          `BEGIN IMMEDIATE; UPDATE shard SET commit_no = commit_no + 1, checksum = checksum + 1;
            UPDATE candle SET rev = rev + 1, checksum = checksum + 1; COMMIT`,
        );
        commits++;
        return result;
      };
    };
    const query = {
      instrumentId,
      shard: 0,
      intervalCode: 3,
      fromUs: 0,
      toUs: Number.MAX_SAFE_INTEGER,
      limit: 1,
      keep: 'last',
    } as const;
    const { shard, records } = readCandles({ ...reading, row: interrupted(reading.row) }, query);
    expect(commits).toBeGreaterThan(0);
    expect(records.map((record) => decodeCandle(record).rev)).toEqual([shard.commitNo]);
    expect(readCandles(reading, query).shard.commitNo).toBe(1 + commits);
    reading.close();
    writing.close();
  });

  it('SCHEMA-13 the incarnation is made with the store and stays', async () => {
    const first = await open('write', { random: seededRandom(1) });
    await first.close();
    const again = await open('write', { random: seededRandom(2) });
    expect(again.incarnation).toBe(seededRandom(1).hex(16));
    await again.close();
  });

  it('IDS-5 another number of shards is refused', async () => {
    await (await open('write', { shards: 4 })).close();
    await expect(open('write', { shards: 2 })).rejects.toMatchObject({ code: 'STORE_SHARDS', details: { shards: 4 } });
    const store = await open('write');
    expect(store.shards).toBe(4);
    await store.close();
  });

  it('SCHEMA-11 a store of a later version is refused by writers and readers', async () => {
    await (await open('write')).close();
    const connection = openConnection(path);
    connection.run("INSERT INTO schema_migration (version, name) VALUES (9999, '9999-later.sql')");
    connection.close();
    for (const mode of ['write', 'read'] as const)
      await expect(open(mode)).rejects.toMatchObject({ code: 'STORE_NEWER' });
    expect(existsSync(`${path}.lock.json`)).toBe(false);
  });

  it('SCHEMA-12 what is not a Ticker store is refused and left as it was', async () => {
    writeFileSync(path, 'symbol,ts_ms,price,size\n'.repeat(200));
    await expectRefused('it is not a SQLite database');
    rmSync(path);
    const connection = openConnection(path);
    connection.exec('CREATE TABLE somebody (theirs TEXT)');
    connection.close();
    await expectRefused('it is a SQLite database, but not a Ticker store');
  });

  it('SCHEMA-12 a path that cannot be used is refused with the reason; a missing directory is made for a writer', async () => {
    await expect(open('read')).rejects.toMatchObject({
      code: 'STORE_UNUSABLE',
      message: expect.stringContaining('there is no such file'),
    });
    expect(readdirSync(directory)).toEqual([]);
    await expect(open('write', { path: directory })).rejects.toMatchObject({
      code: 'STORE_UNUSABLE',
      message: expect.stringContaining('cannot be opened'),
    });
    writeFileSync(path, '');
    await expect(open('write', { path: join(path, 'below.db') })).rejects.toMatchObject({
      code: 'STORE_UNUSABLE',
      message: expect.stringContaining('not a directory'),
    });
    await expect(open('read')).rejects.toMatchObject({
      code: 'STORE_UNUSABLE',
      message: expect.stringContaining('it is empty'),
    });
    const store = await open('write', { path: join(directory, 'a', 'b', 'ticker.db') });
    expect(await store.instruments()).toEqual([]);
    await store.close();
  });
});

describe('the thread of the embedded store', () => {
  const settings = (): Parameters<typeof startDatabaseWorker>[0] => ({
    path,
    mode: 'write',
    shards: 1,
    newIncarnation: 'x',
  });
  /** Says that it is open, and then does what `body` says with each request. */
  const fake = (body: string): URL =>
    new URL(
      `data:text/javascript,${encodeURIComponent(`
      import { parentPort } from 'node:worker_threads';
      parentPort.postMessage({ id: 0, kind: 'done', value: { incarnation: 'x', shards: 1 } });
      parentPort.on('message', ({ id }) => { ${body} });
    `)}`,
    );

  it('D10 a thread that dies rejects what waits and everything after', async () => {
    const worker = await startDatabaseWorker(settings(), fake("throw new Error('out of memory')"));
    const waiting = [worker.call('sizeBytes', []), worker.call('instruments', [])];
    for (const call of waiting)
      await expect(call).rejects.toMatchObject({
        code: 'STORE_UNUSABLE',
        message: expect.stringContaining('out of memory'),
      });
    await expect(worker.call('sizeBytes', [])).rejects.toMatchObject({ code: 'STORE_UNUSABLE' });
    await worker.close();
  });

  it('D10 requests in flight are bounded', async () => {
    const worker = await startDatabaseWorker(settings(), fake(`if (id > ${REQUESTS_MAX}) process.exit()`));
    const calls = Array.from({ length: REQUESTS_MAX }, () =>
      worker.call('sizeBytes', []).catch((fault: unknown) => fault),
    );
    await expect(worker.call('sizeBytes', [])).rejects.toMatchObject({
      message: expect.stringContaining('requests wait'),
    });
    await expect(worker.close()).rejects.toMatchObject({ code: 'STORE_UNUSABLE' });
    for (const fault of await Promise.all(calls)) expect(fault).toMatchObject({ code: 'STORE_UNUSABLE' });
  });

  it('D10 a closed store answers with a fault', async () => {
    const store = await open('write');
    const last = store.sizeBytes();
    await store.close();
    expect(await last).toBeGreaterThan(0);
    await expect(store.sizeBytes()).rejects.toMatchObject({
      code: 'STORE_UNUSABLE',
      message: expect.stringContaining('closed'),
    });
  });
});

function open(mode: 'write' | 'read', more: Partial<Parameters<typeof openSqliteStore>[0]> = {}): Promise<Store> {
  return openSqliteStore({ path, mode, ownerLabel: 'test', clock: systemClock, ...more });
}

async function expectRefused(reason: string): Promise<void> {
  const before = readFileSync(path);
  for (const mode of ['write', 'read'] as const) {
    await expect(open(mode)).rejects.toMatchObject({
      code: 'STORE_UNUSABLE',
      message: expect.stringContaining(reason),
    });
  }
  expect(readFileSync(path).equals(before)).toBe(true);
}
