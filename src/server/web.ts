import { type ChildProcess, fork } from 'node:child_process';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Clock } from '../core/clock.ts';
import { TickerError } from '../core/errors.ts';
import { ensureWebBuilt } from './web-build.ts';

export interface WebOptions {
  /** 0 takes a free port. */
  readonly port: number;
  readonly host: string;
  /** Where the page's server finds the API, e.g. http://127.0.0.1:4400. */
  readonly apiUrl: string;
  readonly clock: Clock;
  /** One line for the terminal: progress of the build, and what the page's server has to say. */
  readonly onLine: (line: string) => void;
  /** Calls the build and the start off; a page that is served is ended by `stop`. */
  readonly signal?: AbortSignal;
}

export interface WebServer {
  readonly url: string;
  readonly pid: number;
  /** Ends the live streams (their readers resume), lets running answers finish, and resolves when the process is gone. */
  stop(): Promise<void>;
}

/**
 * Serves the page from a process of its own, which dies with this one however it dies (D10). Builds it the first time.
 * Throws PORT_TAKEN, WEB_UNAVAILABLE, and the reason of the signal, after builder or child have ended.
 */
export async function startWeb(options: WebOptions): Promise<WebServer> {
  await requireFreePort(options);
  await ensureWebBuilt({ ...options, webDir: WEB_DIR, sharedDirs: [CORE_DIR] });
  options.signal?.throwIfAborted();
  const child = fork(`${WEB_DIR}server.mjs`, {
    env: {
      ...process.env,
      NODE_ENV: 'production',
      NEXT_TELEMETRY_DISABLED: '1',
      TICKER_WEB_PORT: String(options.port),
      TICKER_HOST: options.host,
      TICKER_API_URL: options.apiUrl,
    },
    execArgv: [],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const exited = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(String(code ?? signal)));
  });
  child.stderr?.on('data', (chunk: Buffer) => options.onLine(`page: ${chunk.toString().trimEnd()}`));
  const port = await started(child, exited, options);

  let stopping = false;
  void exited.then((how) => {
    if (!stopping) options.onLine(`page: its server stopped (${how}); restart to have it back`);
  });
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  return {
    url: `http://${host}:${port}`,
    pid: child.pid ?? 0,
    async stop() {
      stopping = true;
      child.kill('SIGTERM');
      const cancelKill = options.clock.setTimer(STOP_MAX_MS, () => child.kill('SIGKILL'));
      await exited;
      cancelKill();
    },
  };
}

/** From src/ and from dist/ alike. The shared sources are src/ in both: the page is built from them. */
const WEB_DIR = fileURLToPath(new URL('../../web/', import.meta.url));
const CORE_DIR = fileURLToPath(new URL('../../src/core/', import.meta.url));

const START_MAX_MS = 30_000;
/** Longer than the drain of web/server.mjs. */
const STOP_MAX_MS = 5_000;

/** What web/server.mjs reports over the channel. */
type Report =
  | { readonly kind: 'ready'; readonly port: number }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string };

const LATE: Report = { kind: 'failed', code: 'LATE', message: `it was not ready after ${START_MAX_MS} ms` };
const CALLED_OFF: Report = { kind: 'failed', code: 'CALLED_OFF', message: 'it was called off' };

/** The port it listens on, or the reason why it does not. */
async function started(child: ChildProcess, exited: Promise<string>, options: WebOptions): Promise<number> {
  const kill = (): void => void child.kill('SIGKILL');
  options.signal?.addEventListener('abort', kill, { once: true });
  let cancelDeadline = (): void => {};
  const report = await Promise.race([
    new Promise<Report>((resolve) => child.once('message', (message) => resolve(message as Report))),
    exited.then((how): Report => ({ kind: 'failed', code: 'EXIT', message: `it exited (${how})` })),
    new Promise<Report>((resolve) => {
      cancelDeadline = options.clock.setTimer(START_MAX_MS, () => resolve(LATE));
    }),
  ]);
  cancelDeadline();
  options.signal?.removeEventListener('abort', kill);
  // It may have become ready in the moment in which it was called off.
  const outcome = options.signal?.aborted === true ? CALLED_OFF : report;
  if (outcome.kind === 'ready') return outcome.port;
  kill();
  await exited;
  options.signal?.throwIfAborted();
  if (outcome.code === 'EADDRINUSE') throw portTaken(options);
  throw new TickerError('WEB_UNAVAILABLE', `the server of the page did not start: ${outcome.message}`);
}

/** Asked before the page is built, so that nobody waits for a build to hear of it. */
function requireFreePort(options: WebOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'EADDRINUSE' ? portTaken(options) : error),
    );
    probe.listen(options.port, options.host, () => probe.close(() => resolve()));
  });
}

function portTaken({ port, host }: WebOptions): TickerError {
  const message = `port ${port} on ${host} is taken by another process; choose another with TICKER_WEB_PORT or --web-port`;
  return new TickerError('PORT_TAKEN', message, { details: { port, setting: 'TICKER_WEB_PORT' } });
}
