import type { Socket } from 'node:net';
import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import { ERRORS, type ErrorCode, TickerError } from '../core/errors.ts';
import type { Logger } from './log.ts';
import type { Metrics } from './metrics.ts';
import { type MarketRoutesOptions, marketRoutes } from './routes/market.ts';
import { type OperationsRoutesOptions, operationsRoutes } from './routes/operations.ts';
import { type StreamRoutesOptions, streamRoutes } from './routes/stream.ts';

/** The HTTP edge (docs/http.md): thin routes; every failure is `{error: {code, message, fix}}` with its status. */
export interface HttpServer {
  /** Where it listens, e.g. http://127.0.0.1:4400. */
  readonly url: string;
  readonly port: number;
  /** Stops accepting, ends idle connections, waits for running answers. */
  close(): Promise<void>;
}

export interface HttpOptions extends MarketRoutesOptions, OperationsRoutesOptions, StreamRoutesOptions {
  readonly host: string;
  readonly port: number;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** Longest URL and body anyone needs here; a request beyond it is refused before it is read. */
const URL_LENGTH_MAX = 16_384;
const BODY_MAX_BYTES = 16_384;
const REQUEST_TIMEOUT_MS = 30_000;

export async function startHttp(options: HttpOptions): Promise<HttpServer> {
  const app = createApp(options);
  try {
    await app.listen({ host: options.host, port: options.port });
  } catch (error) {
    throw listenFault(error, options);
  }
  const address = app.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : options.port;
  return {
    port,
    url: `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${port}`,
    close: () => app.close(),
  };
}

/** Why nothing listens, in terms of the setting that changes it. */
function listenFault(cause: unknown, { host, port }: HttpOptions): unknown {
  const { code } = cause as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') {
    const message = `port ${port} on ${host} is taken by another process; choose another with TICKER_HTTP_PORT or --http-port`;
    return new TickerError('PORT_TAKEN', message, { cause, details: { port, setting: 'TICKER_HTTP_PORT' } });
  }
  if (code === 'ENOTFOUND' || code === 'EADDRNOTAVAIL' || code === 'EAI_AGAIN') {
    const message = `TICKER_HOST: "${host}" is not an address of this machine`;
    return new TickerError('SETTING_INVALID', message, { cause, details: { setting: 'TICKER_HOST' } });
  }
  if (code === 'EACCES') {
    const message = `TICKER_HTTP_PORT: port ${port} needs rights this user does not have; choose one above 1023`;
    return new TickerError('SETTING_INVALID', message, { cause, details: { setting: 'TICKER_HTTP_PORT' } });
  }
  return cause;
}

/** The application without a socket, for tests to inject requests into. */
export function createApp(options: HttpOptions): FastifyInstance {
  const app = Fastify({
    bodyLimit: BODY_MAX_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    forceCloseConnections: true,
    routerOptions: { maxParamLength: URL_LENGTH_MAX },
    // What never reaches a route is answered in the same shape.
    clientErrorHandler: (error, socket) => refuseUnparsable(error, socket),
    frameworkErrors: (error, _request, reply) => void sendError(reply, 'REQUEST_INVALID', error.message, {}, 400),
  });
  // Nothing here takes a body: whatever comes is dropped, so that the method can be answered and not the body.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, body, done) => {
    body.resume();
    done(null);
  });
  app.addHook('onSend', async (_request, reply) => {
    reply.header('x-content-type-options', 'nosniff');
  });
  app.addHook('onResponse', async (request, reply) => {
    options.metrics.add('ticker_http_requests_total', 1, {
      route: request.routeOptions.url ?? 'unknown',
      status: String(reply.statusCode),
    });
  });
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?')[0] ?? '';
    if (request.method !== 'GET' && app.hasRoute({ method: 'GET', url: path })) {
      reply.header('allow', 'GET');
      return sendError(reply, 'METHOD_NOT_ALLOWED', `${path} is read with GET, not ${request.method}`);
    }
    return sendError(reply, 'NOT_FOUND', `${path.slice(0, 200)} does not exist`);
  });
  app.setErrorHandler((error, request, reply) => {
    if (error instanceof TickerError) return sendError(reply, error.code, error.message, error.details);
    const status = (error as { statusCode?: number }).statusCode ?? 500;
    if (status < 500) return sendError(reply, 'REQUEST_INVALID', (error as Error).message, {}, status);
    options.log.error({ err: error, requestId: request.id }, 'request failed');
    return sendError(reply, 'INTERNAL', `unexpected failure in request ${request.id}`);
  });
  operationsRoutes(app, options);
  marketRoutes(app, options);
  streamRoutes(app, options);
  return app;
}

function sendError(
  reply: FastifyReply,
  code: ErrorCode,
  message: string,
  details: object = {},
  status: number = ERRORS[code].httpStatus,
): FastifyReply {
  return reply.status(status).send({ error: { code, message, fix: ERRORS[code].fix, ...details } });
}

/** A request that is not HTTP, or has headers beyond all measure. */
function refuseUnparsable(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const { fix } = ERRORS.REQUEST_INVALID;
  const tooLarge = error.code === 'HPE_HEADER_OVERFLOW';
  const message = tooLarge ? 'the headers are too large' : 'the request is not HTTP';
  const body = JSON.stringify({ error: { code: 'REQUEST_INVALID', message, fix } });
  const status = tooLarge ? '431 Request Header Fields Too Large' : '400 Bad Request';
  socket.end(
    `HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
