import { get, type IncomingMessage } from 'node:http';
import fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMarket, type Hub, type LiveSocket } from '../../../src/live/index.ts';
import { streamRoutes } from '../../../src/server/routes/stream.ts';

let app: FastifyInstance;
let socket: LiveSocket | undefined;
let response: IncomingMessage | undefined;

/** A hub that only takes the socket. */
const hub: Hub = {
  connections: 0,
  attach(request) {
    socket = request.socket;
    socket.write(': ok\n\n');
    const nothing = (): void => undefined;
    const subscription = { symbols: new Set<string>(), intervals: new Set<string>(), key: '' };
    const connection = {
      subscription,
      overflowed: false,
      deliver: nothing,
      send: nothing,
      goLive: nothing,
      end: nothing,
    };
    return { kind: 'attached', connection };
  },
  detach: () => undefined,
  run: async () => undefined,
};

beforeEach(async () => {
  socket = undefined;
  const market = createMarket();
  const ibm = { instrumentId: 1, symbol: 'IBM', source: 'file', simulated: false, closedThroughUs: 0 };
  market.setInstrument({ ...ibm, priceDigits: 2, sizeDigits: 0 });
  app = fastify({ forceCloseConnections: true });
  streamRoutes(app, { hub, market });
  const address = await app.listen({ host: '127.0.0.1', port: 0 });
  get(`${address}/v1/stream?symbols=IBM`, (incoming) => {
    response = incoming;
    incoming.pause();
  });
  await expect.poll(() => response !== undefined && socket !== undefined, { timeout: 10_000 }).toBe(true);
});

afterEach(async () => {
  response?.destroy();
  response = undefined;
  await app.close();
});

describe('the socket of an event stream', () => {
  it('LIVE-9 V4 tells when all that was buffered has left, and not before', async () => {
    let drained = false;
    // The system takes some megabytes before anything stays with us.
    for (let turns = 0; turns < 10; turns++) {
      if (socket?.bufferedBytes() === 0) {
        socket.write('x'.repeat(1_000_000));
        turns = 0;
      }
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
    socket?.onceDrained(() => (drained = true));
    for (let turns = 0; turns < 10; turns++) await new Promise<void>((resolve) => setImmediate(resolve));
    expect(drained).toBe(false);
    response?.resume();
    await expect.poll(() => drained, { timeout: 10_000 }).toBe(true);
    await expect.poll(() => socket?.bufferedBytes(), { timeout: 10_000 }).toBe(0);
  });

  it('LIVE-9 V3 tells it too when little was buffered', async () => {
    let drained = false;
    socket?.write('a few bytes');
    socket?.onceDrained(() => (drained = true));
    await expect.poll(() => drained, { timeout: 10_000 }).toBe(true);
  });
});
