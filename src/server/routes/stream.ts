import type { ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { TickerError } from '../../core/errors.ts';
import { encodePreamble, type Hub, type LiveSocket, type Market, SSE_HEADERS } from '../../live/index.ts';
import { parseQuery, streamQuery } from './query.ts';

export interface StreamRoutesOptions {
  readonly hub: Hub;
  readonly market: Market;
}

/** `GET /v1/stream?symbols=A,B&candles=1m` (V1): snapshot, then ticks, candles and heartbeats as server-sent events. */
export function streamRoutes(app: FastifyInstance, { hub, market }: StreamRoutesOptions): void {
  app.get('/v1/stream', { exposeHeadRoute: false }, (request, reply) => {
    const query = parseQuery(streamQuery, request.query);
    const unknown = query.symbols.find((symbol) => !market.has(symbol));
    if (unknown !== undefined)
      throw new TickerError('SYMBOL_UNKNOWN', `no trades of ${unknown} are stored`, { details: { symbol: unknown } });
    const header = request.headers['last-event-id'];
    const cursor = (typeof header === 'string' && header !== '' ? header : undefined) ?? query.cursor;
    reply.hijack();
    const response = reply.raw;
    response.writeHead(200, SSE_HEADERS);
    const outcome = hub.attach({
      socket: socketOf(response),
      symbols: query.symbols,
      intervals: query.candles,
      cursor,
    });
    if (outcome.kind === 'busy') {
      // A 5xx would close a native EventSource for ever (V5).
      response.end(encodePreamble(outcome.retryMs));
      return;
    }
    response.on('close', () => hub.detach(outcome.connection));
  });
}

function socketOf(response: ServerResponse): LiveSocket {
  response.on('error', () => response.destroy());
  return {
    write: (chunk) => void response.write(chunk),
    bufferedBytes: () => response.writableLength,
    // A comment that has left tells that all before it has; 'drain' never comes to a buffer below its high water mark.
    onceDrained: (listener) => void response.write(':\n\n', () => listener()),
    end: () => void response.end(),
  };
}
