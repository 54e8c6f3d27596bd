// Serves the built page: `node server.mjs`, or as a child of `ticker start` (src/server/web.ts). Next's own `next start`
// waits for ever on an open stream when it is told to stop; this one ends the streams, which their readers resume.
import { createServer } from 'node:http';

// D10: the channel closes with the parent, however it died, and then nothing may keep the port. First of all, because a
// parent can be gone before this file is read: its end was then told to nobody.
process.on('disconnect', () => process.exit(0));
if (process.send && !process.connected) process.exit(0);

const port = Number(process.env.TICKER_WEB_PORT || 3000);
const hostname = process.env.TICKER_HOST || '127.0.0.1';
/** Running answers may finish for this long. */
const DRAIN_MS = 2_000;
/** The page only reads. Next answers some others with an error and a stack. */
const METHODS = ['GET', 'HEAD', 'OPTIONS'];

/** @type {Set<import('node:http').ServerResponse>} */
const running = new Set();

// Take the port first: that it is taken should be known before Next is loaded. Requests wait for it.
const prepared = prepare();
const server = createServer((request, response) => {
  running.add(response);
  response.on('close', () => running.delete(response));
  const status = refusal(request);
  if (status !== undefined) return response.writeHead(status, { allow: METHODS.join(', ') }).end();
  prepared
    .then((handle) => handle(request, response))
    .catch((error) => {
      process.stderr.write(`${request.method} ${request.url}: ${error?.stack ?? error}\n`);
      response.destroy();
    });
});

server.on('error', (error) => stop({ kind: 'failed', code: error.code ?? 'UNKNOWN', message: error.message }));
server.listen(port, hostname, () => {
  prepared.then(
    () => report({ kind: 'ready', port: server.address().port }),
    (error) => stop({ kind: 'failed', code: 'PREPARE', message: String(error?.stack ?? error) }),
  );
});

process.once('SIGTERM', drain);
// Ctrl-C reaches the whole group: with a parent it is the parent that decides, in its own order.
process.on('SIGINT', () => (process.send ? undefined : drain()));

async function prepare() {
  const { default: next } = await import('next');
  const app = next({ dev: false, dir: import.meta.dirname, hostname, port, quiet: true });
  await app.prepare();
  return app.getRequestHandler();
}

/**
 * The status of a request that Next must not see; undefined for all others.
 * @param {import('node:http').IncomingMessage} request
 */
function refusal({ method, url }) {
  if (!METHODS.includes(method)) return 405;
  if (!url.startsWith('/')) return 400;
  try {
    decodeURIComponent(url.split('?', 1)[0]);
    return undefined;
  } catch {
    return 400;
  }
}

function drain() {
  server.close(() => process.exit(0));
  server.closeIdleConnections();
  for (const response of running) {
    const type = response.getHeader('content-type');
    if (typeof type === 'string' && type.startsWith('text/event-stream')) response.destroy();
  }
  setTimeout(() => process.exit(0), DRAIN_MS).unref();
}

/** @param {object} message */
function report(message) {
  if (process.send) process.send(message);
}

/** Leaves, once the parent has the message. @param {object} message */
function stop(message) {
  if (process.send) return process.send(message, () => process.exit(1));
  process.stderr.write(`${JSON.stringify(message)}\n`);
  return process.exit(1);
}
