import type { Clock } from '../core/clock.ts';
import { assert } from '../core/errors.ts';
import { compareStreamIds, formatStreamId, parseStreamId, type StreamId } from '../core/stream-id.ts';
import { type RedisConnection, type ShardKeys, streamTrim } from '../redis/index.ts';
import { type CursorReader, createCursorReader } from './cursor-reader.ts';
import type { StreamEntry } from './entry.ts';

/** What one trim did (STREAM-13). */
export interface TrimOutcome {
  /** Entries nobody needs any more. */
  readonly trimmed: number;
  /** Entries the hard cap took although they were still wanted: an alarm, and a gap for whoever had not read them. */
  readonly lost: number;
  /** Kept from this id on; undefined = everything, because a required consumer has not committed yet. */
  readonly keptFrom: StreamId | undefined;
}

export interface TrimmerOptions {
  readonly connection: RedisConnection;
  readonly keys: ShardKeys;
  readonly clock: Clock;
  /** Names in the checkpoint hash that hold trimming back: the aggregator, and groups so marked. */
  readonly required: readonly string[];
  /** Younger entries are kept whoever has read them: venue overlap, replay window of the hub, optional groups (D2). */
  readonly keepMs: number;
  /** Of what everybody required has committed, at most so many entries are kept however young; 0 = no limit. */
  readonly keepEntriesMax?: number;
  /** 0 = none. */
  readonly hardCapEntries: number;
}

export interface Trimmer {
  trim(): Promise<TrimOutcome>;
}

/** Entries one script call removes at most: whole nodes are cheap, but nobody else is served meanwhile. */
const ROUND_ENTRIES_MAX = 50_000;
const ROUNDS_MAX = 20;

/** Trims a fenced stream to what somebody may still need. Removes whole nodes, so up to 100 entries stay beyond that. */
export function createTrimmer(options: TrimmerOptions): Trimmer {
  const { connection, keys, clock, required, keepMs, keepEntriesMax = 0, hardCapEntries } = options;
  assert(keepMs >= 0 && hardCapEntries >= 0, 'keepMs and hardCapEntries are not negative');
  const reader = createCursorReader({ connection, key: keys.ticks });
  return {
    async trim() {
      const keepFrom = later(await firstSince(reader, clock.nowMs() - keepMs), await newest(reader, keepEntriesMax));
      const total = { trimmed: 0, lost: 0, keptFrom: undefined as StreamId | undefined };
      if (keepFrom === undefined) return total;
      for (let round = 0; round < ROUNDS_MAX; round++) {
        const args = [formatStreamId(keepFrom), hardCapEntries, ROUND_ENTRIES_MAX, ...required];
        const reply = await connection.run(streamTrim, [keys.ticks, keys.checkpoints], args);
        const [trimmed, lost, keptFrom] = reply as readonly [number, number, string];
        total.trimmed += trimmed;
        total.lost += lost;
        total.keptFrom = parseStreamId(keptFrom);
        if (trimmed === 0 && lost === 0) break;
      }
      return total;
    },
  };
}

/** Where the newest `entries` begin, as far as their epoch reaches; undefined = no limit. */
async function newest(reader: CursorReader, entries: number): Promise<StreamId | undefined> {
  const last = entries === 0 ? undefined : (await reader.bounds())?.last;
  return last === undefined || last.seq < entries ? undefined : { epoch: last.epoch, seq: last.seq - entries + 1 };
}

function later(a: StreamId | undefined, b: StreamId | undefined): StreamId | undefined {
  if (a === undefined || b === undefined) return a;
  return compareStreamIds(a, b) >= 0 ? a : b;
}

/**
 * Id of the first entry ingested at or after `sinceMs`, or of the last entry if all are older; undefined in an empty stream.
 * A binary search, because ingest time never goes back (FENCE-14): for the first epoch that is young as a whole, then within
 * the one before it.
 */
export async function firstSince(reader: CursorReader, sinceMs: number): Promise<StreamId | undefined> {
  const bounds = await reader.bounds();
  if (bounds === undefined) return undefined;
  const { first, last } = bounds;
  const entryFrom = async (id: StreamId): Promise<StreamEntry | undefined> =>
    (await reader.range(before(id), last, 1))[0];
  const isYoungFrom = async (id: StreamId): Promise<boolean> => ((await entryFrom(id))?.ingestMs ?? sinceMs) >= sinceMs;

  const border = (epoch: number): Promise<boolean> => isYoungFrom({ epoch, seq: 0 });
  const youngEpoch = (await border(last.epoch)) ? await lowerBound(first.epoch, last.epoch, border) : last.epoch + 1;
  if (youngEpoch === first.epoch) return first;
  const epoch = youngEpoch - 1;
  const seqEnd = epoch === last.epoch ? last.seq + 1 : Number.MAX_SAFE_INTEGER;
  const seq = await lowerBound(0, seqEnd, (candidate) => isYoungFrom({ epoch, seq: candidate }));
  return (await entryFrom({ epoch, seq }))?.id ?? last;
}

/** The least whole number from `low` on for which `isTrue` holds; it holds for `high` and from there on. */
async function lowerBound(low: number, high: number, isTrue: (value: number) => Promise<boolean>): Promise<number> {
  let from = low;
  let to = high;
  while (from < to) {
    const middle = from + Math.floor((to - from) / 2);
    if (await isTrue(middle)) to = middle;
    else from = middle + 1;
  }
  return from;
}

/** The id just below, as an exclusive bound. */
function before({ epoch, seq }: StreamId): StreamId {
  return seq > 0 ? { epoch, seq: seq - 1 } : { epoch: Math.max(epoch - 1, 0), seq: Number.MAX_SAFE_INTEGER };
}
