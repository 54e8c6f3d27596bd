/**
 * Which server the in-memory Redis answers like. All differences stand in this one table; numbers name the assertions of
 * the streams research (S4.n) that show them.
 */
export interface Profile {
  readonly name: ProfileName;
  /** Lines of INFO that tell the server and its version. */
  readonly info: readonly string[];
  /** S4.29, S4.34, S4.35: 7.0 serves a blocked read from the signalled key alone; later servers run the command again. */
  readonly blockedReads: 'serve-key' | 'run-again';
  /** S4.29: entries that a blocked read without COUNT gets at most. */
  readonly blockedCountMax: number;
  /** S4.3: what XADD says when a millisecond has no sequence left. */
  readonly sequenceExhausted: string;
  /** S4.30: whether a read that serves nothing, and a claim that claims nothing, create the consumer. */
  readonly consumerCreatedOnAttempt: boolean;
  /** S4.51: XINFO CONSUMERS tells the last attempt and the last success apart. */
  readonly consumerInactive: boolean;
  /** S4.37: XREAD knows `+`, the last entry. */
  readonly lastEntryId: boolean;
  /** S4.26: the error for a list of streams without as many ids. */
  readonly unbalancedStreams: (isGroup: boolean) => string;
  /** S4.33: BLOCK within a script. */
  readonly blockInScript: 'refused' | 'ignored';
}

export type ProfileName = 'redis-7.0' | 'valkey-8';

export const PROFILES: Record<ProfileName, Profile> = {
  'redis-7.0': {
    name: 'redis-7.0',
    info: ['redis_version:7.0.15'],
    blockedReads: 'serve-key',
    blockedCountMax: 1000,
    sequenceExhausted: 'ERR Elements are too large to be stored',
    consumerCreatedOnAttempt: false,
    consumerInactive: false,
    lastEntryId: false,
    unbalancedStreams: () =>
      "ERR Unbalanced XREAD list of streams: for each stream key an ID or '$' must be specified.",
    blockInScript: 'refused',
  },
  'valkey-8': {
    name: 'valkey-8',
    info: ['redis_version:7.2.4', 'server_name:valkey', 'valkey_version:8.0.1'],
    blockedReads: 'run-again',
    blockedCountMax: Number.POSITIVE_INFINITY,
    sequenceExhausted: 'ERR The ID specified in XADD is equal or smaller than the target stream top item',
    consumerCreatedOnAttempt: true,
    consumerInactive: true,
    lastEntryId: true,
    unbalancedStreams: (isGroup) =>
      isGroup
        ? "ERR Unbalanced 'xreadgroup' list of streams: for each stream key an ID or '>' must be specified."
        : "ERR Unbalanced 'xread' list of streams: for each stream key an ID or '$' must be specified.",
    blockInScript: 'ignored',
  },
};
