import { compareIds, type EntryId } from './entry-id.ts';
import { entrySizeBytes, NODE_BYTES_MAX, NODE_ENTRIES_MAX, nodeSizeBytes, payloadBytes } from './listpack.ts';

export interface Entry {
  readonly id: EntryId;
  /** Names and values in turn, in the order given, duplicates kept (S4.7). */
  readonly fields: readonly string[];
}

/** Up to 100 entries that Redis keeps in one listpack. A deleted entry keeps its place until the node goes (S4.12). */
export class StreamNode {
  readonly #entries: Entry[] = [];
  /** Places of deleted entries. */
  readonly #deleted = new Set<number>();
  #sizeBytes: number;
  #live = 0;
  /** Everything before it is deleted. */
  #head = 0;

  constructor(first: Entry) {
    this.#sizeBytes = nodeSizeBytes(first.fields);
    this.add(first);
  }

  get live(): number {
    return this.#live;
  }

  get firstId(): EntryId {
    return (this.#entries[0] as Entry).id;
  }

  /** Id of the last place, deleted or not. */
  get lastId(): EntryId {
    return (this.#entries.at(-1) as Entry).id;
  }

  hasRoomFor(fields: readonly string[]): boolean {
    return this.#entries.length < NODE_ENTRIES_MAX && this.#sizeBytes + payloadBytes(fields) < NODE_BYTES_MAX;
  }

  add(entry: Entry): void {
    this.#entries.push(entry);
    this.#live++;
    this.#sizeBytes += entrySizeBytes(entry.id, entry.fields, this.#entries[0] as Entry);
  }

  find(id: EntryId): Entry | undefined {
    const at = this.#lowerBound(id);
    const entry = this.#entries[at];
    return entry !== undefined && !this.#deleted.has(at) && compareIds(entry.id, id) === 0 ? entry : undefined;
  }

  delete(id: EntryId): boolean {
    const at = this.#lowerBound(id);
    const entry = this.#entries[at];
    if (entry === undefined || this.#deleted.has(at) || compareIds(entry.id, id) !== 0) return false;
    this.#drop(at);
    return true;
  }

  /** Deletes live entries from the start while `isDue` says so; answers how many. */
  deleteWhile(isDue: (entry: Entry) => boolean): number {
    let removed = 0;
    for (let at = this.#head; at < this.#entries.length; at++) {
      if (this.#deleted.has(at)) continue;
      if (!isDue(this.#entries[at] as Entry)) break;
      this.#drop(at);
      removed++;
    }
    return removed;
  }

  /** Live entries with from <= id <= to, ascending or descending, until `visit` answers false. Answers whether to go on. */
  visit(from: EntryId, to: EntryId, reverse: boolean, visit: (entry: Entry) => boolean): boolean {
    const step = reverse ? -1 : 1;
    let at = reverse ? this.#upperBound(to) - 1 : Math.max(this.#lowerBound(from), this.#head);
    for (; at >= this.#head && at < this.#entries.length; at += step) {
      const entry = this.#entries[at] as Entry;
      if (reverse ? compareIds(entry.id, from) < 0 : compareIds(entry.id, to) > 0) return false;
      if (!this.#deleted.has(at) && !visit(entry)) return false;
    }
    return true;
  }

  #drop(at: number): void {
    this.#deleted.add(at);
    this.#live--;
    while (this.#deleted.has(this.#head)) this.#head++;
  }

  #lowerBound(id: EntryId): number {
    let low = 0;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareIds((this.#entries[middle] as Entry).id, id) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #upperBound(id: EntryId): number {
    const at = this.#lowerBound(id);
    const entry = this.#entries[at];
    return entry !== undefined && compareIds(entry.id, id) === 0 ? at + 1 : at;
  }
}
