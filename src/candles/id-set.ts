/**
 * Trade ids that were seen. Most venues count their trades, so ids that are whole numbers are kept as bits of pages: a
 * dense hour of a million trades takes an eighth of a megabyte. Other texts are kept as they are.
 */
export class IdSet {
  readonly #pages = new Map<number, number[] | Uint32Array>();
  readonly #texts = new Set<string>();
  #sizeBytes = 0;
  #lastPage = Number.NaN;
  #last: number[] | Uint32Array = [];

  /** About what it occupies. */
  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /** True when the id is new. */
  add(id: string): boolean {
    const number = canonicalNumber(id);
    return number === undefined ? this.#addText(id) : this.#addNumber(number);
  }

  #addText(id: string): boolean {
    if (this.#texts.has(id)) return false;
    this.#texts.add(id);
    this.#sizeBytes += TEXT_BYTES + 2 * id.length;
    return true;
  }

  #addNumber(number: number): boolean {
    const page = Math.floor(number / PAGE_IDS);
    const place = number - page * PAGE_IDS;
    if (page !== this.#lastPage) {
      this.#last = this.#pages.get(page) ?? this.#open(page);
      this.#lastPage = page;
    }
    const ids = this.#last;
    if (ids instanceof Uint32Array) return setBit(ids, place);
    if (ids.includes(place)) return false;
    ids.push(place);
    this.#sizeBytes += PLACE_BYTES;
    if (ids.length > SPARSE_MAX) this.#makeDense(page, ids);
    return true;
  }

  #open(page: number): number[] {
    const ids: number[] = [];
    this.#pages.set(page, ids);
    this.#sizeBytes += PAGE_BYTES;
    return ids;
  }

  #makeDense(page: number, ids: readonly number[]): void {
    const bits = new Uint32Array(PAGE_IDS / 32);
    for (const place of ids) setBit(bits, place);
    this.#pages.set(page, bits);
    this.#last = bits;
    this.#sizeBytes += bits.byteLength - ids.length * PLACE_BYTES;
  }
}

/** Ids of one page. */
const PAGE_IDS = 1_024;
/** Ids a page may hold before it is kept as bits. */
const SPARSE_MAX = 12;
/** What the engine takes for a page, a place in a sparse one, and a text, apart from its characters. */
const PAGE_BYTES = 120;
const PLACE_BYTES = 8;
const TEXT_BYTES = 60;

/** True when the bit was not set. */
function setBit(bits: Uint32Array, place: number): boolean {
  const word = bits[place >>> 5] as number;
  const mask = 1 << (place & 31);
  if ((word & mask) !== 0) return false;
  bits[place >>> 5] = word | mask;
  return true;
}

/** Longest text that is certainly a safe integer. */
const DIGITS_MAX = 15;

/** The number an id is written as without sign and leading zeros; undefined for any other text: '01' is not '1'. */
function canonicalNumber(id: string): number | undefined {
  const { length } = id;
  if (length === 0 || length > DIGITS_MAX || (length > 1 && id.charCodeAt(0) === 48)) return undefined;
  let value = 0;
  for (let at = 0; at < length; at++) {
    const digit = id.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) return undefined;
    value = value * 10 + digit;
  }
  return value;
}
