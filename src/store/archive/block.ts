import { crc32 } from 'node:zlib';
import { assert } from '../../core/errors.ts';
import { US_PER_HOUR } from '../../core/interval.ts';
import type { Tick } from '../../core/tick.ts';
import { ByteReader, ByteWriter, damaged } from './bytes.ts';
import {
  readDecimals,
  readDifferences,
  readIds,
  readRuns,
  readTexts,
  readUnits,
  writeDecimals,
  writeDifferences,
  writeIds,
  writeRuns,
  writeTexts,
  writeUnits,
} from './column.ts';

/** Ticks of one instrument in one UTC hour, in some order, each with the time it was ingested (docs/spec/schema.md). */
export interface Block {
  readonly hourStartUs: number;
  readonly ticks: readonly Tick[];
  /** Unix milliseconds, one for each tick. */
  readonly ingestMs: readonly number[];
}

/** SCHEMA-7: column by column, ids first. At least one tick; all of one symbol and one hour. */
export function encodeBlock(block: Block): Uint8Array {
  const { ticks, hourStartUs } = block;
  const symbol = ticks[0]?.symbol;
  assert(symbol !== undefined, 'a block holds at least one tick');
  for (const tick of ticks) {
    assert(tick.symbol === symbol && hourOf(tick.tsUs) === hourStartUs, 'a block holds ticks of one symbol and hour');
  }
  const writer = new ByteWriter(64 + ticks.length * 16);
  writer.byte(VERSION);
  writer.signed(hourStartUs / US_PER_HOUR);
  writer.varint(ticks.length);
  writeIds(
    writer,
    ticks.map((tick) => tick.id),
  );
  writeDifferences(
    writer,
    ticks.map((tick) => tick.tsUs - hourStartUs),
  );
  writeRuns(writer, ticks, (tick) => tick.ns);
  writeUnits(
    writer,
    ticks.map((tick) => tick.seq),
  );
  writeDecimals(
    writer,
    ticks.map((tick) => tick.price),
  );
  writeDecimals(
    writer,
    ticks.map((tick) => tick.size),
  );
  writeTexts(
    writer,
    ticks.map((tick) => tick.exchange),
  );
  writeTexts(
    writer,
    ticks.map((tick) => tick.conditions),
  );
  writeTexts(
    writer,
    ticks.map((tick) => tick.side),
  );
  writeRuns(writer, block.ingestMs, (ms) => ms);
  writer.text(symbol);
  writer.uint32(crc32(writer.view()));
  return writer.finish();
}

/** SCHEMA-6: everything, or STORE_UNUSABLE. */
export function decodeBlock(bytes: Uint8Array): Block {
  const { reader, hourStartUs, count } = openBlock(bytes);
  const ids = readIds(reader, count);
  const offsetsUs = readDifferences(reader, count);
  const ns = readRuns(reader, count);
  const seq = readUnits(reader, count);
  const price = readDecimals(reader, count);
  const size = readDecimals(reader, count);
  const exchange = readTexts(reader, count);
  const conditions = readTexts(reader, count);
  const side = readTexts(reader, count);
  const ingestMs = readRuns(reader, count);
  const symbol = reader.text();
  reader.end();
  const ticks = ids.map((id, i) => ({
    symbol,
    tsUs: hourStartUs + (offsetsUs[i] as number),
    ns: ns[i] as number,
    seq: seq[i] as Tick['seq'],
    id,
    price: price[i] as Tick['price'],
    size: size[i] as Tick['size'],
    exchange: exchange[i] as string,
    conditions: conditions[i] as string,
    side: sideOf(side[i] as string),
  }));
  if (ticks.some((tick) => hourOf(tick.tsUs) !== hourStartUs)) throw damaged('a tick lies outside its hour');
  return { hourStartUs, ticks, ingestMs };
}

/** The ids alone, in the order of the ticks. */
export function blockIds(bytes: Uint8Array): string[] {
  const { reader, count } = openBlock(bytes);
  return readIds(reader, count);
}

/** Start of the UTC hour that holds `tsUs`: the scope of a trade's id (IDS-9) and of a block. */
export function hourOf(tsUs: number): number {
  return Math.floor(tsUs / US_PER_HOUR) * US_PER_HOUR;
}

const VERSION = 1;
const CHECKSUM_BYTES = 4;

function openBlock(bytes: Uint8Array): { reader: ByteReader; hourStartUs: number; count: number } {
  if (bytes.length <= CHECKSUM_BYTES) throw damaged('a block is cut short');
  const body = bytes.subarray(0, -CHECKSUM_BYTES);
  if (new ByteReader(bytes, body.length).uint32() !== crc32(body)) throw damaged('the checksum of a block is wrong');
  const reader = new ByteReader(body);
  const version = reader.byte();
  if (version !== VERSION) throw damaged(`a block of version ${version}`);
  const hourStartUs = reader.signed() * US_PER_HOUR;
  if (!Number.isSafeInteger(hourStartUs)) throw damaged('an hour is out of range');
  return { reader, hourStartUs, count: reader.count() };
}

function sideOf(text: string): Tick['side'] {
  if (text === '' || text === 'buy' || text === 'sell') return text;
  throw damaged(`a side is '${text}'`);
}
