import { compareIds, type EntryId } from './entry-id.ts';

/**
 * A map in the order of entry ids. Ids are mostly added at the end and removed near the start, so it is two arrays with
 * holes: adding at the end and removing are cheap, adding in the middle moves what follows.
 */
export class IdMap<T> {
  #ids: EntryId[] = [];
  #values: (T | undefined)[] = [];
  /** Everything below is a hole. */
  #head = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(id: EntryId): T | undefined {
    const at = this.#lowerBound(id);
    const found = this.#ids[at];
    return found !== undefined && compareIds(found, id) === 0 ? this.#values[at] : undefined;
  }

  set(id: EntryId, value: T): void {
    const last = this.#ids.at(-1);
    if (last === undefined || compareIds(last, id) < 0) {
      this.#compact();
      this.#ids.push(id);
      this.#values.push(value);
      this.#size++;
      return;
    }
    const at = this.#lowerBound(id);
    if (compareIds(this.#ids[at] as EntryId, id) === 0) {
      if (this.#values[at] === undefined) this.#size++;
      this.#values[at] = value;
      this.#head = Math.min(this.#head, at);
      return;
    }
    this.#ids.splice(at, 0, id);
    this.#values.splice(at, 0, value);
    this.#head = Math.min(this.#head, at);
    this.#size++;
  }

  delete(id: EntryId): boolean {
    const at = this.#lowerBound(id);
    const found = this.#ids[at];
    if (found === undefined || compareIds(found, id) !== 0 || this.#values[at] === undefined) return false;
    this.#values[at] = undefined;
    this.#size--;
    while (this.#head < this.#values.length && this.#values[this.#head] === undefined) this.#head++;
    return true;
  }

  /** Visits what is at or after `from`, ascending, until `visit` answers false. It may delete what it visits. */
  forEachFrom(from: EntryId, visit: (id: EntryId, value: T) => boolean): void {
    for (let at = Math.max(this.#lowerBound(from), this.#head); at < this.#ids.length; at++) {
      const value = this.#values[at];
      if (value !== undefined && !visit(this.#ids[at] as EntryId, value)) return;
    }
  }

  first(): EntryId | undefined {
    return this.#ids[this.#head];
  }

  last(): EntryId | undefined {
    for (let at = this.#ids.length - 1; at >= this.#head; at--) {
      if (this.#values[at] !== undefined) return this.#ids[at];
    }
    return undefined;
  }

  /** Holes are dropped when they are the larger part, so that a set costs a constant on average. */
  #compact(): void {
    const holes = this.#ids.length - this.#size;
    if (holes < 64 || holes < this.#size) return;
    const ids: EntryId[] = [];
    const values: T[] = [];
    for (let at = this.#head; at < this.#ids.length; at++) {
      const value = this.#values[at];
      if (value === undefined) continue;
      ids.push(this.#ids[at] as EntryId);
      values.push(value);
    }
    this.#ids = ids;
    this.#values = values;
    this.#head = 0;
  }

  #lowerBound(id: EntryId): number {
    let low = 0;
    let high = this.#ids.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareIds(this.#ids[middle] as EntryId, id) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
