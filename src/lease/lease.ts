import type { Clock } from '../core/clock.ts';
import type { LeaseKeys, RedisConnection, Reply, Script } from '../redis/index.ts';
import { leaseMint, leaseRelease, leaseRenew, leaseTake } from '../redis/index.ts';
import { type LeaseSettings, leaseSettings } from './settings.ts';
import { hasStoodStill, observe, type Watch } from './standby.ts';
import { HeldTerm, type Term } from './term.ts';
import { instantOf } from './trust.ts';

/** `held`: another token holds the lease, or the watch of it is not over yet; ask again. */
export type AcquireOutcome =
  | { readonly kind: 'acquired'; readonly term: Term }
  | { readonly kind: 'held'; readonly holder: string; readonly term: number };

export interface Lease {
  readonly token: string;
  /**
   * One attempt. Repeating it is the watch of a standby (FENCE-3), and safe after a lost reply (FENCE-1). `floor` is the
   * highest term or epoch the caller knows of. Throws what Redis or the connection threw.
   */
  acquire(floor: number): Promise<AcquireOutcome>;
  /** Calls `listener` when a holder gives the lease back: a hint to ask again at once. */
  onReleased(listener: () => void): Promise<() => Promise<void>>;
}

export interface LeaseOptions {
  readonly connection: RedisConnection;
  readonly keys: LeaseKeys;
  readonly clock: Clock;
  /** See leaseToken; unique to this lease object. */
  readonly token: string;
  readonly settings?: Partial<LeaseSettings>;
}

/** A lease on one upstream resource (T7, D3). Its promises and their limits: docs/spec/fence.md. */
export function createLease(options: LeaseOptions): Lease {
  return new RedisLease(options);
}

class RedisLease implements Lease {
  readonly token: string;
  readonly #connection: RedisConnection;
  readonly #keys: LeaseKeys;
  readonly #clock: Clock;
  readonly #settings: LeaseSettings;
  #watch: Watch | undefined;

  constructor({ connection, keys, clock, token, settings }: LeaseOptions) {
    this.token = token;
    this.#connection = connection;
    this.#keys = keys;
    this.#clock = clock;
    this.#settings = leaseSettings(settings);
  }

  async acquire(floor: number): Promise<AcquireOutcome> {
    const attemptedAt = instantOf(this.#clock);
    const seen = await this.#take();
    if (seen.kind === 'held') {
      this.#watch = observe(this.#watch, seen, this.#clock.monotonicMs());
      if (!this.#mayTakeAbsent()) return { kind: 'held', holder: seen.holder, term: Number(seen.term) };
      return this.acquire(floor);
    }
    this.#watch = undefined;
    const number = await this.#mint(floor);
    if (number === undefined) return { kind: 'held', holder: '', term: Number(seen.term) };
    const term = new HeldTerm({
      token: this.token,
      number,
      attemptedAt,
      clock: this.#clock,
      settings: this.#settings,
      calls: {
        renew: () => this.#renew(),
        mint: (atLeast) => this.#mint(atLeast),
        release: () => this.#release(),
      },
    });
    return { kind: 'acquired', term };
  }

  onReleased(listener: () => void): Promise<() => Promise<void>> {
    return this.#connection.subscribe(this.#keys.lease, listener);
  }

  async #take(): Promise<{ kind: 'taken' | 'held'; holder: string; term: string; renewals: string }> {
    const { ttlMs } = this.#settings;
    const watch = this.#watch;
    const mayTake =
      watch !== undefined && (hasStoodStill(watch, ttlMs, this.#clock.monotonicMs()) || this.#mayTakeAbsent());
    const mode = mayTake ? 'unchanged' : 'released';
    const observed = watch === undefined ? ['', '0', '0'] : [watch.holder, watch.term, watch.renewals];
    const [kind, holder = '', term = '0', renewals = '0'] = await this.#run(leaseTake, [ttlMs, mode, ...observed]);
    return { kind: kind === 'taken' ? 'taken' : 'held', holder, term, renewals };
  }

  /** Nobody else can reach this Redis, so a lease that nobody holds is nobody's. */
  #mayTakeAbsent(): boolean {
    return this.#settings.absentRecord === 'take' && this.#watch?.absent === true;
  }

  async #renew(): Promise<boolean> {
    const [kind] = await this.#run(leaseRenew, [this.#settings.ttlMs]);
    return kind === 'renewed';
  }

  async #mint(floor: number): Promise<number | undefined> {
    const [kind, term] = await this.#run(leaseMint, [floor]);
    return kind === 'minted' ? Number(term) : undefined;
  }

  async #release(): Promise<void> {
    await this.#run(leaseRelease, []);
  }

  async #run(script: Script, args: readonly (string | number)[]): Promise<string[]> {
    const { lease, record } = this.#keys;
    const reply = await this.#connection.run(script, [lease, record], [this.token, ...args]);
    return (reply as readonly Reply[]).map((part) => (part === null ? '' : String(part)));
  }
}
