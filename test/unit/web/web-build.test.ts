import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import { ensureWebBuilt } from '../../../src/server/web-build.ts';

/** Stands for `next build`: keeps a list of its runs, and fails if the page says so. */
const BUILDER = `
  const { appendFileSync, readFileSync } = require('node:fs');
  appendFileSync('.next/cache/runs', 'run\\n');
  console.log('compiling');
  if (readFileSync('page.tsx', 'utf8') === 'broken') { console.error('page.tsx: broken'); process.exit(1); }
`;

describe('W the build of the page', () => {
  let webDir: string;
  let lines: string[];

  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(webDir, path)), { recursive: true });
    await writeFile(join(webDir, path), text);
  };
  const build = () =>
    ensureWebBuilt({ webDir, sharedDirs: [], clock: systemClock, onLine: (line) => lines.push(line) });
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

  it('W without Next.js the message says what to install', async () => {
    await rm(join(webDir, 'node_modules'), { recursive: true });
    await expect(build()).rejects.toMatchObject({
      code: 'WEB_UNAVAILABLE',
      message: expect.stringContaining('npm ci'),
    });
  });
});
