import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Drives the built command from outside: nothing of src/ is imported here. */
export const ROOT = join(import.meta.dirname, '..', '..');
export const MAIN = join(ROOT, 'dist', 'cli', 'main.js');

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const RUN_TIMEOUT_MS = 60_000;

/** Runs a command to its end. */
export function ticker(
  args: readonly string[],
  options: { cwd?: string; input?: string | Buffer; env?: Record<string, string> } = {},
): Finished {
  const run = spawnSync(process.execPath, [MAIN, ...args], {
    cwd: options.cwd,
    input: options.input ?? '',
    env: { ...process.env, ...options.env },
    encoding: 'utf8',
    timeout: RUN_TIMEOUT_MS,
    maxBuffer: 512 * 1024 * 1024,
  });
  return { code: run.status, stdout: run.stdout, stderr: run.stderr };
}

export interface Running {
  readonly process: ChildProcess;
  readonly stderr: () => string;
  /** The API, as printed. */
  readonly api: string;
  readonly web: string | undefined;
  /** Sends a signal and waits for the end. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

const START_TIMEOUT_MS = 90_000;

/** Starts a server and waits until it prints its address. Rejects with what it said when it ends before that. */
export function start(args: readonly string[], env: Record<string, string> = {}): Promise<Running> {
  const child = spawn(process.execPath, [MAIN, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, ...env },
  });
  let stderr = '';
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  return new Promise((resolve, reject) => {
    const deadline = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`not started within ${START_TIMEOUT_MS} ms:\n${stderr}`));
    }, START_TIMEOUT_MS);
    void exited.then((code) => {
      clearTimeout(deadline);
      reject(new Error(`ended with ${code}:\n${stderr}`));
    });
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
      const api = /API: +(http:\/\/[^/\s]+)/.exec(stderr)?.[1];
      if (api === undefined || !stderr.includes('Ctrl-C')) return;
      clearTimeout(deadline);
      const web = /live: +(http:\/\/\S+)/.exec(stderr)?.[1];
      const end = async (signal: NodeJS.Signals): Promise<number | null> => {
        child.kill(signal);
        return exited;
      };
      resolve({ process: child, stderr: () => stderr, api, web, end });
    });
  });
}

/** Starts a command and signals it, whatever it is doing by then. null: the signal came before Node could hear it. */
export async function endAfter(
  args: readonly string[],
  signal: NodeJS.Signals,
  delayMs: number,
  env: Record<string, string> = {},
): Promise<number | null> {
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: 'ignore', env: { ...process.env, ...env } });
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  await new Promise((resolve) => setTimeout(resolve, delayMs));
  child.kill(signal);
  return exited;
}

export function tempDir(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'ticker-e2e-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** A port nobody listens on now. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

/** Polls a condition; the deadline turns a hang into a failure that names it. */
export async function eventually<T>(
  what: string,
  probe: () => Promise<T | undefined> | T | undefined,
  deadlineMs = 30_000,
): Promise<T> {
  const endMs = Date.now() + deadlineMs;
  for (;;) {
    const value = await probe();
    if (value !== undefined && value !== false) return value;
    if (Date.now() > endMs) throw new Error(`not within ${deadlineMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/** Only what the trades determine (D1): two stores with equal trades have equal dumps. */
export function dumpStore(store: string, args: readonly string[] = []): string {
  const { stdout, stderr, code } = ticker(['candles', '--store', store, ...args]);
  if (code !== 0) throw new Error(stderr);
  return stdout.replace(/^(\{.*?"trades":\d+).*$/gm, '$1}');
}
