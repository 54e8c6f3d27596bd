import { hostname } from 'node:os';
import { systemClock } from '../core/clock.ts';
import { systemRandom } from '../core/random.ts';
import { leaseToken } from '../lease/index.ts';

/** Shards of the embedded store (D3): one. */
export const SHARDS = 1;

/** Name of the feed in Redis keys (D2). */
export const FEED = 'feed';

let token: string | undefined;

/** Who this process is, in leases and shard rows (D3): host:pid:startedAt:nonce. The same for its whole life. */
export function ownerToken(): string {
  token ??= leaseToken({ host: hostname(), pid: process.pid, startedAtMs: systemClock.nowMs() }, systemRandom);
  return token;
}
