/** What one look at a lease shows. Text as Redis holds it; an absent holder is ''. */
export interface Observation {
  readonly holder: string;
  readonly term: string;
  readonly renewals: string;
}

/** What a standby knows: the last observation, and since when it has stood still on the standby's own monotonic clock. */
export interface Watch {
  /** The last token seen; '' = none yet. */
  readonly holder: string;
  readonly term: string;
  readonly renewals: string;
  /** Nobody held the lease at the last look. */
  readonly absent: boolean;
  readonly stillSinceMs: number;
}

/**
 * Adds a look at the lease to the watch: anything that moved starts it again (FENCE-3). That the key expired is no movement:
 * every take and every renewal shows in the record.
 */
export function observe(watch: Watch | undefined, seen: Observation, monotonicMs: number): Watch {
  const absent = seen.holder === '';
  const still =
    watch !== undefined &&
    watch.term === seen.term &&
    watch.renewals === seen.renewals &&
    (absent || watch.holder === seen.holder);
  if (still) return { ...watch, absent };
  return { ...seen, absent, stillSinceMs: monotonicMs };
}

/** Whether the holder may be replaced: nothing has moved for a whole ttl, whatever the server says about expiry. */
export function hasStoodStill(watch: Watch, ttlMs: number, monotonicMs: number): boolean {
  return monotonicMs - watch.stillSinceMs >= ttlMs;
}
