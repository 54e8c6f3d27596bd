/** Who may act: a lease with a term, its trust window, and the loop that campaigns for it. */
export { createElector, type Elector, type ElectorOptions, type ElectorState } from './elector.ts';
export { type AcquireOutcome, createLease, type Lease, type LeaseOptions } from './lease.ts';
export { LEASE_DEFAULTS, type LeaseSettings, leaseSettings } from './settings.ts';
export type { LostReason, Term } from './term.ts';
export { type Identity, leaseToken } from './token.ts';
