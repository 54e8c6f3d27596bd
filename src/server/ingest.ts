import type { Clock } from '../core/clock.ts';
import { TickerError } from '../core/errors.ts';
import { describeConflict, type InstrumentClaim } from '../core/instrument.ts';
import { shardOfSymbol } from '../core/symbol.ts';
import { type Tick, validateTick } from '../core/tick.ts';
import type { Feed, FeedBatch } from '../feed/feed.ts';
import type { Store } from '../store/index.ts';
import type { PublishEntry, Publisher, PublishOutcome } from '../stream/index.ts';

/**
 * Reads the upstream and appends to the shard streams, for as long as the lease is held (T1, T2, T6). One synchronous
 * look at the lease stands before every batch; the fence in the stream refuses us even if that look was wrong (T9).
 */
export interface IngestOptions {
  readonly feed: Feed;
  readonly store: Pick<Store, 'register' | 'shard'>;
  /** One a shard, not yet installed. */
  readonly publishers: readonly Publisher[];
  readonly clock: Clock;
  /** Ticks published and not yet committed, of the shard that is furthest behind. */
  readonly backlog: () => number;
  /** Lets the streams be trimmed; called about once a second. */
  readonly trim: () => Promise<void>;
  readonly observe: (event: IngestEvent) => void;
}

export type IngestEvent =
  | { readonly kind: 'published'; readonly ticks: number; readonly lastTickMs: number }
  | { readonly kind: 'rejected'; readonly symbol: string; readonly field: string; readonly reason: string }
  | { readonly kind: 'gap'; readonly reason: string }
  | { readonly kind: 'refused'; readonly shard: number; readonly outcome: PublishOutcome['kind'] };

export interface Tenure {
  readonly term: number;
  readonly token: string;
  readonly signal: AbortSignal;
  isHeld(): boolean;
}

/** `ended`: the feed is over. `lost`: another leader took over, or the signal aborted. */
export type IngestOutcome = 'ended' | 'lost';

/** D2: a watermark and the source cursor reach every shard this often, so that a quiet shard does not hold it back. */
const WATERMARK_EVERY_MS = 1_000;
/** High water: a replay or simulated feed waits until the candles have caught up below it. */
const BACKLOG_TICKS_MAX = 20_000;
const BACKLOG_POLL_MS = 5;
const YIELD_EVERY_MS = 10;

export async function runIngest(options: IngestOptions, tenure: Tenure): Promise<IngestOutcome> {
  const { feed, store, clock } = options;
  await registerSymbols(store, feed, feed.symbols);
  const installed = await install(options, tenure);
  if (installed.kind === 'refused') return 'lost';
  const known = new Set(feed.symbols);
  let watermarkAtMs = Number.NEGATIVE_INFINITY;
  let yieldedAtMs = clock.monotonicMs();
  for await (const { ticks, ...rest } of feed.open(installed.cursor, tenure.signal)) {
    const batch: FeedBatch = { ticks: ticks.filter((tick) => isValid(options, tick)), ...rest };
    const fresh = new Set(batch.ticks.map(({ symbol }) => symbol).filter((symbol) => !known.has(symbol)));
    await registerSymbols(store, feed, [...fresh]);
    for (const symbol of fresh) known.add(symbol);
    const due =
      batch.end === true || batch.gap !== undefined || clock.monotonicMs() - watermarkAtMs >= WATERMARK_EVERY_MS;
    while (options.backlog() > BACKLOG_TICKS_MAX && !tenure.signal.aborted)
      await clock.sleep(BACKLOG_POLL_MS, tenure.signal);
    // A source that never waits, on a Redis that answers at once, would let no timer and no reader run.
    if (clock.monotonicMs() - yieldedAtMs >= YIELD_EVERY_MS) {
      await clock.sleep(0, tenure.signal);
      yieldedAtMs = clock.monotonicMs();
    }
    if (!tenure.isHeld()) return 'lost';
    if (!(await publishBatch(options, tenure, batch, due))) return 'lost';
    if (due) {
      watermarkAtMs = clock.monotonicMs();
      await options.trim();
    }
    if (batch.end === true) return 'ended';
  }
  return tenure.signal.aborted ? 'lost' : 'ended';
}

