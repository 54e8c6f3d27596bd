import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, type Hash } from 'node:crypto';
import { link, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Clock } from '../core/clock.ts';
import { TickerError } from '../core/errors.ts';

export interface WebBuildOptions {
  /** The Next.js project: web/. */
  readonly webDir: string;
  /** Folders outside it that the page imports from. */
  readonly sharedDirs: readonly string[];
  readonly clock: Clock;
  /** One line of progress for the terminal. */
  readonly onLine: (line: string) => void;
  /** Ends the builder and whatever it has started, or the wait for another one. */
  readonly signal?: AbortSignal;
}

/**
 * Builds the page unless the build that is there came from the same sources. Of two processes one builds and the other
 * waits for it. Throws WEB_UNAVAILABLE with the last lines of the build, or the reason of the signal.
 */
export async function ensureWebBuilt(options: WebBuildOptions): Promise<void> {
  const hash = await hashSources(options);
  if (await isBuilt(options.webDir, hash)) return;
  const release = await acquireLock(options, () => isBuilt(options.webDir, hash));
  if (release === undefined) return;
  try {
    if (await isBuilt(options.webDir, hash)) return;
    await rm(stampPath(options.webDir), { force: true });
    await build(options);
    await writeFile(stampPath(options.webDir), JSON.stringify({ hash }));
  } finally {
    await release();
  }
}

function stampPath(webDir: string): string {
  return join(webDir, '.next', 'ticker-build.json');
}

/** A stamp that is missing, half-written or of other sources means the same: build. */
async function isBuilt(webDir: string, hash: string): Promise<boolean> {
  const stamp = await readIfThere(stampPath(webDir));
  return stamp === JSON.stringify({ hash });
}

/** The sources by path and content, and the version of Next that turns them into a page. */
async function hashSources({ webDir, sharedDirs }: WebBuildOptions): Promise<string> {
  const hash = createHash('sha256').update(await readFile(nextPath(webDir, 'package.json')));
  for (const dir of [webDir, ...sharedDirs]) await hashFolder(hash, dir);
  return hash.digest('hex');
}

/** What is made from the sources, or beside them, is none of them. */
const NOT_SOURCES = /^(node_modules|\.next|next-env\.d\.ts|.*\.tsbuildinfo)$/;

async function hashFolder(hash: Hash, dir: string): Promise<void> {
  const entries = await readdir(dir, { withFileTypes: true });
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    if (NOT_SOURCES.test(entry.name)) continue;
    const path = join(dir, entry.name);
    hash.update(`${entry.name}\0`);
    if (entry.isDirectory()) await hashFolder(hash, path);
    else hash.update(await readFile(path)).update('\0');
  }
}

function nextPath(webDir: string, path: string): string {
  try {
    return createRequire(join(webDir, 'package.json')).resolve(`next/${path}`);
  } catch (cause) {
    throw new TickerError('WEB_UNAVAILABLE', 'Next.js, which serves the page, is not installed; run `npm ci`', {
      cause,
    });
  }
}

const PROGRESS_MS = 2_000;
const BUILD_MAX_MS = 10 * 60_000;
const OUTPUT_LINES_MAX = 40;

