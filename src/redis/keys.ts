/**
 * Every Redis key of the system; nothing else spells one. A shard's keys share the hash tag `{feed:k}`, so that one
 * script may touch them all on a Cluster (D2, D3).
 */
export interface ShardKeys {
  /** Stream of ticks, frames and control entries: `{feed:k}:ticks`. */
  readonly ticks: string;
  /** Hash {term, token, epoch, seq, ingestTime, sourceCursor, prev}, no TTL (D3). */
  readonly fence: string;
  /** Hash: consumer name -> committed stream id (D2). */
  readonly checkpoints: string;
}

export function shardKeys(feed: string, shard: number): ShardKeys {
  const tag = `{${feed}:${shard}}`;
  return { ticks: `${tag}:ticks`, fence: `${tag}:fence`, checkpoints: `${tag}:ckpt` };
}

/** Stream of candle frames of one incarnation of the store (D5). */
export function candleStreamKey(feed: string, shard: number, incarnation: string): string {
  return `{${feed}:${shard}}:candles:${incarnation}`;
}

/** Channel on which a symbol's ticks are announced (T2); a hint for outside consumers, Ticker itself reads the stream. */
export function symbolChannelPrefix(feed: string, shard: number): string {
  return `{${feed}:${shard}}:tick:`;
}

export interface LeaseKeys {
  /** String: the holder's token, with a TTL. */
  readonly lease: string;
  /** Hash {term, renewals, released}, no TTL (D3). */
  readonly record: string;
}

export function leaseKeys(resource: string): LeaseKeys {
  const tag = `{lease:${resource}}`;
  return { lease: `${tag}:holder`, record: `${tag}:record` };
}
