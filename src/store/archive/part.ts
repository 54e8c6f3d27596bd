import { crc32 } from 'node:zlib';
import { US_PER_HOUR } from '../../core/interval.ts';
import type { Tick } from '../../core/tick.ts';
import type { ArchivedTick } from '../store.ts';
import { blockIds, decodeBlock, encodeBlock, hourOf } from './block.ts';
import { ByteReader, ByteWriter, damaged } from './bytes.ts';

/** The ticks of one flush as bytes: a header, a directory, and a block for each instrument and hour (D6). */
export interface PartBlock {
  readonly instrumentId: number;
  readonly hourStartUs: number;
  /** Where the block is in the part. */
  readonly offsetBytes: number;
  readonly sizeBytes: number;
}

export interface DecodedPart {
  /** Grouped by instrument and hour, within a group in the order they were given. */
  readonly ticks: ArchivedTick[];
  /** Unix milliseconds. */
  readonly ingestMs: number;
}

/** Lossless (SCHEMA-7); more than 1.5 million ticks a second. The result owns its buffer. */
export function encodePart(ticks: readonly ArchivedTick[], ingestMs: number): Uint8Array {
  const header = new ByteWriter();
  header.append(MAGIC);
  header.byte(VERSION);
  header.signed(ingestMs);
  const groups = groupByHour(ticks);
  header.varint(groups.length);
  const blocks = groups.map((group) => {
    const block = encodeBlock({
      hourStartUs: group.hourStartUs,
      ticks: group.ticks,
      ingestMs: new Array<number>(group.ticks.length).fill(ingestMs),
    });
    header.varint(group.instrumentId);
    header.signed(group.hourStartUs / US_PER_HOUR);
    header.varint(block.length);
    return block;
  });
  header.uint32(crc32(header.view()));
  for (const block of blocks) header.append(block);
  return header.finish();
}

/** SCHEMA-6: all ticks, or STORE_UNUSABLE. */
export function decodePart(bytes: Uint8Array): DecodedPart {
  const { ingestMs, blocks } = readHeader(bytes);
  const ticks: ArchivedTick[] = [];
  for (const { instrumentId, hourStartUs, offsetBytes, sizeBytes } of blocks) {
    const block = decodeBlock(bytes.subarray(offsetBytes, offsetBytes + sizeBytes));
    if (block.hourStartUs !== hourStartUs) throw damaged('a block is not of the hour the directory names');
    for (const tick of block.ticks) ticks.push({ instrumentId, tick });
  }
  return { ticks, ingestMs };
}

/** The directory: what a store indexes a part by. */
export function partBlocks(bytes: Uint8Array): PartBlock[] {
  return readHeader(bytes).blocks;
}

/** Trade ids of one instrument and hour, without decoding other columns; empty when the part has none. */
export function partIds(bytes: Uint8Array, instrumentId: number, hourStartUs: number): string[] {
  return partBlocks(bytes)
    .filter((block) => block.instrumentId === instrumentId && block.hourStartUs === hourStartUs)
    .flatMap(({ offsetBytes, sizeBytes }) => blockIds(bytes.subarray(offsetBytes, offsetBytes + sizeBytes)));
}

/** "TKP" */
const MAGIC = Uint8Array.of(0x54, 0x4b, 0x50);
const VERSION = 1;

interface Group {
  readonly instrumentId: number;
  readonly hourStartUs: number;
  readonly ticks: Tick[];
}

function groupByHour(ticks: readonly ArchivedTick[]): Group[] {
  const groups: Group[] = [];
  const byInstrument = new Map<number, Map<number, Group>>();
  let current: Group | undefined;
  for (const { instrumentId, tick } of ticks) {
    const hourStartUs = hourOf(tick.tsUs);
    if (current?.instrumentId !== instrumentId || current.hourStartUs !== hourStartUs) {
      let hours = byInstrument.get(instrumentId);
      if (hours === undefined) byInstrument.set(instrumentId, (hours = new Map()));
      current = hours.get(hourStartUs);
      if (current === undefined) {
        current = { instrumentId, hourStartUs, ticks: [] };
        hours.set(hourStartUs, current);
        groups.push(current);
      }
    }
    current.ticks.push(tick);
  }
  return groups;
}

function readHeader(bytes: Uint8Array): { ingestMs: number; blocks: PartBlock[] } {
  const reader = new ByteReader(bytes);
  for (const expected of MAGIC) if (reader.byte() !== expected) throw damaged('it does not begin like a part');
  const version = reader.byte();
  if (version !== VERSION) throw damaged(`a part of version ${version}`);
  const ingestMs = reader.signed();
  const entries = Array.from({ length: reader.count() }, () => ({
    instrumentId: reader.varint(),
    hourStartUs: reader.signed() * US_PER_HOUR,
    sizeBytes: reader.varint(),
  }));
  const headerBytes = reader.position;
  if (reader.uint32() !== crc32(bytes.subarray(0, headerBytes))) throw damaged('the checksum of a header is wrong');
  let offsetBytes = reader.position;
  const blocks = entries.map((entry) => {
    const block = { ...entry, offsetBytes };
    offsetBytes += entry.sizeBytes;
    return block;
  });
  if (offsetBytes !== bytes.length) throw damaged('the blocks do not fill it');
  return { ingestMs, blocks };
}
