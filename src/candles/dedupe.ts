import { US_PER_HOUR } from '../core/interval.ts';
import type { ArchivedTick } from '../store/store.ts';
import { IdSet } from './id-set.ts';

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
  prepare(trades: readonly ArchivedTick[]): Promise<void>;
  /** True when the trade is new: it then counts as seen. False for a duplicate. The hour must have been prepared. */
  admit(trade: ArchivedTick): boolean;
  /** What was admitted until now is being committed; what is admitted from now on belongs to the next commit. */
  committing(): void;
  /** After that commit: its hours may be forgotten again, for the archive now has them. */
  committed(): void;
  /** After a failed or fenced commit: what was admitted since is not in the archive. Forget everything. */
  reset(): void;
}

/** The hours of one flush may exceed it until they are committed. */
export const DEDUPE_BYTES_MAX = 64 * 1024 ** 2;

export function createDedupeSet(archive: IdArchive, bytesMax: number = DEDUPE_BYTES_MAX): DedupeSet {
  return new HourlyDedupeSet(archive, bytesMax);
}

class HourlyDedupeSet implements DedupeSet {
  readonly #archive: IdArchive;
  readonly #bytesMax: number;
  /** Ids of an hour of an instrument, least recently used first. */
  readonly #hours = new Map<number, IdSet>();
  /** Hours with ids that are in no commit yet: they must not be forgotten. */
  #uncommitted = new Set<number>();
  #lastKey = Number.NaN;
  #lastIds: IdSet | undefined;

  constructor(archive: IdArchive, bytesMax: number) {
    this.#archive = archive;
    this.#bytesMax = bytesMax;
  }

  async prepare(trades: readonly ArchivedTick[]): Promise<void> {
    const touched = new Map<number, ArchivedTick>();
    let lastKey = Number.NaN;
    for (const trade of trades) {
      const key = hourKey(trade);
      if (key !== lastKey) touched.set(key, trade);
      lastKey = key;
    }
    for (const [key, trade] of touched) {
      const ids = this.#hours.get(key) ?? (await this.#load(trade));
      this.#hours.delete(key);
      this.#hours.set(key, ids);
      this.#uncommitted.add(key);
    }
    this.#lastKey = Number.NaN;
  }

  admit(trade: ArchivedTick): boolean {
    const key = hourKey(trade);
    if (key !== this.#lastKey) {
      this.#lastIds = this.#hours.get(key);
      this.#lastKey = key;
    }
    if (this.#lastIds === undefined) throw new RangeError('the hour of this trade was not prepared');
    return this.#lastIds.add(trade.tick.id);
  }

  committing(): void {
    this.#uncommitted = new Set();
  }

  committed(): void {
    let total = 0;
    for (const ids of this.#hours.values()) total += ids.sizeBytes;
    for (const [key, ids] of this.#hours) {
      if (total <= this.#bytesMax) break;
      if (this.#uncommitted.has(key)) continue;
      this.#hours.delete(key);
      total -= ids.sizeBytes;
    }
    this.#lastKey = Number.NaN;
  }

  async #load({ instrumentId, tick }: ArchivedTick): Promise<IdSet> {
    const ids = new IdSet();
    const hourStartUs = Math.floor(tick.tsUs / US_PER_HOUR) * US_PER_HOUR;
    for (const id of await this.#archive.archivedIds(instrumentId, hourStartUs)) ids.add(id);
    return ids;
  }

  reset(): void {
    this.#hours.clear();
    this.#uncommitted.clear();
    this.#lastKey = Number.NaN;
  }
}

/** Above any number of instruments of one store. */
const INSTRUMENTS = 2 ** 20;

function hourKey({ instrumentId, tick }: ArchivedTick): number {
  return Math.floor(tick.tsUs / US_PER_HOUR) * INSTRUMENTS + instrumentId;
}
