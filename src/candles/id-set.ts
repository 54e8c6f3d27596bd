/** Trade ids that were seen. Most are whole numbers, which cost a fraction of what text does. */
export class IdSet {
  readonly #numbers = new Set<number>();
  readonly #texts = new Set<string>();

  get size(): number {
    return this.#numbers.size + this.#texts.size;
  }

  /** True when the id is new. */
  add(id: string): boolean {
    const number = canonicalNumber(id);
    if (number === undefined) return grows(this.#texts, id);
    return grows(this.#numbers, number);
  }
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

function grows<Id>(ids: Set<Id>, id: Id): boolean {
  const before = ids.size;
  ids.add(id);
  return ids.size > before;
}
