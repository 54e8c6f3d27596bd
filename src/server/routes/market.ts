import type { FastifyInstance } from 'fastify';
import { viewCandle } from '../../core/candle.ts';
import { TickerError } from '../../core/errors.ts';
import { bucketEndUs, US_PER_MS } from '../../core/interval.ts';
import { formatStreamId } from '../../core/stream-id.ts';
import { shardOfSymbol } from '../../core/symbol.ts';
import type { Market } from '../../live/index.ts';
import type { Store } from '../../store/index.ts';
import { CANDLES_LIMIT_DEFAULT, candlesQuery, parseQuery } from './query.ts';

export interface MarketRoutesOptions {
  readonly store: Store;
  readonly market: Market;
  readonly shards: number;
}

/** What is known of the market: symbols and stored candles. */
export function marketRoutes(app: FastifyInstance, { store, market, shards }: MarketRoutesOptions): void {
  app.get('/v1/symbols', async () => {
    const symbols = market.symbols();
    return { simulated: symbols.some((symbol) => symbol.simulated), symbols };
  });

  app.get('/v1/candles', async (request) => {
    const query = parseQuery(candlesQuery, request.query);
    const instrument = market.instrument(query.symbol);
    if (instrument === undefined)
      throw new TickerError('SYMBOL_UNKNOWN', `no trades of ${query.symbol} are stored`, {
        details: { symbol: query.symbol },
      });
    const shard = shardOfSymbol(query.symbol, shards);
    const snapshot = await store.readCandles({
      instrumentId: instrument.instrumentId,
      shard,
      interval: query.interval,
      limit: query.limit ?? CANDLES_LIMIT_DEFAULT,
      ...(query.from === undefined ? {} : { fromUs: query.from * US_PER_MS }),
      ...(query.to === undefined ? {} : { toUs: query.to * US_PER_MS }),
    });
    return {
      symbol: query.symbol,
      interval: query.interval,
      simulated: instrument.simulated,
      shard,
      commitNo: snapshot.commitNo,
      through: snapshot.through ? formatStreamId(snapshot.through) : null,
      candles: snapshot.rows.map((row) => {
        const closed = bucketEndUs(row.interval, row.startUs) <= snapshot.closedThroughUs;
        return viewCandle(row, {
          symbol: query.symbol,
          simulated: instrument.simulated,
          state: closed ? 'closed' : 'open',
        });
      }),
    };
  });
}
