import { formatDecimal } from '../core/decimal.ts';
import { assert, TickerError } from '../core/errors.ts';
import { type Tick, type TickRules, validateTick } from '../core/tick.ts';
import { encodeGap, encodeTick, encodeWatermark } from './codec.ts';
import type { PublishEntry } from './entry.ts';
import { BATCH_BYTES_MAX, BATCH_ENTRIES_MAX, BATCH_TICKS_MAX, GAP_SYMBOLS_MAX, TEXT_LENGTH_MAX } from './limits.ts';

/** A batch as the publish script takes it: encoded once, so that it can be sent again byte for byte (FENCE-11). */
export interface Batch {
  readonly count: number;
  readonly sourceCursor: string;
  /** Per entry: channel, message, number of field arguments, the field arguments. */
  readonly args: readonly string[];
}

export interface BatchOptions {
  readonly announce?: { readonly channelPrefix: string } | undefined;
  readonly simulated?: boolean;
  readonly allowNonPositivePrice?: boolean;
}

/** Checks every entry before the first one is written (F1, STREAM-16). @throws TICK_INVALID */
export function encodeBatch(entries: readonly PublishEntry[], sourceCursor: string, options: BatchOptions): Batch {
  const ticks = entries.filter(({ kind }) => kind === 'tick').length;
  assert(entries.length > 0, 'a batch has at least one entry');
  assert(
    entries.length <= BATCH_ENTRIES_MAX,
    `a batch has at most ${BATCH_ENTRIES_MAX} entries, this one ${entries.length}`,
  );
  assert(ticks <= BATCH_TICKS_MAX, `a batch has at most ${BATCH_TICKS_MAX} ticks, this one ${ticks}`);
  const args: string[] = [];
  for (const entry of entries) {
    const fields = encodeEntry(entry, sourceCursor, options);
    const { channel, message } = announcement(entry, options);
    args.push(channel, message, String(fields.length), ...fields);
  }
  let sizeBytes = sourceCursor.length;
  for (const arg of args) sizeBytes += arg.length;
  assert(sizeBytes <= BATCH_BYTES_MAX, `a batch has at most ${BATCH_BYTES_MAX} bytes, this one ${sizeBytes}`);
  return { count: entries.length, sourceCursor, args };
}

function encodeEntry(entry: PublishEntry, sourceCursor: string, options: BatchOptions): string[] {
  switch (entry.kind) {
    case 'tick':
      return encodeTick(checked(entry.tick, options), options.simulated ?? false);
    case 'watermark':
      return encodeWatermark(entry.watermarkUs, entry.source, sourceCursor);
    case 'gap':
      assert(entry.symbols.length <= GAP_SYMBOLS_MAX, `a gap names at most ${GAP_SYMBOLS_MAX} symbols`);
      return encodeGap({ ...entry, reason: entry.reason.slice(0, TEXT_LENGTH_MAX) });
  }
}

function checked(tick: Tick, options: BatchOptions): Tick {
  const rules: TickRules = {
    allowNonPositivePrice: options.allowNonPositivePrice ?? false,
    // The guard against the future is the feed's: it knows the unit and the clock of its source.
    tsMaxUs: Number.MAX_SAFE_INTEGER,
  };
  const result = validateTick(tick, rules);
  if (result.ok) return result.value;
  const { field, reason } = result.error;
  const which = `tick '${tick.id.slice(0, 40)}' of '${tick.symbol.slice(0, 48)}'`;
  throw new TickerError('TICK_INVALID', `${which}: ${field} ${reason}`, { details: { field, reason } });
}

function announcement(
  entry: PublishEntry,
  { announce, simulated }: BatchOptions,
): { channel: string; message: string } {
  if (announce === undefined || entry.kind !== 'tick') return { channel: '', message: '' };
  const { symbol, tsUs, price, size, id } = entry.tick;
  const message = {
    symbol,
    tsUs,
    price: formatDecimal(price),
    size: formatDecimal(size),
    id,
    simulated: simulated ?? false,
  };
  return { channel: announce.channelPrefix + symbol, message: JSON.stringify(message) };
}
