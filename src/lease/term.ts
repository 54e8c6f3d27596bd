import type { Clock } from '../core/clock.ts';
import type { LeaseSettings } from './settings.ts';
import { elapsedMs, type Instant, instantOf } from './trust.ts';

/** Why a term ended (FENCE-5): no renewal in time, somebody else holds the lease, or it was given back. */
export type LostReason = 'expired' | 'taken' | 'released';

/** One stay in office: from a successful acquire to its one `lost`. */
export interface Term {
  /** Number of the term; may grow while it lasts, by `mint`. */
  readonly number: number;
  readonly token: string;
  /** Asked synchronously before each batch (T6); false for ever once it was false. */
  isHeld(): boolean;
  /** Aborts when the term ends; its reason is the LostReason. */
  readonly signal: AbortSignal;
  /** Resolves once, when the term ends. Never rejects. */
  readonly lost: Promise<LostReason>;
  /** A new number for the same stay: before each re-install of a fence (D3). Undefined when the lease is lost. */
  mint(floor: number): Promise<number | undefined>;
  /** Gives the lease back. Repeating it does nothing. */
  release(): Promise<void>;
}

/** What a term does on Redis; each answers what the script answered, or throws. */
export interface TermCalls {
  renew(): Promise<boolean>;
  mint(floor: number): Promise<number | undefined>;
  release(): Promise<void>;
}

/** Renews until it is lost or released. Knows Redis only through its calls. */
export class HeldTerm implements Term {
  readonly token: string;
  readonly lost: Promise<LostReason>;
  readonly #abort = new AbortController();
  readonly #clock: Clock;
  readonly #settings: LeaseSettings;
  readonly #calls: TermCalls;
  #number: number;
  /** Start of the last successful attempt; trust is counted from it (FENCE-4). */
  #trustedFrom: Instant;
  #cancelTimer: () => void = () => undefined;
  #settleLost: (reason: LostReason) => void = () => undefined;

  constructor(given: {
    token: string;
    number: number;
    attemptedAt: Instant;
    clock: Clock;
    settings: LeaseSettings;
    calls: TermCalls;
  }) {
    this.token = given.token;
    this.#number = given.number;
    this.#trustedFrom = given.attemptedAt;
    this.#clock = given.clock;
    this.#settings = given.settings;
    this.#calls = given.calls;
    this.lost = new Promise((resolve) => {
      this.#settleLost = resolve;
    });
    this.#schedule();
  }

  get number(): number {
    return this.#number;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  isHeld(): boolean {
    if (this.#abort.signal.aborted) return false;
    if (this.#trustLeftMs() > 0) return true;
    this.#end('expired');
    return false;
  }

  async mint(floor: number): Promise<number | undefined> {
    if (!this.isHeld()) return undefined;
    const number = await this.#calls.mint(floor);
    if (number === undefined) this.#end('taken');
    else this.#number = Math.max(this.#number, number);
    return this.isHeld() ? number : undefined;
  }

  async release(): Promise<void> {
    if (this.#abort.signal.aborted) return;
    this.#end('released');
    await this.#calls.release();
  }

  #trustLeftMs(): number {
    const { ttlMs, marginMs } = this.#settings;
    return ttlMs - marginMs - elapsedMs(this.#trustedFrom, instantOf(this.#clock));
  }

  /** The next thing to happen by itself: a renewal, or the end of trust. */
  #schedule(): void {
    if (!this.isHeld()) return;
    const delayMs = Math.min(this.#settings.renewEveryMs, this.#trustLeftMs());
    this.#cancelTimer = this.#clock.setTimer(delayMs, () => {
      if (this.isHeld()) void this.#renew();
    });
  }

  async #renew(): Promise<void> {
    const startedAt = instantOf(this.#clock);
    const outcome = await withDeadline(this.#clock, this.#settings.attemptTimeoutMs, this.#calls.renew());
    // Trust may have ended while the attempt ran: a late success does not bring it back (FENCE-5).
    if (!this.isHeld()) return;
    if (outcome === 'renewed') this.#trustedFrom = startedAt;
    if (outcome === 'lost') this.#end('taken');
    this.#schedule();
  }

  #end(reason: LostReason): void {
    if (this.#abort.signal.aborted) return;
    this.#cancelTimer();
    this.#abort.abort(reason);
    this.#settleLost(reason);
  }
}

/** No answer in time and an error count the same: nothing is known, so trust is not extended. */
async function withDeadline(
  clock: Clock,
  timeoutMs: number,
  renewal: Promise<boolean>,
): Promise<'renewed' | 'lost' | 'unknown'> {
  const answered = new AbortController();
  const timeout = clock.sleep(timeoutMs, answered.signal).then(() => 'unknown' as const);
  const answer = renewal.then(
    (renewed) => (renewed ? ('renewed' as const) : ('lost' as const)),
    () => 'unknown' as const,
  );
  const outcome = await Promise.race([answer, timeout]);
  answered.abort();
  return outcome;
}
