import { formatDecimal, parseDecimal, parseUnits } from '../core/decimal.ts';
import { err, ok, type Result } from '../core/result.ts';
import { formatStreamId, parseStreamId } from '../core/stream-id.ts';
import { type Tick, type TickRules, validateTick } from '../core/tick.ts';
import type { StreamEntry } from './entry.ts';
import { decodeLegacyTick } from './legacy-tick.ts';
import type { RawEntry } from './reply.ts';

/**
 * The `fields` codec: one tick an entry, flat text fields, readable by anything (D2). The table of fields stands in
 * docs/spec/stream.md.
 */
export function encodeTick(tick: Tick, simulated: boolean): string[] {
  const fields = ['k', 't', 's', tick.symbol, 'p', formatDecimal(tick.price), 'q', formatDecimal(tick.size)];
  fields.push('ts', String(tick.tsUs), 'id', tick.id);
  if (tick.ns !== 0) fields.push('ns', String(tick.ns));
  if (tick.seq !== 0) fields.push('sq', String(tick.seq));
  if (tick.exchange !== '') fields.push('x', tick.exchange);
  if (tick.conditions !== '') fields.push('c', tick.conditions);
  if (tick.side !== '') fields.push('sd', tick.side);
  if (simulated) fields.push('sim', '1');
  return fields;
}

export function encodeWatermark(watermarkUs: number, source: string, sourceCursor: string): string[] {
  return ['k', 'w', 'wm', String(watermarkUs), 'src', source, 'sc', sourceCursor];
}

export function encodeGap(gap: { symbols: readonly string[]; fromUs: number; toUs: number; reason: string }): string[] {
  return ['k', 'g', 'sy', gap.symbols.join(','), 'from', String(gap.fromUs), 'to', String(gap.toUs), 'why', gap.reason];
}

/** Instruments that quote at or below zero are admitted where the source says so (F1). */
export interface DecodeRules {
  readonly allowNonPositivePrice?: boolean;
}

/** Total: whatever stands in the stream becomes one of the kinds, and what cannot be read is malformed (STREAM-1). */
export function decodeEntry(raw: RawEntry, rules: DecodeRules = {}): StreamEntry {
  const { id, fields } = raw;
  if (fields === undefined) return { kind: 'malformed', id, ingestMs: 0, reason: 'payload was trimmed', trimmed: true };
  const ingestMs = parseWhole(fields.get('i')) ?? 0;
  const decoded = decodeFields({ id, ingestMs }, fields, rules);
  return decoded.ok ? decoded.value : { kind: 'malformed', id, ingestMs, reason: decoded.error, trimmed: false };
}

export type Fields = ReadonlyMap<string, string>;
type Decoded = Result<StreamEntry, string>;
type Place = Pick<StreamEntry, 'id' | 'ingestMs'>;

function decodeFields(place: Place, fields: Fields, rules: DecodeRules): Decoded {
  const kind = fields.get('k');
  switch (kind) {
    case 't':
      return decodeTick(place, fields, rules);
    case 'b':
      return decodeBarrier(place, fields);
    case 'g':
      return decodeGap(place, fields);
    case 'w':
      return decodeWatermark(place, fields);
    case undefined:
      return checkTick(place, decodeLegacyTick(formatStreamId(place.id), fields), rules, false);
    default:
      return err(`k: unknown kind '${kind.slice(0, 16)}'`);
  }
}

function decodeTick(place: Place, fields: Fields, rules: DecodeRules): Decoded {
  const simulated = fields.get('sim') ?? '';
  if (simulated !== '' && simulated !== '1') return err('sim: is not 1');
  return checkTick(place, readTick(fields), rules, simulated === '1');
}

function readTick(fields: Fields): Result<Tick, string> {
  const symbol = fields.get('s');
  if (symbol === undefined) return err('s: is missing');
  const price = parseDecimal(fields.get('p') ?? '');
  if (price === undefined) return err('p: is missing or not a number');
  const size = parseDecimal(fields.get('q') ?? '');
  if (size === undefined) return err('q: is missing or not a number');
  const tsUs = parseWhole(fields.get('ts'));
  if (tsUs === undefined) return err('ts: is missing or not a whole number of microseconds');
  const ns = parseWhole(fields.get('ns') ?? '0');
  if (ns === undefined) return err('ns: is not a whole number');
  const seq = parseUnits(fields.get('sq') ?? '0');
  if (seq === undefined) return err('sq: is not a whole number');
  const side = fields.get('sd') ?? '';
  if (side !== '' && side !== 'buy' && side !== 'sell') return err('sd: is neither buy nor sell');
  const id = fields.get('id') ?? '';
  return ok({
    symbol,
    tsUs,
    ns,
    seq,
    id,
    price,
    size,
    exchange: fields.get('x') ?? '',
    conditions: fields.get('c') ?? '',
    side,
  });
}

function checkTick(place: Place, read: Result<Tick, string>, rules: DecodeRules, simulated: boolean): Decoded {
  if (!read.ok) return read;
  const tickRules: TickRules = {
    allowNonPositivePrice: rules.allowNonPositivePrice ?? false,
    // The guard against the future belongs to the feed: a reader's own clock must not decide what an entry is.
    tsMaxUs: Number.MAX_SAFE_INTEGER,
  };
  const checked = validateTick(read.value, tickRules);
  if (!checked.ok) return err(`${checked.error.field}: ${checked.error.reason}`);
  return ok({ kind: 'tick', id: place.id, ingestMs: place.ingestMs, tick: checked.value, simulated });
}

function decodeBarrier(place: Place, fields: Fields): Decoded {
  const term = parseWhole(fields.get('term'));
  if (term === undefined) return err('term: is missing or not a whole number');
  const text = fields.get('prev') ?? '';
  if (text === 'none') return ok({ kind: 'barrier', ...place, prev: undefined, term });
  const prev = parseStreamId(text);
  return prev === undefined ? err('prev: is missing or not an id') : ok({ kind: 'barrier', ...place, prev, term });
}

function decodeGap(place: Place, fields: Fields): Decoded {
  const fromUs = parseWhole(fields.get('from'));
  const toUs = parseWhole(fields.get('to'));
  if (fromUs === undefined || toUs === undefined) return err('from, to: are missing or not whole numbers');
  const symbols = (fields.get('sy') ?? '').split(',').filter((symbol) => symbol !== '');
  return ok({ kind: 'gap', ...place, symbols, fromUs, toUs, reason: fields.get('why') ?? '' });
}

function decodeWatermark(place: Place, fields: Fields): Decoded {
  const watermarkUs = parseWhole(fields.get('wm'));
  if (watermarkUs === undefined) return err('wm: is missing or not a whole number');
  return ok({
    kind: 'watermark',
    ...place,
    watermarkUs,
    source: fields.get('src') ?? '',
    sourceCursor: fields.get('sc'),
  });
}

/** A safe integer, or undefined. */
function parseWhole(text: string | undefined): number | undefined {
  if (text === undefined || !/^-?\d{1,16}$/.test(text)) return undefined;
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : undefined;
}
