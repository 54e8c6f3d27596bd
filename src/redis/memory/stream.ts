import { compareIds, type EntryId, ID_MAX, ID_MIN, isZeroId, nextId } from './entry-id.ts';
import type { Group } from './stream-group.ts';
import { type Entry, StreamNode } from './stream-node.ts';

/** How much to trim: parsed from MAXLEN or MINID with `=` or `~` and LIMIT. */
export interface Trim {
  readonly strategy: { readonly maxLength: number } | { readonly minId: EntryId };
  readonly approximate: boolean;
  /** Most entries to remove; 0 = no limit. */
  readonly limit: number;
}

/** A stream: nodes in id order with a head offset, its counters and its consumer groups. */
export class Stream {
  readonly groups = new Map<string, Group>();
  #nodes: StreamNode[] = [];
  /** Nodes below it are gone. */
  #head = 0;
  length = 0;
  lastId: EntryId = ID_MIN;
  firstId: EntryId = ID_MIN;
  maxDeletedId: EntryId = ID_MIN;
  entriesAdded = 0;

  get nodeCount(): number {
    return this.#nodes.length - this.#head;
  }

  /** The id that `*` means now: the clock, or one more than the top when the clock is not ahead of it (S4.4). */
  autoId(nowMs: number): EntryId {
    return nowMs > this.lastId.ms ? { ms: nowMs, seq: 0 } : (nextId(this.lastId) ?? ID_MAX);
  }

  append(id: EntryId, fields: readonly string[]): void {
    const entry: Entry = { id, fields };
    const last = this.#nodes.at(-1);
    if (last !== undefined && this.nodeCount > 0 && last.hasRoomFor(fields)) last.add(entry);
    else this.#nodes.push(new StreamNode(entry));
    this.length++;
    this.entriesAdded++;
    this.lastId = id;
    if (this.length === 1) this.firstId = id;
  }

  find(id: EntryId): Entry | undefined {
    return this.#nodes[this.#nodeAt(id)]?.find(id);
  }

  /** Entries with from <= id <= to; count 0 = all of them. */
  range(from: EntryId, to: EntryId, count = 0, reverse = false): Entry[] {
    const found: Entry[] = [];
    this.visit(from, to, reverse, (entry) => {
      found.push(entry);
      return found.length !== count;
    });
    return found;
  }

  /** Entries with from <= id <= to, in order, until `visit` answers false. */
  visit(from: EntryId, to: EntryId, reverse: boolean, visit: (entry: Entry) => boolean): void {
    if (compareIds(from, to) > 0) return;
    const step = reverse ? -1 : 1;
    const first = this.#nodeAt(reverse ? to : from);
    for (let at = Math.max(first, this.#head); at >= this.#head && at < this.#nodes.length; at += step) {
      if (!(this.#nodes[at] as StreamNode).visit(from, to, reverse, visit)) return;
    }
  }

  delete(id: EntryId): boolean {
    const at = this.#nodeAt(id);
    const node = this.#nodes[at];
    if (!node?.delete(id)) return false;
    if (node.live === 0) this.#removeNode(at);
    this.length--;
    if (compareIds(id, this.maxDeletedId) > 0) this.maxDeletedId = id;
    if (compareIds(id, this.firstId) === 0) this.#resetFirstId();
    return true;
  }

  /** Answers the number of entries removed. Whole nodes first; within a node only when exact (S4.10 to S4.13). */
  trim({ strategy, approximate, limit }: Trim): number {
    const before = this.length;
    while (this.#head < this.#nodes.length) {
      const node = this.#nodes[this.#head] as StreamNode;
      if ('maxLength' in strategy && this.length <= strategy.maxLength) break;
      if (limit > 0 && before - this.length + node.live > limit) break;
      const whole =
        'maxLength' in strategy
          ? this.length - node.live >= strategy.maxLength
          : compareIds(node.lastId, strategy.minId) < 0;
      if (whole) {
        this.length -= node.live;
        this.#removeNode(this.#head);
        continue;
      }
      if (!approximate) this.length -= this.#trimWithin(node, strategy);
      break;
    }
    if (this.length !== before) this.#resetFirstId();
    return before - this.length;
  }

  /** Whether an XDEL has made a hole at or after `from`, so that counting from there is not safe (S4.49). */
  hasTombstonesFrom(from: EntryId): boolean {
    if (this.length === 0 || isZeroId(this.maxDeletedId)) return false;
    return compareIds(from, this.maxDeletedId) <= 0;
  }

  /** How many entries were ever added up to `id`; undefined when a deletion made that unknown (S4.49). */
  entriesUpTo(id: EntryId): number | undefined {
    if (this.entriesAdded === 0) return 0;
    const againstLast = compareIds(id, this.lastId);
    if (this.length === 0 && againstLast <= 0) return this.entriesAdded;
    if (!isZeroId(id) && compareIds(id, this.maxDeletedId) < 0) return undefined;
    if (againstLast === 0) return this.entriesAdded;
    if (againstLast > 0) return undefined;
    const holeAhead = !isZeroId(this.maxDeletedId) && compareIds(this.maxDeletedId, this.firstId) >= 0;
    if (holeAhead) return undefined;
    const againstFirst = compareIds(id, this.firstId);
    if (againstFirst > 0) return undefined;
    return this.entriesAdded - this.length + (againstFirst === 0 ? 1 : 0);
  }

  #trimWithin(node: StreamNode, strategy: Trim['strategy']): number {
    if ('minId' in strategy) return node.deleteWhile((entry) => compareIds(entry.id, strategy.minId) < 0);
    let excess = this.length - strategy.maxLength;
    return node.deleteWhile(() => excess-- > 0);
  }

  #removeNode(at: number): void {
    if (at !== this.#head) {
      this.#nodes.splice(at, 1);
      return;
    }
    this.#head++;
    // Removed nodes are let go in bulk, so that trimming one node does not move all the others.
    if (this.#head > 64 && this.#head * 2 > this.#nodes.length) {
      this.#nodes = this.#nodes.slice(this.#head);
      this.#head = 0;
    }
  }

  #resetFirstId(): void {
    this.firstId = this.length === 0 ? ID_MIN : (this.range(ID_MIN, ID_MAX, 1)[0] as Entry).id;
  }

  /** Index of the last node that begins at or before `id`, or of the first one. */
  #nodeAt(id: EntryId): number {
    let low = this.#head;
    let high = this.#nodes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareIds((this.#nodes[middle] as StreamNode).firstId, id) <= 0) low = middle + 1;
      else high = middle;
    }
    return Math.max(low - 1, this.#head);
  }
}
