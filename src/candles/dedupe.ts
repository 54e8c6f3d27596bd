import { bucketStartUs, US_PER_HOUR } from '../core/interval.ts';

/** Where the ids of stored trades come from: the archive, and nothing else (D6). */
export interface IdArchive {
  archivedIds(instrumentId: number, hourStartUs: number): Promise<string[]>;
}

/**
 * Which trades are already in the candles (R20, D6). A trade's identity is (instrument, UTC hour of event time, id): see
 * docs/spec/ids.md. Hours are loaded from the archive when first touched, and the least recently used are forgotten
 * again, so memory is bounded however far back late trades reach.
 */
export interface DedupeSet {
  /** Loads the hours that these trades touch, so that `admit` can answer at once. */
  prepare(trades: readonly TradeIdentity[]): Promise<void>;
  /** True when the trade is new: it then counts as seen. False for a duplicate. The hour must have been prepared. */
  admit(trade: TradeIdentity): boolean;
  /** After a commit: hours may be forgotten again, for the archive now has them. */
  committed(): void;
  /** After a failed or fenced commit: what was admitted since is not in the archive. Forget everything. */
  reset(): void;
}

export interface TradeIdentity {
  readonly instrumentId: number;
  readonly tsUs: number;
  readonly id: string;
}

/** About 200 MB of ids at worst; the hours of one flush may exceed it until they are committed. */
export const DEDUPE_IDS_MAX = 2_000_000;

export function createDedupeSet(archive: IdArchive, idsMax: number = DEDUPE_IDS_MAX): DedupeSet {
  const hours = new Map<string, Set<string>>();
  let lastKey = '';
  let lastIds: Set<string> | undefined;

  function idsOf(trade: TradeIdentity): Set<string> | undefined {
    const key = hourKey(trade);
    if (key !== lastKey || lastIds === undefined) {
      lastIds = hours.get(key);
      lastKey = key;
    }
    return lastIds;
  }

  function forgetOldest(): void {
    let total = 0;
    for (const ids of hours.values()) total += ids.size;
    for (const [key, ids] of hours) {
      if (total <= idsMax) break;
      hours.delete(key);
      total -= ids.size;
    }
    lastIds = undefined;
  }

  return {
    async prepare(trades) {
      const missing = new Map<string, TradeIdentity>();
      const touched = new Set<string>();
      for (const trade of trades) {
        const key = hourKey(trade);
        if (touched.has(key)) continue;
        touched.add(key);
        const present = hours.get(key);
        if (present === undefined) missing.set(key, trade);
        else {
          hours.delete(key);
          hours.set(key, present);
        }
      }
      for (const [key, trade] of missing) {
        const ids = await archive.archivedIds(trade.instrumentId, bucketStartUs('1h', trade.tsUs));
        hours.set(key, new Set(ids));
      }
      if (missing.size > 0) lastIds = undefined;
    },
    admit(trade) {
      const ids = idsOf(trade);
      if (ids === undefined) throw new RangeError('the hour of this trade was not prepared');
      const before = ids.size;
      ids.add(trade.id);
      return ids.size > before;
    },
    committed: forgetOldest,
    reset() {
      hours.clear();
      lastIds = undefined;
    },
  };
}

function hourKey(trade: TradeIdentity): string {
  return `${trade.instrumentId}:${Math.floor(trade.tsUs / US_PER_HOUR)}`;
}
