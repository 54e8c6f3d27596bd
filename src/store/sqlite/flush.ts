import { assert } from '../../core/errors.ts';
import { widestDigits } from '../../core/instrument.ts';
import { encodePart } from '../archive/index.ts';
import { type ArchivedTick, FLUSH_CANDLES_MAX, FLUSH_TICKS_MAX, type Flush } from '../store.ts';
import type { EncodedFlush, InstrumentDigits } from './operations.ts';
import { appendCandle } from './record.ts';

/** A flush as it crosses to the worker: the encoding is done here, so that the thread of the database only writes. */
export function encodeFlush(flush: Flush): EncodedFlush {
  assert(flush.candles.length <= FLUSH_CANDLES_MAX, `a flush has at most ${FLUSH_CANDLES_MAX} candles`);
  assert(flush.ticks.length <= FLUSH_TICKS_MAX, `a flush has at most ${FLUSH_TICKS_MAX} ticks`);
  const candles: (string | number)[] = [];
  for (const candle of flush.candles) appendCandle(candles, candle);
  return {
    shard: flush.shard,
    ownerTerm: flush.ownerTerm,
    candles,
    part: flush.ticks.length === 0 ? undefined : encodePart(flush.ticks, flush.ingestMs),
    digits: digitsOf(flush.ticks),
    checkpoint: flush.checkpoint,
    closedThrough: flush.closedThrough ?? [],
  };
}

function digitsOf(ticks: readonly ArchivedTick[]): InstrumentDigits[] {
  const widest = new Map<number, { instrumentId: number; priceDigits: number; sizeDigits: number }>();
  for (const { instrumentId, tick } of ticks) {
    let digits = widest.get(instrumentId);
    if (digits === undefined) widest.set(instrumentId, (digits = { instrumentId, priceDigits: 0, sizeDigits: 0 }));
    digits.priceDigits = widestDigits(digits.priceDigits, tick.price);
    digits.sizeDigits = widestDigits(digits.sizeDigits, tick.size);
  }
  return [...widest.values()];
}
