import type { Clock } from '../core/clock.ts';
import { assert } from '../core/errors.ts';
import type { Lease } from './lease.ts';
import type { LostReason, Term } from './term.ts';

/** What an elector is doing, for status and metrics. `holder` is the token it last saw, '' = nobody's. */
export type ElectorState =
  | { readonly kind: 'stopped' }
  | { readonly kind: 'standby'; readonly holder: string }
  | { readonly kind: 'leading'; readonly term: number };

export interface ElectorOptions {
  readonly lease: Lease;
  readonly clock: Clock;
  /** Between two looks at the lease while it is held by another. */
  readonly pollEveryMs: number;
  /** The highest term or epoch this process knows of: memory, fences, shard rows (D3). */
  readonly floor: () => number | Promise<number>;
  /**
   * Does the leader's work until `signal` aborts, and must then end soon. When it returns or throws before that, the
   * lease is given back and the elector stands again.
   */
  readonly lead: (term: Term, signal: AbortSignal) => Promise<void>;
  /** Exactly once for each term that `lead` was called with (FENCE-5). */
  readonly onLost?: (reason: LostReason, term: Term) => void;
  /** An attempt to acquire failed, or `lead` threw. The elector goes on. */
  readonly onError?: (error: unknown) => void;
}

export interface Elector {
  state(): ElectorState;
  start(): void;
  /** Ends the leader's work, gives the lease back, and resolves when both are done (T7). */
  stop(): Promise<void>;
}

/** Campaigns for a lease and leads while it holds it (T6). */
export function createElector(options: ElectorOptions): Elector {
  return new LeaseElector(options);
}

class LeaseElector implements Elector {
  readonly #options: ElectorOptions;
  readonly #stop = new AbortController();
  #state: ElectorState = { kind: 'stopped' };
  #running: Promise<void> | undefined;
  /** Ends the pause between two looks at the lease. */
  #wake = new AbortController();

  constructor(options: ElectorOptions) {
    this.#options = options;
  }

  state(): ElectorState {
    return this.#state;
  }

  start(): void {
    assert(this.#running === undefined, 'an elector starts once');
    this.#state = { kind: 'standby', holder: '' };
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    this.#wake.abort();
    await this.#running;
    this.#state = { kind: 'stopped' };
  }

  async #run(): Promise<void> {
    const unsubscribe = await this.#listen();
    while (!this.#stop.signal.aborted) {
      const term = await this.#campaign();
      if (term !== undefined) await this.#lead(term);
      if (!this.#stop.signal.aborted) await this.#pause();
    }
    await this.#attempt(unsubscribe);
  }

  async #campaign(): Promise<Term | undefined> {
    const outcome = await this.#attempt(async () => this.#options.lease.acquire(await this.#options.floor()));
    if (outcome === undefined) return undefined;
    if (outcome.kind === 'acquired') return outcome.term;
    this.#state = { kind: 'standby', holder: outcome.holder };
    return undefined;
  }

  async #lead(term: Term): Promise<void> {
    const { lead, onLost } = this.#options;
    if (this.#stop.signal.aborted) {
      await this.#attempt(() => term.release());
      return;
    }
    this.#state = { kind: 'leading', term: term.number };
    const signal = AbortSignal.any([term.signal, this.#stop.signal]);
    await this.#attempt(() => lead(term, signal));
    await this.#attempt(() => term.release());
    onLost?.(await term.lost, term);
    this.#state = { kind: 'standby', holder: '' };
  }

  async #pause(): Promise<void> {
    this.#wake = new AbortController();
    await this.#options.clock.sleep(this.#options.pollEveryMs, this.#wake.signal);
  }

  async #listen(): Promise<() => Promise<void>> {
    const unsubscribe = await this.#attempt(() => this.#options.lease.onReleased(() => this.#wake.abort()));
    return unsubscribe ?? (async () => undefined);
  }

  /** Runs one step; what it throws is told and does not end the loop. */
  async #attempt<T>(step: () => Promise<T>): Promise<T | undefined> {
    try {
      return await step();
    } catch (error) {
      this.#options.onError?.(error);
      return undefined;
    }
  }
}
