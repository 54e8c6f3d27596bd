import { viewCandle } from '../core/candle.ts';
import { bucketEndUs, INTERVALS } from '../core/interval.ts';
import type { Market } from '../live/index.ts';
import type { Store } from '../store/index.ts';

/** Brings the present of the market up to what is stored: instruments, and the newest candle of each interval. */
export async function loadMarket(store: Store, market: Market): Promise<void> {
  const instruments = new Map((await store.instruments()).map((instrument) => [instrument.instrumentId, instrument]));
  for (const instrument of instruments.values()) market.setInstrument(instrument);
  const { watermarkUs } = await store.shard(0);
  for (const interval of INTERVALS) {
    for (const { row, previousClose } of await store.latestCandles(interval)) {
      const instrument = instruments.get(row.instrumentId);
      if (instrument === undefined) continue;
      const closed = bucketEndUs(interval, row.startUs) <= Math.max(watermarkUs, instrument.closedThroughUs);
      market.applyCandle(
        viewCandle(row, {
          symbol: instrument.symbol,
          simulated: instrument.simulated,
          state: closed ? 'closed' : 'open',
        }),
        previousClose,
      );
    }
  }
}
