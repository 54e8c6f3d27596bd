import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import { ensureWebBuilt, type WebBuildOptions } from '../../../src/server/web-build.ts';

/** Stands for `next build`: keeps a list of its runs, and fails if the page says so. */
const BUILDER = `
  const { appendFileSync, readFileSync } = require('node:fs');
  appendFileSync('.next/cache/runs', 'run\\n');
  console.log('compiling');
  if (readFileSync('page.tsx', 'utf8') === 'endless') {
    const helper = require('node:child_process').spawn('sleep', ['1000'], { stdio: 'inherit' });
    require('node:fs').writeFileSync('.next/cache/pids', process.pid + ' ' + helper.pid);
    setInterval(() => {}, 1000);
  }
  if (readFileSync('page.tsx', 'utf8') === 'broken') { console.error('page.tsx: broken'); process.exit(1); }
`;

describe('W the build of the page', () => {
  let webDir: string;
  let lines: string[];

  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(webDir, path)), { recursive: true });
    await writeFile(join(webDir, path), text);
  };
  const build = (over: Pick<WebBuildOptions, 'signal'> = {}) =>
    ensureWebBuilt({ webDir, sharedDirs: [], clock: systemClock, onLine: (line) => lines.push(line), ...over });
  const pidsOfEndless = async (): Promise<readonly number[]> => {
    const deadlineMs = systemClock.monotonicMs() + 10_000;
    for (;;) {
      const pids = await readFile(join(webDir, '.next/cache/pids'), 'utf8').catch(() => '');
      if (/^\d+ \d+$/.test(pids)) return pids.split(' ').map(Number);
      if (systemClock.monotonicMs() > deadlineMs) throw new Error('the build did not start');
      await systemClock.sleep(20);
    }
  };
  const runs = async () => (await readFile(join(webDir, '.next/cache/runs'), 'utf8')).split('\n').length - 1;

  beforeEach(async () => {
    lines = [];
    webDir = await mkdtemp(join(tmpdir(), 'ticker-web-'));
    await write('package.json', '{}');
    await write('page.tsx', 'one');
    await write('node_modules/next/package.json', '{"name":"next","version":"0.0.0"}');
    await write('node_modules/next/dist/bin/next', BUILDER);
  });
  afterEach(() => rm(webDir, { recursive: true }));

  it('W builds once, and again only when a source has changed', async () => {
    await build();
    await build();
    expect(await runs()).toBe(1);
    expect(lines[0]).toBe('building the page (first start only) ..');
    expect(lines.at(-1)).toMatch(/^built the page in \d+ s$/);
    await write('page.tsx', 'two');
    await build();
    expect(await runs()).toBe(2);
  });

  it('W of several at once one builds and the others wait', async () => {
    await Promise.all([build(), build(), build()]);
    expect(await runs()).toBe(1);
    expect(lines.some((line) => line.startsWith('waiting'))).toBe(true);
  });

  it('W the lock of a process that was killed is void', async () => {
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    await write('.next/cache/ticker-build.lock', `${pid} ${pid}`);
    await build();
    expect(await runs()).toBe(1);
  });

  it('W a failed build says why, leaves no stamp and no lock, and is tried again', async () => {
    await write('page.tsx', 'broken');
    await expect(build()).rejects.toMatchObject({
      code: 'WEB_UNAVAILABLE',
      message: expect.stringContaining('page.tsx: broken'),
    });
    await expect(build()).rejects.toMatchObject({ code: 'WEB_UNAVAILABLE' });
    expect(await runs()).toBe(2);
    await write('page.tsx', 'mended');
    await build();
    expect(await runs()).toBe(3);
  });

  it('D10 a build that is called off ends with its helpers, leaves no lock, and says why', async () => {
    await write('page.tsx', 'endless');
    const stop = new AbortController();
    const running = build({ signal: stop.signal });
    const pids = await pidsOfEndless();
    expect(pids.map(isAlive)).toEqual([true, true]);
    const both = Promise.allSettled([running, build({ signal: stop.signal })]);
    const reason = new Error('called off');
    stop.abort(reason);
    expect(await both).toEqual([
      { status: 'rejected', reason },
      { status: 'rejected', reason },
    ]);
    expect(pids.map(isAlive)).toEqual([false, false]);
    await write('page.tsx', 'mended');
    await build();
    expect(await runs()).toBe(2);
    await write('page.tsx', 'another');
    await expect(build({ signal: stop.signal })).rejects.toThrow('called off');
    expect(await runs()).toBe(2);
  });

  it('W without Next.js the message says what to install', async () => {
    await rm(join(webDir, 'node_modules'), { recursive: true });
    await expect(build()).rejects.toMatchObject({
      code: 'WEB_UNAVAILABLE',
      message: expect.stringContaining('npm ci'),
    });
  });
});

/** A zombie whose new parent has not waited for it yet is dead, too. */
function isAlive(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout.trim() !== '' && !stdout.startsWith('Z');
}
