import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CandleView } from '../../src/core/candle.ts';
import { bucketEndUs, bucketStartUs, type Interval, isInterval } from '../../src/core/interval.ts';

/**
 * The contract of docs/http.md with made-up data and no clock: nothing moves until a test says `trade`. It can go away
 * and come back on its port, and remembers what it was asked.
 */
export interface FakeApi {
  readonly url: string;
  /** Path and query of every request since the start. */
  readonly requests: readonly string[];
  /** Headers of the newest request. */
  readonly lastHeaders: IncomingHttpHeaders;
  /** Readers of the stream. */
  readonly readers: number;
  /** One trade: the last price and the newest candle of every interval move. */
  trade(symbol: string, price: string): void;
  heartbeat(feedState: string): void;
  /** Answers every request for candles with this error until told otherwise. */
  failCandles(fault: { code: string; message: string; fix: string } | undefined): void;
  stop(): Promise<void>;
  restart(): Promise<void>;
}

export interface FakeApiOptions {
  readonly symbols: readonly string[];
  readonly simulated: boolean;
  /** Those among `symbols` that are real although the rest is simulated. */
  readonly real?: readonly string[];
  /** Those whose last trade was on 10 Oct 2013. */
  readonly old?: readonly string[];
  /** Candles of every interval; 2500 unless told. */
  readonly candles?: number;
}

const NOW_MS = Date.UTC(2026, 0, 15, 14, 30, 20);
const OLD_MS = Date.UTC(2013, 9, 10, 19, 59, 59);
const HISTORY_CANDLES = 2_500;
const CANDLES_DEFAULT = 500;

export async function startFakeApi(options: FakeApiOptions): Promise<FakeApi> {
  const requests: string[] = [];
  const readers = new Map<ServerResponse, readonly string[]>();
  const last = new Map<string, string>(options.symbols.map((symbol, index) => [symbol, `${100 + index * 10}.25`]));
  let trades = 0;
  let lastHeaders: IncomingHttpHeaders = {};
  let fault: object | undefined;
  let server: Server = createServer();

  const isSimulated = (symbol: string): boolean => options.simulated && !(options.real ?? []).includes(symbol);
  const market = () => ({
    simulated: options.simulated,
    symbols: options.symbols.map((symbol) => ({
      ...symbolView(symbol, last.get(symbol) ?? '0', isSimulated(symbol)),
      lastTsMs: (options.old?.includes(symbol) === true ? OLD_MS : NOW_MS) + trades,
    })),
  });
  const newest = (symbol: string, interval: Interval): CandleView => {
    const close = last.get(symbol) ?? '0';
    const candle = candleAt(symbol, interval, 0, isSimulated(symbol));
    const high = String(Math.max(Number(candle.high), Number(close)));
    const low = String(Math.min(Number(candle.low), Number(close)));
    return { ...candle, close, high, low, trades: 7 + trades, revision: 10 + trades, state: 'open' };
  };
  const send = (event: string, data: (interval: Interval) => object): void => {
    for (const [reader, intervals] of readers) {
      for (const interval of intervals.filter(isInterval)) reader.write(encode(event, data(interval), trades));
    }
  };

  const open = async (port: number): Promise<void> => {
    server = createServer((request, response) => {
      const url = new URL(request.url ?? '/', 'http://fake');
      lastHeaders = request.headers;
      requests.push(url.pathname + url.search);
      if (url.pathname === '/v1/symbols') return json(response, 200, market());
      if (url.pathname === '/v1/candles') {
        const symbol = url.searchParams.get('symbol') ?? '';
        if (!last.has(symbol)) return json(response, 404, unknownSymbol(symbol));
        if (fault !== undefined) return json(response, 500, { error: fault });
        return json(
          response,
          200,
          candlesAnswer(url.searchParams, options.candles ?? HISTORY_CANDLES, newest, isSimulated),
        );
      }
      if (url.pathname === '/v1/page') return response.writeHead(200, { 'content-type': 'text/html' }).end('<p>');
      if (url.pathname !== '/v1/stream')
        return json(response, 404, { error: { code: 'NOT_FOUND', message: 'no such path' } });
      const intervals = (url.searchParams.get('candles') ?? '').split(',');
      const symbols = (url.searchParams.get('symbols') ?? '').split(',');
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache, no-transform' });
      const candles = symbols.flatMap((symbol) =>
        intervals.filter(isInterval).map((interval) => newest(symbol, interval)),
      );
      const snapshot = { verdict: 'fresh', serverTimeMs: NOW_MS, ...market(), candles };
      response.write(`retry: 200\n: ok\n\n${encode('snapshot', snapshot, trades)}`);
      readers.set(response, intervals);
      response.on('close', () => readers.delete(response));
    });
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  };
  const close = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  };

  await open(0);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    get lastHeaders() {
      return lastHeaders;
    },
    get readers() {
      return readers.size;
    },
    trade(symbol, price) {
      trades++;
      last.set(symbol, price);
      const tick = {
        symbol,
        tsMs: (options.old?.includes(symbol) === true ? OLD_MS : NOW_MS) + trades,
        price,
        size: '5',
        id: String(trades),
        simulated: isSimulated(symbol),
      };
      send('ticks', () => ({ ticks: [tick] }));
      send('candles', (interval) => ({ candles: [newest(symbol, interval)] }));
    },
    heartbeat: (state) => send('heartbeat', () => ({ serverTimeMs: NOW_MS, feed: { state, lastTickMs: NOW_MS } })),
    failCandles(next) {
      fault = next;
    },
    stop: close,
    restart: () => open(port),
  };
}

