import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Connection,
  type ConnectionEvent,
  displayedPhase,
  newConnection,
  SILENCE_MAX_MS,
  stepConnection,
} from '../../../web/lib/connection.ts';

const after = (...events: ConnectionEvent[]): Connection => events.reduce(stepConnection, newConnection(0));
const opened = (nowMs: number): ConnectionEvent => ({ kind: 'opened', nowMs });
const heard = (nowMs: number, cursor = ''): ConnectionEvent => ({ kind: 'heard', nowMs, cursor });
const interrupted = (nowMs: number, dead: boolean, jitter = 0): ConnectionEvent => ({
  kind: 'interrupted',
  nowMs,
  dead,
  jitter,
});

describe('V5 the connection of the page', () => {
  it('V5 connects at once, and is live with the first event and not before', () => {
    expect(newConnection(5).reopenAtMs).toBe(5);
    expect(after(opened(0))).toMatchObject({ phase: 'connecting', reopenAtMs: null });
    expect(after(opened(0), heard(1))).toMatchObject({ phase: 'live' });
  });

  it('V5 leaves a native reconnect to the browser, and opens anew with growing, jittered pauses when the source is dead', () => {
    expect(after(opened(0), heard(1), interrupted(2, false))).toMatchObject({
      phase: 'reconnecting',
      reopenAtMs: null,
    });
    const once = after(opened(0), heard(1), interrupted(1_000, true));
    expect(once).toMatchObject({ phase: 'reconnecting', reopenAtMs: 1_500 });
    expect(after(opened(0), interrupted(1_000, true, 0.999_999)).reopenAtMs).toBe(2_000);
    const twice = [opened(1_500), interrupted(2_000, true)].reduce(stepConnection, once);
    expect(twice.reopenAtMs).toBe(3_000);
    expect(stepConnection(twice, heard(4_000)).attempt).toBe(0);
  });

  it('V5 the pause never exceeds half a minute', () => {
    let at = after(opened(0));
    for (let i = 0; i < 40; i++) at = stepConnection(at, interrupted(0, true, 0.999_999));
    expect(at.reopenAtMs).toBe(30_000);
  });

  it('V7 silence makes it stale and opens anew; a machine that wakes up does not wait', () => {
    const live = after(opened(0), heard(100));
    const later = 100 + SILENCE_MAX_MS;
    expect(stepConnection(live, { kind: 'checked', nowMs: later })).toBe(live);
    const silent = { phase: 'stale', reopenAtMs: later + 1 };
    expect(stepConnection(live, { kind: 'checked', nowMs: later + 1 })).toMatchObject(silent);
    expect(stepConnection(live, { kind: 'woken', nowMs: later + 1 })).toMatchObject(silent);
    expect(stepConnection(live, { kind: 'woken', nowMs: later })).toBe(live);
    const waiting = after(opened(0), interrupted(0, true));
    expect(stepConnection(waiting, { kind: 'woken', nowMs: 7 }).reopenAtMs).toBe(7);
  });

  it('V5 a page that left does nothing until it is woken', () => {
    const left = after(opened(0), heard(1), { kind: 'left' });
    expect(left).toMatchObject({ phase: 'closed', reopenAtMs: null });
    expect(stepConnection(left, { kind: 'checked', nowMs: 1_000_000 })).toBe(left);
    expect(stepConnection(left, { kind: 'woken', nowMs: 9 }).reopenAtMs).toBe(9);
  });

  it('V2 keeps the cursor across failures', () => {
    expect(after(opened(0), heard(1, 'a'), heard(2), interrupted(3, true), opened(9)).cursor).toBe('a');
  });

  it('V7 a live stream of a frozen or closed feed is not displayed as live', () => {
    const withFeed = (state: 'live' | 'stale' | 'closed' | 'simulated') =>
      displayedPhase(after(opened(0), { kind: 'heard', nowMs: 1, cursor: '', feed: { state, lastTickMs: 1 } }));
    expect([withFeed('live'), withFeed('simulated'), withFeed('stale'), withFeed('closed')]).toEqual([
      'live',
      'live',
      'stale',
      'closed',
    ]);
    const gone = after(
      opened(0),
      { kind: 'heard', nowMs: 1, cursor: '', feed: { state: 'closed', lastTickMs: 1 } },
      interrupted(2, false),
    );
    expect(displayedPhase(gone)).toBe('reconnecting');
  });

  it('V5 whatever happens, a page that has not left either listens or knows when to open', () => {
    const event = fc.oneof(
      fc.record({ kind: fc.constant('opened' as const) }),
      fc.record({ kind: fc.constant('heard' as const), cursor: fc.string() }),
      fc.record({
        kind: fc.constant('interrupted' as const),
        dead: fc.boolean(),
        jitter: fc.double({ min: 0, max: 0.99, noNaN: true }),
      }),
      fc.record({ kind: fc.constantFrom('checked' as const, 'woken' as const) }),
    );
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30 }), (events) => {
        let at = newConnection(0);
        let listening = false;
        for (const [index, step] of events.entries()) {
          at = stepConnection(at, { ...step, nowMs: index * 10_000 });
          if (step.kind === 'opened' || step.kind === 'heard') listening = true;
          if (step.kind === 'interrupted' && step.dead) listening = false;
          expect(listening || at.reopenAtMs !== null).toBe(true);
        }
      }),
    );
  });
});
