import { compareIds, type EntryId } from './entry-id.ts';
import { IdMap } from './id-map.ts';
import type { Stream } from './stream.ts';

/** One entry that was delivered and not acknowledged. */
export interface Pending {
  consumer: Consumer;
  deliveredAtMs: number;
  deliveries: number;
}

export class Consumer {
  readonly name: string;
  readonly pending = new IdMap<Pending>();
  /** Last attempt to read or claim, Unix ms. */
  seenAtMs: number;
  /** Last time something was read or claimed; undefined = never. */
  activeAtMs: number | undefined;

  constructor(name: string, nowMs: number) {
    this.name = name;
    this.seenAtMs = nowMs;
  }
}

/** A consumer group: where it stands, and what its consumers still owe. */
export class Group {
  readonly consumers = new Map<string, Consumer>();
  readonly pending = new IdMap<Pending>();
  lastId: EntryId;
  /** Entries read since the beginning of the stream; undefined = unknown (S4.49). */
  entriesRead: number | undefined;

  constructor(lastId: EntryId, entriesRead: number | undefined) {
    this.lastId = lastId;
    this.entriesRead = entriesRead;
  }

  consumer(name: string, nowMs: number): Consumer {
    let consumer = this.consumers.get(name);
    if (consumer === undefined) {
      consumer = new Consumer(name, nowMs);
      this.consumers.set(name, consumer);
    }
    consumer.seenAtMs = nowMs;
    return consumer;
  }

  /** Puts an entry on a consumer's list; one that is pending already changes owner and starts again at 1 (S4.21). */
  deliver(id: EntryId, consumer: Consumer, nowMs: number): void {
    this.own(id, this.pending.get(id), consumer, { deliveredAtMs: nowMs, deliveries: 1 });
  }

  own(
    id: EntryId,
    pending: Pending | undefined,
    consumer: Consumer,
    state: { readonly deliveredAtMs: number; readonly deliveries: number },
  ): void {
    if (pending === undefined) {
      const created = { consumer, ...state };
      this.pending.set(id, created);
      consumer.pending.set(id, created);
      return;
    }
    if (pending.consumer !== consumer) {
      pending.consumer.pending.delete(id);
      consumer.pending.set(id, pending);
      pending.consumer = consumer;
    }
    pending.deliveredAtMs = state.deliveredAtMs;
    pending.deliveries = state.deliveries;
  }

  /** Answers whether the entry was pending. */
  forget(id: EntryId): boolean {
    const pending = this.pending.get(id);
    if (pending === undefined) return false;
    this.pending.delete(id);
    pending.consumer.pending.delete(id);
    return true;
  }

  /** Moves the group past `id` and keeps the count of entries read, where it can be known. */
  advance(stream: Stream, id: EntryId): void {
    if (compareIds(id, this.lastId) <= 0) return;
    if (this.entriesRead !== undefined && !stream.hasTombstonesFrom(id)) this.entriesRead++;
    else if (stream.entriesAdded > 0) this.entriesRead = stream.entriesUpTo(id);
    this.lastId = id;
  }

  /** Entries not delivered yet as XINFO GROUPS tells it; undefined = unknown (S4.49, S4.50). */
  lag(stream: Stream): number | undefined {
    if (stream.entriesAdded === 0) return 0;
    const read =
      this.entriesRead !== undefined && !stream.hasTombstonesFrom(this.lastId)
        ? this.entriesRead
        : stream.entriesUpTo(this.lastId);
    return read === undefined ? undefined : stream.entriesAdded - read;
  }
}
