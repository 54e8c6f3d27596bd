import { crc32 } from './crc32.ts';

/** D1: no brace (it would move a Redis hash tag), no space, no percent sign; at most 48 characters. */
const SYMBOL = /^[A-Za-z0-9._:/-]{1,48}$/;

export function isSymbol(text: string): boolean {
  return SYMBOL.test(text);
}

/** D3: the shard that owns a symbol. Every process computes the same one. */
export function shardOfSymbol(symbol: string, shards: number): number {
  return shards === 1 ? 0 : crc32(symbol) % shards;
}
