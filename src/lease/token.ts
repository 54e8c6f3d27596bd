import type { Random } from '../core/random.ts';

/** Who asks for a lease: readable for people, and never the same twice (T7). */
export interface Identity {
  readonly host: string;
  readonly pid: number;
  /** When the process started, Unix ms. */
  readonly startedAtMs: number;
}

/** `host:pid:startedAt:nonce`; the nonce tells two leases of one process apart. */
export function leaseToken({ host, pid, startedAtMs }: Identity, random: Random): string {
  return `${host.replaceAll(':', '_').slice(0, HOST_LENGTH_MAX)}:${pid}:${startedAtMs}:${random.hex(8)}`;
}

const HOST_LENGTH_MAX = 64;
