import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dumpStore, endAfter, eventually, freePort, type Running, start, tempDir, ticker } from './ticker.ts';

const dir = tempDir();
let running: Running;

beforeAll(async () => {
  running = await start(['start', '--no-web', '--http-port', '0', '--data-dir', join(dir.path, 'data')]);
});

afterAll(async () => {
  await running.end('SIGTERM');
  dir.remove();
});

const get = async (path: string): Promise<{ status: number; body: Record<string, unknown>; headers: Headers }> => {
  const answer = await fetch(running.api + path);
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown>, headers: answer.headers };
};

interface Event {
  readonly event: string;
  readonly id: string;
  readonly data: Record<string, unknown>;
}

/** Reads events until `enough` says so. */
async function readEvents(
  path: string,
  enough: (events: Event[]) => boolean,
  headers: Record<string, string> = {},
): Promise<Event[]> {
  const abort = new AbortController();
  const deadline = setTimeout(() => abort.abort(), 20_000);
  const answer = await fetch(running.api + path, { signal: abort.signal, headers });
  const events: Event[] = [];
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of answer.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const lines = text.slice(0, end).split('\n');
      text = text.slice(end + 2);
      const field = (name: string): string =>
        lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? '';
      if (field('event') !== '')
        events.push({
          event: field('event'),
          id: field('id'),
          data: JSON.parse(field('data')) as Record<string, unknown>,
        });
    }
    if (enough(events)) break;
  }
  clearTimeout(deadline);
  abort.abort();
  return events;
}

