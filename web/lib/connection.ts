import type { FeedHealth } from './api.ts';

/**
 * Where the live stream stands, as a pure function of what happened to it. The edge (stream.ts) opens an EventSource
 * whenever `reopenAtMs` has come, and does nothing else on its own judgement.
 */
export interface Connection {
  readonly phase: Phase;
  /** Failures since the last event was heard: sets the back-off. */
  readonly attempt: number;
  /** When something was last heard, or the stream was last opened; Unix ms of the page's own clock. */
  readonly heardMs: number;
  /** The last event id: opening anew resumes after it (V2). Empty before the first event. */
  readonly cursor: string;
  readonly feed: FeedHealth | null;
  /** When to open a new EventSource; null while one is at work. */
  readonly reopenAtMs: number | null;
}

export type Phase = 'connecting' | 'live' | 'reconnecting' | 'stale' | 'closed';

export type ConnectionEvent =
  | { readonly kind: 'opened'; readonly nowMs: number }
  | { readonly kind: 'heard'; readonly nowMs: number; readonly cursor: string; readonly feed?: FeedHealth }
  /** The EventSource reported an error; `dead` when it will not try again by itself. `jitter` is in [0, 1). */
  | { readonly kind: 'interrupted'; readonly nowMs: number; readonly dead: boolean; readonly jitter: number }
  /** The watchdog looked. */
  | { readonly kind: 'checked'; readonly nowMs: number }
  /** The page became visible again, after sleep or from the back-forward cache. */
  | { readonly kind: 'woken'; readonly nowMs: number }
  | { readonly kind: 'left' };

/** Two heartbeats of 10 s and a margin: silence beyond it means that the stream is dead, whatever the socket says. */
export const SILENCE_MAX_MS = 25_000;

export function newConnection(nowMs: number): Connection {
  return { phase: 'connecting', attempt: 0, heardMs: nowMs, cursor: '', feed: null, reopenAtMs: nowMs };
}

export function stepConnection(at: Connection, event: ConnectionEvent): Connection {
  switch (event.kind) {
    case 'opened':
      return { ...at, heardMs: event.nowMs, reopenAtMs: null, phase: at.phase === 'closed' ? 'connecting' : at.phase };
    case 'heard':
      return {
        phase: 'live',
        attempt: 0,
        heardMs: event.nowMs,
        cursor: event.cursor === '' ? at.cursor : event.cursor,
        feed: event.feed ?? at.feed,
        reopenAtMs: null,
      };
    case 'interrupted':
      if (!event.dead) return { ...at, phase: 'reconnecting' };
      return {
        ...at,
        phase: 'reconnecting',
        attempt: at.attempt + 1,
        reopenAtMs: event.nowMs + backoffMs(at.attempt, event.jitter),
      };
    case 'checked':
      return isSilent(at, event.nowMs) ? reopenNow(at, event.nowMs) : at;
    case 'woken':
      if (at.reopenAtMs !== null || at.phase === 'closed') return { ...at, reopenAtMs: event.nowMs };
      return isSilent(at, event.nowMs) ? reopenNow(at, event.nowMs) : at;
    case 'left':
      return { ...at, phase: 'closed', reopenAtMs: null };
  }
}

/** What the reader is told: a healthy stream of a frozen or closed feed is not live (V7). */
export function displayedPhase(at: Connection): Phase {
  if (at.phase !== 'live') return at.phase;
  return at.feed?.state === 'stale' || at.feed?.state === 'closed' ? at.feed.state : 'live';
}

function isSilent(at: Connection, nowMs: number): boolean {
  return at.phase !== 'closed' && at.reopenAtMs === null && nowMs - at.heardMs > SILENCE_MAX_MS;
}

function reopenNow(at: Connection, nowMs: number): Connection {
  return { ...at, phase: at.phase === 'live' ? 'stale' : at.phase, reopenAtMs: nowMs };
}

const BACKOFF_FIRST_MS = 1_000;
const BACKOFF_MAX_MS = 30_000;

/** Doubling, and spread over its upper half, so that many pages do not come back in step (V5). */
function backoffMs(attempt: number, jitter: number): number {
  const fullMs = Math.min(BACKOFF_MAX_MS, BACKOFF_FIRST_MS * 2 ** Math.min(attempt, 10));
  return Math.round(fullMs * (0.5 + jitter / 2));
}