function symbolView(symbol: string, last: string, simulated: boolean) {
  return {
    symbol,
    source: simulated ? 'simulated' : 'file',
    simulated,
    priceDigits: 2,
    sizeDigits: 0,
    last,
    previousClose: '99.75',
    change: (Number(last) - 99.75).toFixed(2),
    changePercent: (((Number(last) - 99.75) / 99.75) * 100).toFixed(2),
  };
}

/** The candle `back` buckets before the newest: a wave, so that there are rising and falling ones. */
function candleAt(symbol: string, interval: Interval, back: number, simulated: boolean): CandleView {
  let startUs = bucketStartUs(interval, NOW_MS * 1_000);
  const lengthUs = bucketEndUs(interval, startUs) - startUs;
  startUs = bucketStartUs(interval, startUs - back * lengthUs);
  const middle = 120 + 15 * Math.sin(back / 40) + 4 * Math.sin(back / 7);
  const open = middle + Math.sin(back * 1.7);
  const close = middle + Math.sin(back * 2.3);
  return {
    symbol,
    interval,
    startMs: startUs / 1_000,
    open: open.toFixed(2),
    high: (Math.max(open, close) + 0.4).toFixed(2),
    low: (Math.min(open, close) - 0.4).toFixed(2),
    close: close.toFixed(2),
    volume: String(500 + (back % 37) * 20),
    trades: 7,
    quoteVolume: '12345.67',
    vwap: middle.toFixed(6),
    simulated,
    state: 'closed',
    revision: 1,
  };
}

function candlesAnswer(
  query: URLSearchParams,
  count: number,
  newest: (symbol: string, interval: Interval) => CandleView,
  isSimulated: (symbol: string) => boolean,
) {
  const symbol = query.get('symbol') ?? '';
  const interval = query.get('interval') ?? '';
  const simulated = isSimulated(symbol);
  if (!isInterval(interval)) throw new Error(`the page asked for interval '${interval}'`);
  const toMs = Number(query.get('to') ?? Number.MAX_SAFE_INTEGER);
  const limit = Number(query.get('limit') ?? CANDLES_DEFAULT);
  const byStart = new Map<number, CandleView>();
  for (let back = count - 1; back > 0; back--) {
    const candle = candleAt(symbol, interval, back, simulated);
    byStart.set(candle.startMs, candle);
  }
  const last = newest(symbol, interval);
  byStart.set(last.startMs, last);
  const candles = [...byStart.values()].filter((candle) => candle.startMs < toMs).slice(-limit);
  return { symbol, interval, simulated, shard: 0, commitNo: 1, through: '1-1', candles };
}

function unknownSymbol(symbol: string) {
  return { error: { code: 'SYMBOL_UNKNOWN', message: `no trades of ${symbol} are stored`, fix: 'GET /v1/symbols' } };
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function encode(event: string, data: object, id: number): string {
  return `event: ${event}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`;
}