describe('ticker start', () => {
  it('T1 every answer with market data says simulated', async () => {
    const { symbols } = (await get('/v1/symbols')).body as {
      symbols: { symbol: string; simulated: boolean; last: string }[];
    };
    expect(symbols.map(({ symbol }) => symbol)).toEqual(['ACME', 'GLOBEX', 'HOOLI', 'INITECH', 'UMBRELLA']);
    expect(symbols.every(({ simulated }) => simulated)).toBe(true);
    const candles = await eventually('a first candle', async () => {
      const { body } = await get('/v1/candles?symbol=ACME&interval=1m');
      return (body['candles'] as object[]).length > 0 ? body : undefined;
    });
    expect(candles).toMatchObject({ simulated: true });
    expect((candles['candles'] as { simulated: boolean }[]).every(({ simulated }) => simulated)).toBe(true);
    expect((await get('/v1/status')).body).toMatchObject({ feed: { simulated: true } });
    const line = await eventually(
      'a stored candle',
      () =>
        ticker(['candles', '--symbol', 'ACME', '--interval', '1m', '--data-dir', join(dir.path, 'data')]).stdout.split(
          '\n',
        )[0] || undefined,
    );
    expect(JSON.parse(line)).toMatchObject({ simulated: true });
  });

  it('serves health, readiness, metrics and status', async () => {
    expect((await get('/healthz')).body).toEqual({ status: 'alive' });
    await eventually('ready', async () => (await get('/readyz')).status === 200 || undefined);
    const metrics = await (await fetch(`${running.api}/metrics`)).text();
    expect(metrics).toMatch(/^ticker_leader 1$/m);
    expect(metrics).toMatch(/^ticker_ticks_total\{outcome="applied"\} \d+$/m);
    const status = ticker(['status', '--http-port', new URL(running.api).port]);
    expect(status.stdout).toMatch(/^leader +true$/m);
  });

  it('V1 LIVE-4 streams snapshot, ticks, candles, and says simulated on each', async () => {
    const events = await readEvents('/v1/stream?symbols=ACME,HOOLI&candles=1s', (seen) =>
      ['ticks', 'candles'].every((name) => seen.some(({ event }) => event === name)),
    );
    expect(events[0]).toMatchObject({ event: 'snapshot', data: { verdict: 'fresh', simulated: true } });
    for (const { data } of events) expect(data['simulated']).toBe(true);
    const candle = (events.find(({ event }) => event === 'candles')?.data['candles'] as object[] | undefined)?.[0];
    expect(candle).toMatchObject({ interval: '1s', simulated: true, shard: 0 });
  });

  it('V2 LIVE-5 a reader that returns with its cursor misses nothing', async () => {
    // A first start catches up half an hour in seconds: far more than a replay brings, which is then a reset.
    await eventually('caught up', async () => {
      const { feed } = (await get('/v1/status')).body as { feed: { lastTickMs: number | null } };
      return Date.now() - (feed.lastTickMs ?? 0) < 1_000 || undefined;
    });
    const first = await readEvents('/v1/stream?symbols=ACME,GLOBEX,HOOLI,INITECH,UMBRELLA', (seen) => seen.length > 3);
    await new Promise((resolve) => setTimeout(resolve, 300));
    const last = first.at(-1)?.id ?? '';
    const second = await readEvents(
      '/v1/stream?symbols=ACME,GLOBEX,HOOLI,INITECH,UMBRELLA',
      (seen) => seen.length > 3,
      { 'Last-Event-ID': last },
    );
    expect(second[0]?.data['verdict']).toMatch(/^(replayed|exact)$/);
    const ids = [...first, ...second].flatMap(({ event, data }) =>
      event === 'ticks' ? (data['ticks'] as { id: string }[]).map(({ id }) => Number(id)) : [],
    );
    for (let i = 1; i < ids.length; i++) expect(ids[i]).toBe((ids[i - 1] ?? 0) + 1);
  });

  it('Q7 bad requests get the right status and name the parameter', async () => {
    const cases: [string, number, string][] = [
      ['/v1/nothing', 404, 'NOT_FOUND'],
      ['/v1/candles?interval=1m', 400, 'REQUEST_INVALID'],
      ['/v1/candles?symbol=ACME&interval=2m', 400, 'REQUEST_INVALID'],
      ['/v1/candles?symbol=ACME&interval=1m&limit=0', 400, 'REQUEST_INVALID'],
      ['/v1/candles?symbol=ACME&interval=1m&from=x', 400, 'REQUEST_INVALID'],
      ['/v1/candles?symbol=NOPE&interval=1m', 404, 'SYMBOL_UNKNOWN'],
      ['/v1/candles?symbol=%00&interval=1m', 400, 'REQUEST_INVALID'],
      ['/v1/candles?symbol=ACME&interval=1m&symbol=HOOLI', 400, 'REQUEST_INVALID'],
      ['/v1/stream', 400, 'REQUEST_INVALID'],
      ['/v1/stream?symbols=NOPE', 404, 'SYMBOL_UNKNOWN'],
      [`/v1/candles?symbol=${'A'.repeat(5_000)}&interval=1m`, 400, 'REQUEST_INVALID'],
    ];
    for (const [path, status, code] of cases) {
      const answer = await get(path);
      expect([answer.status, (answer.body['error'] as { code: string }).code], path).toEqual([status, code]);
    }
    for (const path of ['/v1/symbols', '/v1/stream?symbols=ACME', '/healthz']) {
      for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
        const answer = await fetch(running.api + path, { method, ...(method === 'OPTIONS' ? {} : { body: '{"a":' }) });
        expect([answer.status, answer.headers.get('allow')], `${method} ${path}`).toEqual([405, 'GET']);
        expect(((await answer.json()) as { error: { code: string } }).error.code).toBe('METHOD_NOT_ALLOWED');
      }
    }
    expect((await fetch(`${running.api}/v1/stream?symbols=ACME`, { method: 'HEAD' })).status).toBe(405);
    expect((await fetch(`${running.api}/healthz`, { method: 'HEAD' })).status).toBe(200);
  });

  it('Q7 what is not HTTP is answered in the documented shape', async () => {
    const { port, hostname } = new URL(running.api);
    const answer = await new Promise<string>((resolve, reject) => {
      let text = '';
      const socket = connect(Number(port), hostname, () => socket.end('HELLO\r\n\r\n'));
      socket.on('data', (chunk) => (text += chunk.toString())).on('end', () => resolve(text));
      socket.on('error', reject);
    });
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('{"error":{"code":"REQUEST_INVALID"');
  });

  it('an address that is not ours is named with its setting', () => {
    const refused = ticker(['start', '--no-web', '--host', '999.1.1.1', '--data-dir', join(dir.path, 'host')]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/TICKER_HOST: "999\.1\.1\.1"/);
  });

  it('a signal ends a start that is under way, with exit code 0 and nothing left behind', async () => {
    for (const delayMs of [0, 60, 150, 400]) {
      const data = join(dir.path, `early-${delayMs}`);
      const code = await endAfter(['start', '--no-web', '--http-port', '0', '--data-dir', data], 'SIGTERM', delayMs);
      expect([0, null], `after ${delayMs} ms`).toContain(code);
      const again = await start(['start', '--no-web', '--http-port', '0', '--data-dir', data]);
      expect(await again.end('SIGINT')).toBe(0);
    }
  });

  it('D10 a second writer is told who holds the store; reading is free', async () => {
    const data = join(dir.path, 'data');
    for (const args of [
      ['start', '--no-web', '--http-port', '0', '--data-dir', data],
      ['import', 'examples/trades.csv', '--data-dir', data],
    ]) {
      const second = ticker(args);
      expect(second.code).toBe(1);
      expect(second.stderr).toMatch(
        new RegExp(`ticker start.*${running.process.pid}|${running.process.pid}.*ticker start`),
      );
      expect(second.stderr).toContain('STORE_LOCKED');
    }
    expect(dumpStore(`sqlite:${join(data, 'ticker.db')}`, ['--interval', '1m', '--symbol', 'ACME'])).toContain('ACME');
  });

  it('a taken port is named with the setting that changes it', async () => {
    const port = Number(new URL(running.api).port);
    const second = ticker(['start', '--no-web', '--http-port', String(port), '--data-dir', join(dir.path, 'other')]);
    expect(second.code).toBe(1);
    expect(second.stderr).toContain(String(port));
    expect(second.stderr).toContain('TICKER_HTTP_PORT');

    const taken = createServer();
    const webPort = await freePort();
    await new Promise<void>((resolve) => taken.listen(webPort, '127.0.0.1', resolve));
    const third = ticker([
      'start',
      '--http-port',
      '0',
      '--web-port',
      String(webPort),
      '--data-dir',
      join(dir.path, 'third'),
    ]);
    taken.close();
    expect(third.code).toBe(1);
    expect(third.stderr).toContain('TICKER_WEB_PORT');
  });

  it('T1 D1 real trades for a simulated symbol are refused, and nothing of the file is written', () => {
    const data = join(dir.path, 'conflict');
    mkdirSync(data);
    const store = `sqlite:${join(data, 'ticker.db')}`;
    const simulated = start(['start', '--no-web', '--http-port', '0', '--data-dir', data, '--sim-symbols', 'IBM']);
    return simulated.then(async ({ end }) => {
      await eventually('stored candles', () => dumpStore(store).includes('IBM') || undefined);
      await end('SIGTERM');
      const before = dumpStore(store);
      const file = join(dir.path, 'mixed.csv');
      writeFileSync(file, 'symbol,ts_ms,price,size,id\nNEW,1381236469457,1,1,1\nIBM,1381236469457,1,1,2\n');
      for (const command of [
        ['import', file],
        ['replay', file, '--speed', 'max'],
      ]) {
        const refused = ticker([...command, '--data-dir', data]);
        expect(refused.code).toBe(1);
        expect(refused.stderr).toMatch(/IBM is simulated data of source 'simulated'.*real trades/);
        expect(refused.stderr).toContain('SOURCE_CONFLICT');
        expect(dumpStore(store)).toBe(before);
      }
    });
  });

  it('T1 D1 a simulation refuses to start on a symbol that has real trades', () => {
    const data = join(dir.path, 'real');
    const file = join(dir.path, 'acme.csv');
    writeFileSync(file, 'symbol,ts_ms,price,size,id\nACME,1381236469457,1,1,1\n');
    expect(ticker(['import', file, '--data-dir', data]).code).toBe(0);
    const refused = ticker(['start', '--no-web', '--http-port', '0', '--data-dir', data]);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('SOURCE_CONFLICT');
  });
});
