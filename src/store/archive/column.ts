import { type Decimal, rescale, type Units } from '../../core/decimal.ts';
import { type ByteReader, type ByteWriter, damaged, fitsSigned } from './bytes.ts';

/**
 * The columns of a block. Each writer takes the values of all ticks, each reader returns as many as it is told.
 * Values that are nearly sorted or nearly constant cost a byte or nothing.
 */

/** Ids: differences when all are canonical integers, else each as the length it shares with the last one and its rest. */
export function writeIds(writer: ByteWriter, ids: readonly string[]): void {
  const numbers = canonicalIntegers(ids);
  writer.byte(numbers === undefined ? TEXT_IDS : INTEGER_IDS);
  if (numbers !== undefined) return writeDifferences(writer, numbers);
  let last = '';
  for (const id of ids) {
    const shared = sharedLength(last, id);
    writer.varint(shared);
    writer.text(id, shared);
    last = id;
  }
}

export function readIds(reader: ByteReader, count: number): string[] {
  const kind = reader.byte();
  if (kind === INTEGER_IDS) return Array.from(readDifferences(reader, count), String);
  if (kind !== TEXT_IDS) throw damaged(`ids of kind ${kind}`);
  const ids: string[] = [];
  let last = '';
  for (let i = 0; i < count; i++) {
    const shared = reader.varint();
    if (shared > last.length) throw damaged('an id shares more than there is');
    last = last.slice(0, shared) + reader.text();
    if (last.length > STORED_ID_LENGTH_MAX) throw damaged('an id is too long');
    ids.push(last);
  }
  return ids;
}

/** Whole numbers of any width. */
export function writeUnits(writer: ByteWriter, values: readonly Units[]): void {
  if (areNarrow(values)) {
    writer.byte(NARROW);
    return writeDifferences(writer, values);
  }
  writer.byte(WIDE);
  for (const value of values) writer.wide(value);
}

export function readUnits(reader: ByteReader, count: number): ArrayLike<Units> {
  const kind = reader.byte();
  if (kind === NARROW) return readDifferences(reader, count);
  if (kind !== WIDE) throw damaged(`integers of kind ${kind}`);
  return Array.from({ length: count }, () => reader.wide());
}

/** Decimals, decimal places kept: units at the most places of the block, so that neighbours differ little. */
export function writeDecimals(writer: ByteWriter, values: readonly Decimal[]): void {
  let most = 0;
  for (const { digits } of values) if (digits > most) most = digits;
  writeRuns(writer, values, (value) => value.digits);
  const units: Units[] = [];
  for (const value of values) units.push(value.digits === most ? value.units : rescale(value, most));
  writeUnits(writer, units);
}

export function readDecimals(reader: ByteReader, count: number): Decimal[] {
  const places = readRuns(reader, count);
  let most = 0;
  for (const digits of places) if (digits > most) most = digits;
  if (most > STORED_DIGITS_MAX) throw damaged('too many decimal places');
  const units = readUnits(reader, count);
  const values: Decimal[] = [];
  for (let i = 0; i < count; i++) {
    const digits = places[i] as number;
    values.push({ units: atPlaces(units[i] as Units, most - digits), digits });
  }
  return values;
}

/** Numbers that come in runs. */
export function writeRuns<Value>(
  writer: ByteWriter,
  values: readonly Value[],
  numberOf: (value: Value) => number,
): void {
  for (let start = 0; start < values.length; ) {
    const value = numberOf(values[start] as Value);
    let end = start + 1;
    while (end < values.length && numberOf(values[end] as Value) === value) end++;
    writer.signed(value);
    writer.varint(end - start);
    start = end;
  }
}

export function readRuns(reader: ByteReader, count: number): number[] {
  const values: number[] = [];
  while (values.length < count) {
    const value = reader.signed();
    const length = reader.varint();
    if (length === 0 || length > count - values.length) throw damaged('a run has the wrong length');
    for (let i = 0; i < length; i++) values.push(value);
  }
  return values;
}

