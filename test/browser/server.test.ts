import { spawn, spawnSync } from 'node:child_process';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { startWeb, type WebServer } from '../../src/server/web.ts';
import { startPage, until } from './browser.ts';
import { type FakeApi, startFakeApi } from './fake-api.ts';

describe('V8 the same-origin proxy of the page', () => {
  let api: FakeApi;
  let web: WebServer;

  beforeAll(async () => {
    api = await startFakeApi({ symbols: ['IBM'], simulated: true });
    web = await startPage(api.url);
  });
  afterAll(async () => {
    await web?.stop();
    await api?.stop();
  });

  const openStream = async (headers: Record<string, string> = {}) => {
    const leaving = new AbortController();
    const response = await fetch(`${web.url}/api/stream?symbols=IBM&candles=1m`, { headers, signal: leaving.signal });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    if (reader === undefined) throw new Error('the stream has no body');
    let text = '';
    const readUntil = async (part: string): Promise<string> => {
      while (!text.includes(part)) {
        const { done, value } = await reader.read();
        if (done) throw new Error(`the stream ended before '${part}': ${text}`);
        text += value;
      }
      return text;
    };
    return { response, readUntil, leave: () => leaving.abort() };
  };

  it('V8 single small events pass at once, uncompressed, to a reader that accepts gzip', async () => {
    const { response, readUntil, leave } = await openStream({ 'accept-encoding': 'gzip' });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    expect(response.headers.get('cache-control')).toBe('no-cache, no-transform');
    expect(response.headers.get('x-accel-buffering')).toBe('no');
    expect(response.headers.get('content-encoding')).toBeNull();
    await readUntil('event: snapshot');
    api.trade('IBM', '121.5');
    await readUntil('"price":"121.5"');
    leave();
  });

  it('V8 carries the query, the resume position and the identity of the reader on', async () => {
    const { readUntil, leave } = await openStream({
      'last-event-id': 'in~5-9.3',
      cookie: 'a=b',
      authorization: 'Bearer x',
    });
    await readUntil('event: snapshot');
    leave();
    expect(api.requests.at(-1)).toBe('/v1/stream?symbols=IBM&candles=1m');
    expect(api.lastHeaders).toMatchObject({ 'last-event-id': 'in~5-9.3', cookie: 'a=b', authorization: 'Bearer x' });
  });

  it('V8 a reader that leaves is gone upstream too', async () => {
    await until(
      () => api.readers,
      (readers) => readers === 0,
    );
    const streams = await Promise.all(Array.from({ length: 20 }, () => openStream()));
    await Promise.all(streams.map(({ readUntil }) => readUntil('event: snapshot')));
    expect(api.readers).toBe(20);
    for (const { leave } of streams) leave();
    await until(
      () => api.readers,
      (readers) => readers === 0,
    );
  });

  it('V8 the stream is at the address that the API gives it, too', async () => {
    const leaving = new AbortController();
    const { signal } = leaving;
    const stream = await fetch(`${web.url}/api/v1/stream?symbols=IBM&candles=1m`, { signal });
    expect([stream.status, stream.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    expect(api.requests.at(-1)).toBe('/v1/stream?symbols=IBM&candles=1m');
    leaving.abort();
  });

  it('V8 HEAD of a stream answers at once and opens none', async () => {
    const asked = api.requests.length;
    for (const path of ['/api/stream', '/api/v1/stream']) {
      const head = await fetch(`${web.url}${path}?symbols=IBM&candles=1m`, { method: 'HEAD' });
      expect([head.status, head.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    }
    expect(api.requests.length).toBe(asked);
  });

  it('V8 requests that no page can answer are refused without noise', async () => {
    const lines: string[] = [];
    const quiet = await startPage(api.url, (line) => lines.push(line));
    try {
      expect(await rawStatus(quiet.url, 'TRACE', '/api/v1/symbols')).toBe(405);
      expect(await rawStatus(quiet.url, 'TRACE', '/')).toBe(405);
      expect(await rawStatus(quiet.url, 'DELETE', '/')).toBe(405);
      expect(await rawStatus(quiet.url, 'GET', '*')).toBe(400);
      expect(await rawStatus(quiet.url, 'OPTIONS', '*')).toBe(400);
      expect(await rawStatus(quiet.url, 'GET', 'http://[')).toBe(400);
      for (const path of ['//', '/%', '/%00', '/api/v1/%', '/api/v1//x', '/?%', '/_next/image?url=x'])
        expect([path, (await rawStatus(quiet.url, 'GET', path)) < 500]).toEqual([path, true]);
      expect(lines).toEqual([]);
    } finally {
      await quiet.stop();
    }
  });

  it('V8 passes status and body of the JSON API on, and nothing but GET', async () => {
    const good = await fetch(`${web.url}/api/v1/candles?symbol=IBM&interval=1m&limit=3`);
    expect([good.status, ((await good.json()) as { candles: unknown[] }).candles.length]).toEqual([200, 3]);
    const missing = await fetch(`${web.url}/api/v1/nothing`);
    expect([missing.status, await missing.json()]).toEqual([
      404,
      { error: { code: 'NOT_FOUND', message: 'no such path' } },
    ]);
    expect((await fetch(`${web.url}/api/v1/symbols`, { method: 'POST' })).status).toBe(405);
  });

  it('V8 what is not JSON, or lies outside /v1/, does not pass', async () => {
    const page = await fetch(`${web.url}/api/v1/page`);
    expect([page.status, await page.json()]).toMatchObject([502, { error: { code: 'API_ANSWER_INVALID' } }]);
    for (const path of ['%2e%2e/metrics', '..%2fmetrics', '%2e%2e%2fmetrics', '%252e%252e/metrics']) {
      const { status } = await fetch(`${web.url}/api/v1/${path}`);
      expect([path, status]).toEqual([path, 404]);
    }
    expect(api.requests.filter((request) => !request.startsWith('/v1/'))).toEqual([]);
  });

  it('V5 an API that is down is a stream that ends, because EventSource survives nothing else; JSON says 502', async () => {
    await api.stop();
    const stream = await fetch(`${web.url}/api/stream?symbols=IBM&candles=1m`);
    expect(stream.status).toBe(200);
    expect(stream.headers.get('content-type')).toContain('text/event-stream');
    expect(await stream.text()).toMatch(/^retry: [123]\d{3}\n/);
    const json = await fetch(`${web.url}/api/v1/symbols`);
    expect([json.status, await json.json()]).toMatchObject([
      502,
      { error: { code: 'API_UNREACHABLE', fix: expect.stringContaining('ticker start') } },
    ]);
    await api.restart();
  });

  it('W every page has its own nonce, on every script, and may not be framed', async () => {
    const pages = await Promise.all([fetch(web.url), fetch(web.url)]);
    const nonces = pages.map(
      ({ headers }) => /script-src 'self' 'nonce-([^']+)'/.exec(headers.get('content-security-policy') ?? '')?.[1],
    );
    expect(new Set(nonces).size).toBe(2);
    const html = (await pages[0]?.text()) ?? '';
    const scripts = html.match(/<script\b[^>]*>/g) ?? [];
    expect(scripts.length).toBeGreaterThan(3);
    expect(scripts.filter((script) => !script.includes(`nonce="${nonces[0]}"`))).toEqual([]);
    expect(html).not.toMatch(/ style="/);
    expect(pages[0]?.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(pages[0]?.headers.get('x-content-type-options')).toBe('nosniff');
    expect(pages[0]?.headers.get('referrer-policy')).toBe('no-referrer');
  });
});

describe('D10 the process of the page', () => {
  it('D10 a taken port is named, with the setting that changes it', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    const start = startWeb({
      port,
      host: '127.0.0.1',
      apiUrl: 'http://127.0.0.1:9',
      clock: systemClock,
      onLine: () => {},
    });
    await expect(start).rejects.toMatchObject({
      code: 'PORT_TAKEN',
      message: expect.stringContaining('TICKER_WEB_PORT'),
    });
    other.close();
  });

  it('V5 stopping ends open streams instead of waiting for their readers', async () => {
    const api = await startFakeApi({ symbols: ['IBM'], simulated: true });
    const web = await startPage(api.url);
    const stream = await fetch(`${web.url}/api/stream?symbols=IBM&candles=1m`);
    const startMs = systemClock.monotonicMs();
    await web.stop();
    expect(systemClock.monotonicMs() - startMs).toBeLessThan(1_500);
    await expect(stream.text()).rejects.toThrow();
    await expect(fetch(web.url)).rejects.toThrow();
    await api.stop();
  });

  it.for([0, 50, 100, 150, 300, 'ready'] as const)(
    'D10 a parent killed %s (ms) after the child appeared leaves no orphan',
    async (moment) => {
      const script = `
        const { fork } = require('node:child_process');
        const child = fork(${JSON.stringify(SERVER)}, { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
        console.log(child.pid);
        child.on('message', ({ kind }) => console.log(kind));
      `;
      const parent = spawn(process.execPath, ['-e', script], {
        env: { ...process.env, NODE_ENV: 'production', TICKER_WEB_PORT: '0' },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let output = '';
      parent.stdout.on('data', (chunk: Buffer) => {
        output += chunk.toString();
      });
      await until(
        () => output,
        (text) => text.includes(moment === 'ready' ? 'ready' : '\n'),
      );
      const child = Number.parseInt(output, 10);
      expect(isAlive(child)).toBe(true);
      if (moment !== 'ready') await systemClock.sleep(moment);
      parent.kill('SIGKILL');
      try {
        await until(
          () => isAlive(child),
          (alive) => !alive,
        );
      } finally {
        if (isAlive(child)) process.kill(child, 'SIGKILL');
      }
    },
  );

  it('D10 a start that is called off ends the child and says why', async () => {
    const stop = new AbortController();
    const lines: string[] = [];
    const start = startWeb({
      port: 0,
      host: '127.0.0.1',
      apiUrl: 'http://127.0.0.1:9',
      clock: systemClock,
      onLine: (line) => lines.push(line),
      signal: stop.signal,
    });
    const child = await until(childOfThis, (pid) => pid !== undefined);
    stop.abort(new Error('called off'));
    await expect(start).rejects.toThrow('called off');
    expect(child !== undefined && isAlive(child)).toBe(false);
    expect(lines).toEqual([]);
  });
});

const SERVER = fileURLToPath(new URL('../../web/server.mjs', import.meta.url));

/** For what fetch refuses to send. */
function rawStatus(url: string, method: string, path: string): Promise<number> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    request({ hostname, port, method, path }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .on('error', reject)
      .end();
  });
}

/** Also of a zombie whose parent does not wait for it: that one is dead. */
function isAlive(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout.trim() !== '' && !stdout.startsWith('Z');
}

/** The process of a page that this one has started. */
function childOfThis(): number | undefined {
  const { stdout } = spawnSync('ps', ['-o', 'pid=,args=', '--ppid', String(process.pid)], { encoding: 'utf8' });
  const line = stdout.split('\n').find((text) => text.includes(SERVER));
  return line === undefined ? undefined : Number.parseInt(line, 10);
}