/** D1: the whole claim or nothing; real and simulated never meet. */
export async function registerSymbols(
  store: Pick<Store, 'register'>,
  feed: Feed,
  symbols: readonly string[],
): Promise<void> {
  if (symbols.length === 0) return;
  const claims = symbols.map((symbol): InstrumentClaim => ({ symbol, source: feed.source, simulated: feed.simulated }));
  const outcome = await store.register(claims);
  if (!outcome.ok)
    throw new TickerError('SOURCE_CONFLICT', describeConflict(outcome.error), {
      details: { symbol: outcome.error.symbol },
    });
}

/** Installs our term in every shard; answers where the source resumes: the fence knows, else the store does (D3). */
async function install(
  { publishers, store }: IngestOptions,
  tenure: Tenure,
): Promise<{ readonly kind: 'installed'; readonly cursor: string | undefined } | { readonly kind: 'refused' }> {
  const cursors: (string | undefined)[] = [];
  for (const [shard, publisher] of publishers.entries()) {
    const outcome = await publisher.install({ term: tenure.term, token: tenure.token });
    if (outcome.kind === 'refused') return { kind: 'refused' };
    cursors.push(outcome.sourceCursor ?? (await store.shard(shard)).sourceCursor);
  }
  return { kind: 'installed', cursor: furthestBehind(cursors) };
}

/** The lowest position resumes every shard without a hole; duplicates are dropped by trade id. */
function furthestBehind(cursors: readonly (string | undefined)[]): string | undefined {
  const known = cursors.filter((cursor) => cursor !== undefined);
  if (known.length < cursors.length) return undefined;
  const position = (cursor: string): number => (JSON.parse(cursor) as { position: number }).position;
  return known.reduce((lowest, cursor) => (position(cursor) < position(lowest) ? cursor : lowest));
}

/** False: a shard did not take it, and this stay is over; the next one installs again and resumes where the fence is (D3). */
async function publishBatch(
  options: IngestOptions,
  tenure: Tenure,
  batch: FeedBatch,
  withWatermark: boolean,
): Promise<boolean> {
  const { publishers, observe, feed } = options;
  for (const [shard, publisher] of publishers.entries()) {
    const ticks =
      publishers.length === 1
        ? batch.ticks
        : batch.ticks.filter((tick) => shardOfSymbol(tick.symbol, publishers.length) === shard);
    const entries: PublishEntry[] = [];
    if (batch.gap !== undefined) entries.push({ kind: 'gap', ...batch.gap });
    for (const tick of ticks) entries.push({ kind: 'tick', tick });
    if (withWatermark) entries.push({ kind: 'watermark', watermarkUs: batch.watermarkUs, source: feed.source });
    if (entries.length === 0) continue;
    const outcome = await settle(options, tenure, publisher, await publisher.publish(entries, batch.cursor));
    if (outcome.kind === 'published') continue;
    observe({ kind: 'refused', shard, outcome: outcome.kind });
    return false;
  }
  if (batch.gap !== undefined) observe({ kind: 'gap', reason: batch.gap.reason });
  const last = batch.ticks.at(-1);
  if (last !== undefined)
    observe({ kind: 'published', ticks: batch.ticks.length, lastTickMs: Math.floor(last.tsUs / 1_000) });
  return true;
}

/** FENCE-11: a batch whose answer was lost is sent again as it was, for as long as the lease is held. */
async function settle(
  { clock }: IngestOptions,
  tenure: Tenure,
  publisher: Publisher,
  first: PublishOutcome,
): Promise<PublishOutcome> {
  let outcome = first;
  while (outcome.kind === 'unknown' && tenure.isHeld()) {
    await clock.sleep(RESEND_PAUSE_MS, tenure.signal);
    outcome = await publisher.resend();
  }
  return outcome;
}

const RESEND_PAUSE_MS = 100;

/** F1: nothing invalid enters the stream; what is refused is counted with its reason (R24). */
function isValid({ observe, feed, clock }: IngestOptions, tick: Tick): boolean {
  const checked = validateTick(tick, {
    allowNonPositivePrice: false,
    tsMaxUs: (clock.nowMs() + FUTURE_MS_MAX) * 1_000,
  });
  if (!checked.ok) observe({ kind: 'rejected', symbol: tick.symbol || feed.source, ...checked.error });
  return checked.ok;
}

/** R9: one tick from the future would close every candle. */
const FUTURE_MS_MAX = 60_000;
