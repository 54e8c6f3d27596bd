import { addUnits, type Units } from '../../core/decimal.ts';
import { assert, TickerError } from '../../core/errors.ts';

/** Grows as it is written. Integers are seven bits a byte, the lowest first; signed ones zigzag-coded. */
export class ByteWriter {
  private bytes: Uint8Array;
  private length = 0;

  constructor(capacityBytes = 1_024) {
    this.bytes = new Uint8Array(capacityBytes);
  }

  get sizeBytes(): number {
    return this.length;
  }

  /** A copy that owns its buffer, so that it can be transferred to a thread. */
  finish(): Uint8Array {
    return this.bytes.slice(0, this.length);
  }

  /** What was written so far, without a copy; valid until the next write. */
  view(): Uint8Array {
    return this.bytes.subarray(0, this.length);
  }

  byte(value: number): void {
    if (this.length === this.bytes.length) this.grow(1);
    this.bytes[this.length++] = value;
  }

  /** A safe integer from 0. */
  varint(value: number): void {
    if (this.length + VARINT_BYTES_MAX > this.bytes.length) this.grow(VARINT_BYTES_MAX);
    let rest = value;
    if (rest < 128) {
      this.bytes[this.length++] = rest;
      return;
    }
    while (rest >= 0x1000_0000) {
      this.bytes[this.length++] = (rest % 128) | 128;
      rest = Math.floor(rest / 128);
    }
    while (rest >= 128) {
      this.bytes[this.length++] = (rest & 127) | 128;
      rest >>>= 7;
    }
    this.bytes[this.length++] = rest;
  }

  /** An integer for which `fitsSigned` holds. */
  signed(value: number): void {
    this.varint(value >= 0 ? value * 2 : -value * 2 - 1);
  }

  /** A whole number of any width the system admits. */
  wide(value: Units): void {
    const big = BigInt(value);
    let rest = big >= 0n ? big * 2n : -big * 2n - 1n;
    const start = this.length;
    while (rest >= 128n) {
      this.byte(Number(rest & 127n) | 128);
      rest >>= 7n;
    }
    this.byte(Number(rest));
    assert(this.length - start <= WIDE_BYTES_MAX, 'an integer is wider than the archive can hold');
  }

  /** UTF-16 code units, so that every string comes back, lone surrogates too. */
  text(value: string, from = 0): void {
    this.varint(value.length - from);
    for (let i = from; i < value.length; i++) this.varint(value.charCodeAt(i));
  }

  append(bytes: Uint8Array): void {
    if (this.length + bytes.length > this.bytes.length) this.grow(bytes.length);
    this.bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  uint32(value: number): void {
    for (let shift = 0; shift < 32; shift += 8) this.byte((value >>> shift) & 255);
  }

  private grow(moreBytes: number): void {
    const larger = new Uint8Array(Math.max(this.bytes.length * 2, this.length + moreBytes));
    larger.set(this.view());
    this.bytes = larger;
  }
}

/** Reads what ByteWriter wrote; anything else is STORE_UNUSABLE. */
export class ByteReader {
  private readonly bytes: Uint8Array;
  private at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }

  get position(): number {
    return this.at;
  }

  get left(): number {
    return this.bytes.length - this.at;
  }

  byte(): number {
    const value = this.bytes[this.at++];
    if (value === undefined) throw damaged('it ends too early');
    return value;
  }

  varint(): number {
    let byte = this.byte();
    if (byte < 128) return byte;
    let value = byte & 127;
    let scale = 128;
    do {
      byte = this.byte();
      value += (byte & 127) * scale;
      scale *= 128;
      if (!Number.isSafeInteger(value)) throw damaged('an integer is too large');
    } while (byte >= 128);
    return value;
  }

  /** A number of things of which each takes at least one byte: bounds what a damaged count can allocate. */
  count(): number {
    const count = this.varint();
    if (count > this.left) throw damaged('a count is larger than what follows');
    return count;
  }

  signed(): number {
    const coded = this.varint();
    return coded % 2 === 0 ? coded / 2 : -(coded + 1) / 2;
  }

  wide(): Units {
    let coded = 0n;
    for (let shift = 0n; ; shift += 7n) {
      if (shift >= 7n * BigInt(WIDE_BYTES_MAX)) throw damaged('an integer is too wide');
      const byte = this.byte();
      coded |= BigInt(byte & 127) << shift;
      if (byte < 128) break;
    }
    return addUnits(coded % 2n === 0n ? coded / 2n : -(coded + 1n) / 2n, 0);
  }

  text(): string {
    const length = this.count();
    let text = '';
    for (let i = 0; i < length; i++) {
      const unit = this.varint();
      if (unit > 0xffff) throw damaged('a character is out of range');
      text += String.fromCharCode(unit);
    }
    return text;
  }

  uint32(): number {
    let value = 0;
    for (let shift = 0; shift < 32; shift += 8) value |= this.byte() << shift;
    return value >>> 0;
  }

  end(): void {
    if (this.left !== 0) throw damaged(`${this.left} bytes too many`);
  }
}

/** Zigzag doubles it, and the result must stay a safe integer. */
export function fitsSigned(value: number): boolean {
  return value <= SIGNED_MAX && value >= -SIGNED_MAX;
}

/** SCHEMA-6: the fault of an archive that is not what was written. */
export function damaged(how: string): TickerError {
  return new TickerError('STORE_UNUSABLE', `the archive of ticks is damaged: ${how}`);
}

const SIGNED_MAX = 2 ** 52 - 1;
const VARINT_BYTES_MAX = 8;
/** 10^256: wider than any text that parses as a decimal. */
const WIDE_BYTES_MAX = 124;
