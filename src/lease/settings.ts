import { TickerError } from '../core/errors.ts';

/** How long a lease lasts and how much of it its holder trusts (T7, D3). */
export interface LeaseSettings {
  /** Time to live of the holder key, and how long a standby watches before it takes over. */
  readonly ttlMs: number;
  readonly renewEveryMs: number;
  /** Part of the ttl that the holder does not trust: for clocks that run at different speeds. */
  readonly marginMs: number;
  /** After this long without an answer an attempt counts as failed; a late answer is not used. */
  readonly attemptTimeoutMs: number;
  /** `take` when no other process can reach this Redis (it lives in this one): nobody can hold what is not there (FENCE-3). */
  readonly absentRecord: 'watch' | 'take';
}

export const LEASE_DEFAULTS: LeaseSettings = {
  ttlMs: 15_000,
  renewEveryMs: 3_000,
  marginMs: 1_500,
  attemptTimeoutMs: 2_000,
  absentRecord: 'watch',
};

const TTL_MS_MAX = 600_000;

/** Fills in the defaults and checks the relations between the values (FENCE-7). @throws SETTING_INVALID with both values */
export function leaseSettings(given: Partial<LeaseSettings> = {}): LeaseSettings {
  const settings = { ...LEASE_DEFAULTS, ...given };
  const { ttlMs, renewEveryMs, marginMs, attemptTimeoutMs } = settings;
  for (const [name, value] of Object.entries({ ttlMs, renewEveryMs, marginMs, attemptTimeoutMs })) {
    if (!Number.isSafeInteger(value) || value <= 0) throw invalid(`${name} ${value} is not a whole number above 0`);
  }
  if (ttlMs > TTL_MS_MAX) throw invalid(`ttlMs ${ttlMs} is above ${TTL_MS_MAX}`);
  if (ttlMs < 3 * renewEveryMs + marginMs) {
    throw invalid(
      `ttlMs ${ttlMs} is below 3 x renewEveryMs ${renewEveryMs} + marginMs ${marginMs}: two renewals may fail`,
    );
  }
  if (attemptTimeoutMs > renewEveryMs) {
    throw invalid(`attemptTimeoutMs ${attemptTimeoutMs} is above renewEveryMs ${renewEveryMs}: attempts would overlap`);
  }
  return settings;
}

function invalid(message: string): TickerError {
  return new TickerError('SETTING_INVALID', `lease: ${message}`);
}