async function build({ webDir, clock, onLine, signal }: WebBuildOptions): Promise<void> {
  const startMs = clock.monotonicMs();
  const elapsed = (): string => `${Math.round((clock.monotonicMs() - startMs) / 1_000)} s`;
  onLine('building the page (first start only) ..');
  const child = spawn(process.execPath, [nextPath(webDir, 'dist/bin/next'), 'build'], {
    cwd: webDir,
    env: { ...process.env, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1', NEXT_IGNORE_INCORRECT_LOCKFILE: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, so that its helpers end with it.
    detached: true,
  });
  const outcome = outcomeOf(child);
  // The builder outlives this process if that is killed: the lock is held for as long as either lives.
  await writeFile(lockPath(webDir), `${process.pid} ${child.pid ?? ''}`);
  const kill = (): void => killGroup(child);
  process.once('exit', kill);
  signal?.addEventListener('abort', kill, { once: true });
  if (signal?.aborted === true) kill();
  const cancelDeadline = clock.setTimer(BUILD_MAX_MS, kill);
  let cancelProgress = (): void => {};
  const progress = (): void => {
    cancelProgress = clock.setTimer(PROGRESS_MS, () => {
      onLine(`building the page (first start only) .. ${elapsed()}`);
      progress();
    });
  };
  progress();
  const { code, output } = await outcome;
  cancelProgress();
  cancelDeadline();
  process.off('exit', kill);
  signal?.removeEventListener('abort', kill);
  signal?.throwIfAborted();
  if (code !== 0) throw new TickerError('WEB_UNAVAILABLE', `the page did not build (${code}):\n${output.join('\n')}`);
  onLine(`built the page in ${elapsed()}`);
}

/** Of a child that leads its group. That it is gone already is as good. */
function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ESRCH') throw cause;
  }
}

/** How the child ended, and the last lines it wrote. */
function outcomeOf(child: ChildProcess): Promise<{ code: number | string; output: readonly string[] }> {
  const output: string[] = [];
  const keep = (chunk: Buffer): void => {
    output.push(
      ...chunk
        .toString()
        .split('\n')
        .filter((line) => line.trim() !== ''),
    );
    output.splice(0, output.length - OUTPUT_LINES_MAX);
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ code: error.message, output }));
    child.once('close', (code, signal) => resolve({ code: code ?? signal ?? 'unknown', output }));
  });
}

const LOCK_POLL_MS = 250;
const LOCK_SETTLE_MS = 50;
const LOCK_WAIT_MAX_MS = BUILD_MAX_MS;

/** In the one folder that a build leaves in place. Next has a lock of its own behind it, which fails instead of waiting. */
function lockPath(webDir: string): string {
  return join(webDir, '.next', 'cache', 'ticker-build.lock');
}

/**
 * The right to build, as a file that names the process and its builder; undefined when `done` came true while waiting.
 * A lock whose processes are all gone is void, but a builder that outlived its killed parent still counts.
 */
async function acquireLock(
  { webDir, clock, onLine, signal }: WebBuildOptions,
  done: () => Promise<boolean>,
): Promise<(() => Promise<void>) | undefined> {
  const path = lockPath(webDir);
  await mkdir(dirname(path), { recursive: true });
  const deadlineMs = clock.monotonicMs() + LOCK_WAIT_MAX_MS;
  let told = false;
  while (clock.monotonicMs() < deadlineMs) {
    signal?.throwIfAborted();
    if (await takeLock(path, clock)) return () => rm(path, { force: true });
    if (await done()) return undefined;
    const holder = await readIfThere(path);
    if (holder !== undefined && !holder.split(' ').some(isAlive)) {
      await rm(path, { force: true });
      continue;
    }
    if (!told) onLine('waiting for another process that builds the page ..');
    told = true;
    await clock.sleep(LOCK_POLL_MS, signal);
  }
  throw new TickerError(
    'WEB_UNAVAILABLE',
    `another process has been building the page for too long; its lock is ${path}`,
  );
}

/** Tells the drafts of one process apart. */
let attempts = 0;

/** Two processes that remove the same void lock could remove each other's fresh one: look again before believing. */
async function takeLock(path: string, clock: Clock): Promise<boolean> {
  const mine = String(process.pid);
  const draft = `${path}.${mine}.${attempts++}`;
  await writeFile(draft, mine);
  try {
    // A link appears with its content, so nobody can find an empty lock and take it for void.
    await link(draft, path);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw cause;
  } finally {
    await rm(draft, { force: true });
  }
  await clock.sleep(LOCK_SETTLE_MS);
  return (await readIfThere(path)) === mine;
}

function isAlive(pid: string): boolean {
  if (!/^\d+$/.test(pid)) return false;
  try {
    return process.kill(Number(pid), 0);
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw cause;
  }
}
