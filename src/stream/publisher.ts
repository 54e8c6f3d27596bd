import { assert } from '../core/errors.ts';
import { parseStreamId, type StreamId } from '../core/stream-id.ts';
import { fenceInstall, fencePublish, type RedisConnection, type Reply, type ShardKeys } from '../redis/index.ts';
import { type Batch, encodeBatch } from './batch.ts';
import type { PublishEntry } from './entry.ts';
import { RING_BATCHES } from './limits.ts';

export type InstallOutcome =
  /** `prev`: end of the epoch before; undefined = none. `sourceCursor`: resume the source there. */
  | {
      readonly kind: 'installed';
      readonly epoch: number;
      readonly prev: StreamId | undefined;
      readonly sourceCursor: string | undefined;
    }
  /** Another leader has a term at least as high; mint a higher one, or stand down. */
  | { readonly kind: 'refused'; readonly fenceTerm: number };

export type PublishOutcome =
  /** All of it is in the stream, once. `last` is the id of its last entry. */
  | { readonly kind: 'published'; readonly last: StreamId; readonly resent: boolean }
  /** A later term has installed the fence: stop. */
  | { readonly kind: 'stale'; readonly fenceTerm: number }
  /** Redis lost entries beyond the ring's reach: mint, install, resume the source at the fence's cursor. */
  | { readonly kind: 'behind'; readonly seq: number }
  /** Redis lost the fence: mint, install, resume at the fence's cursor or the durable one. */
  | { readonly kind: 'uninstalled' }
  /** Another program wrote to the stream: mint and install, with an alarm (D3). */
  | { readonly kind: 'foreign'; readonly detail: string }
  /** No answer: the batch may be in the stream or not. It is kept; `resend` finds out. */
  | { readonly kind: 'unknown'; readonly error: unknown };

/** The one writer of a shard (T9, D3). Its promises: FENCE-8 to FENCE-16. */
export interface Publisher {
  /** Opens an epoch. Forgets an unsettled batch: the source resumes at the returned cursor, which covers it or not. */
  install(office: { readonly term: number; readonly token: string }): Promise<InstallOutcome>;
  /**
   * Appends a batch, all or nothing. `sourceCursor` resumes the source right after it. One batch at a time; after `unknown`
   * it is `resend` until that is settled.
   * @throws TICK_INVALID naming field and reason; nothing is written (F1)
   */
  publish(entries: readonly PublishEntry[], sourceCursor: string): Promise<PublishOutcome>;
  /** Settles the batch whose answer was lost: sends it again as it was (FENCE-11). */
  resend(): Promise<PublishOutcome>;
  /** Id of the last entry known to be in the stream; undefined before `install`. */
  position(): StreamId | undefined;
}

export interface PublisherOptions {
  readonly connection: RedisConnection;
  readonly keys: ShardKeys;
  /** Also PUBLISH each tick on `<prefix><symbol>` (T2); undefined = do not. The stream is the truth either way (D7). */
  readonly announce?: { readonly channelPrefix: string } | undefined;
  /** Every tick says so (T1). */
  readonly simulated?: boolean;
  readonly allowNonPositivePrice?: boolean;
}

export function createPublisher(options: PublisherOptions): Publisher {
  return new FencedPublisher(options);
}

class FencedPublisher implements Publisher {
  readonly #options: PublisherOptions;
  #term = 0;
  #position: StreamId | undefined;
  /** The latest batches of this epoch, oldest first, to send again after a failover (FENCE-12). */
  #ring: SentBatch[] = [];
  #unsettled: SentBatch | undefined;
  #busy = false;

  constructor(options: PublisherOptions) {
    this.#options = options;
  }

  position(): StreamId | undefined {
    return this.#position;
  }

  install({ term, token }: { term: number; token: string }): Promise<InstallOutcome> {
    return this.#alone(async () => {
      const { connection, keys } = this.#options;
      const reply = await connection.run(fenceInstall, [keys.fence, keys.ticks], [term, token]);
      const [kind, epoch, seq, prev, sourceCursor] = reply as readonly (string | null)[];
      if (kind !== 'installed') return { kind: 'refused', fenceTerm: Number(epoch) };
      this.#term = term;
      this.#position = { epoch: Number(epoch), seq: Number(seq) };
      this.#ring = [];
      this.#unsettled = undefined;
      return {
        kind: 'installed',
        epoch: Number(epoch),
        prev: parseStreamId(prev ?? ''),
        sourceCursor: sourceCursor ?? undefined,
      };
    });
  }

  publish(entries: readonly PublishEntry[], sourceCursor: string): Promise<PublishOutcome> {
    return this.#alone(async () => {
      assert(this.#position !== undefined, 'publish before install');
      assert(this.#unsettled === undefined, 'publish while a batch is unsettled: resend first');
      const { epoch, seq } = this.#position;
      const batch = encodeBatch(entries, sourceCursor, this.#options);
      return this.#settle({ ...batch, epoch, after: seq });
    });
  }

  resend(): Promise<PublishOutcome> {
    return this.#alone(async () => {
      assert(this.#unsettled !== undefined, 'resend without an unsettled batch');
      return this.#settle(this.#unsettled);
    });
  }

  /** Sends a batch and keeps sending what a failover lost before it, as far as the ring reaches. */
  async #settle(batch: SentBatch): Promise<PublishOutcome> {
    this.#unsettled = batch;
    for (let rounds = 0; rounds <= RING_BATCHES; rounds++) {
      const outcome = await this.#send(batch);
      if (outcome.kind !== 'behind') return outcome;
      const lost = this.#ring.find(({ after }) => after === outcome.seq);
      if (lost === undefined) return outcome;
      const repaired = await this.#send(lost);
      if (repaired.kind !== 'published') return repaired;
    }
    return { kind: 'unknown', error: new Error('Redis keeps losing entries while they are sent again') };
  }

  async #send(batch: SentBatch): Promise<PublishOutcome> {
    const { connection, keys } = this.#options;
    const args = [this.#term, batch.epoch, batch.after, batch.count, batch.sourceCursor, ...batch.args];
    let reply: Reply;
    try {
      reply = await connection.run(fencePublish, [keys.fence, keys.ticks], args);
    } catch (error) {
      return { kind: 'unknown', error };
    }
    const [kind, detail] = reply as readonly (string | null)[];
    switch (kind) {
      case 'ok':
      case 'already':
        return this.#published(batch, kind === 'already');
      case 'stale':
        return { kind: 'stale', fenceTerm: Number(detail) };
      case 'behind':
        return { kind: 'behind', seq: Number(detail) };
      case 'foreign':
        return { kind: 'foreign', detail: detail ?? '' };
      default:
        return { kind: 'uninstalled' };
    }
  }

  #published(batch: SentBatch, resent: boolean): PublishOutcome {
    const last = { epoch: batch.epoch, seq: batch.after + batch.count };
    if (batch === this.#unsettled) {
      this.#unsettled = undefined;
      this.#position = last;
      this.#ring.push(batch);
      if (this.#ring.length > RING_BATCHES) this.#ring.shift();
    }
    return { kind: 'published', last, resent };
  }

  async #alone<T>(step: () => Promise<T>): Promise<T> {
    assert(!this.#busy, 'a publisher does one thing at a time');
    this.#busy = true;
    try {
      return await step();
    } finally {
      this.#busy = false;
    }
  }
}

/** A batch with its place in the stream: it keeps both when it is sent again. */
interface SentBatch extends Batch {
  readonly epoch: number;
  /** seq of the entry before it. */
  readonly after: number;
}