/** Texts of which few are different: a dictionary, and an index for each unless there is only one. */
export function writeTexts(writer: ByteWriter, values: readonly string[]): void {
  const indexes = new Map<string, number>();
  const coded = new Uint32Array(values.length);
  let last: string | undefined;
  let index = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as string;
    if (value !== last) {
      index = indexes.get(value) ?? indexes.size;
      indexes.set(value, index);
      last = value;
    }
    coded[i] = index;
  }
  writer.varint(indexes.size);
  for (const value of indexes.keys()) writer.text(value);
  if (indexes.size > 1) for (const at of coded) writer.varint(at);
}

export function readTexts(reader: ByteReader, count: number): string[] {
  const dictionary = Array.from({ length: reader.count() }, () => reader.text());
  const [only] = dictionary;
  if (only === undefined) throw damaged('a dictionary is empty');
  if (dictionary.length === 1) return Array.from({ length: count }, () => only);
  return Array.from({ length: count }, () => {
    const text = dictionary[reader.varint()];
    if (text === undefined) throw damaged('a text is not in the dictionary');
    return text;
  });
}

/** Integers for which `areNarrow` holds. */
export function writeDifferences(writer: ByteWriter, values: readonly number[]): void {
  let last = 0;
  for (const value of values) {
    writer.signed(value - last);
    last = value;
  }
}

export function readDifferences(reader: ByteReader, count: number): Float64Array {
  if (count > reader.left) throw damaged('a column is cut short');
  const values = new Float64Array(count);
  let last = 0;
  for (let i = 0; i < count; i++) {
    last += reader.signed();
    values[i] = last;
  }
  return values;
}

const INTEGER_IDS = 0;
const TEXT_IDS = 1;
const NARROW = 0;
const WIDE = 1;
/** Twice what validation admits (core/tick.ts), so that a later, wider limit still reads. */
const STORED_ID_LENGTH_MAX = 256;
const STORED_DIGITS_MAX = 64;
const POWERS_OF_TEN = Array.from({ length: 16 }, (_, power) => 10 ** power);

/** Half of what `fitsSigned` admits, so that any difference of two fits. */
function areNarrow(values: readonly Units[]): values is readonly number[] {
  for (const value of values) if (typeof value !== 'number' || !fitsSigned(value * 2)) return false;
  return true;
}

/** The numbers, when every id is the decimal text of one: no sign, no leading zero, at most 15 digits. */
function canonicalIntegers(ids: readonly string[]): number[] | undefined {
  const numbers: number[] = [];
  for (const id of ids) {
    const { length } = id;
    if (length === 0 || length > 15 || (length > 1 && id.charCodeAt(0) === 48)) return undefined;
    let value = 0;
    for (let i = 0; i < length; i++) {
      const digit = id.charCodeAt(i) - 48;
      if (digit < 0 || digit > 9) return undefined;
      value = value * 10 + digit;
    }
    numbers.push(value);
  }
  return numbers;
}

function sharedLength(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let length = 0;
  while (length < most && a.charCodeAt(length) === b.charCodeAt(length)) length++;
  return length;
}

/** The units at fewer decimal places; they were multiplied up when written, so the division has no rest. */
function atPlaces(units: Units, fewer: number): Units {
  if (fewer === 0) return units;
  const factor = POWERS_OF_TEN[fewer];
  const quotient =
    typeof units === 'number' && factor !== undefined
      ? units / factor
      : divideExact(BigInt(units), 10n ** BigInt(fewer));
  if (typeof quotient === 'number' && !Number.isInteger(quotient)) throw damaged('a decimal has a fraction of a unit');
  return quotient;
}

function divideExact(units: bigint, factor: bigint): Units {
  if (units % factor !== 0n) throw damaged('a decimal has a fraction of a unit');
  const quotient = units / factor;
  return Number.isSafeInteger(Number(quotient)) ? Number(quotient) : quotient;
}
