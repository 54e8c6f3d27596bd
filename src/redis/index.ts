/** What the rest of Ticker sees of Redis: the seam, the keys, the scripts, and the Redis that lives in this process. */
export type { Redis, RedisArgument, RedisConnection, Reply, Script, ScriptCall, ScriptTwin } from './commands.ts';
export { RedisReplyError } from './commands.ts';
export { candleStreamKey, type LeaseKeys, leaseKeys, type ShardKeys, shardKeys, symbolChannelPrefix } from './keys.ts';
export { createMemoryRedis } from './memory/memory-redis.ts';
export type { ProfileName } from './memory/profile.ts';
export { fenceInstall } from './scripts/fence-install.ts';
export { fencePublish } from './scripts/fence-publish.ts';
export { leaseMint } from './scripts/lease-mint.ts';
export { leaseRelease } from './scripts/lease-release.ts';
export { leaseRenew } from './scripts/lease-renew.ts';
export { leaseTake } from './scripts/lease-take.ts';
export { streamTrim } from './scripts/stream-trim.ts';
