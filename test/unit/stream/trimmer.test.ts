import { describe, expect, it } from 'vitest';
import {
  createCursorReader,
  createTrimmer,
  firstSince,
  readCheckpoints,
  type TrimmerOptions,
  writeCheckpoint,
} from '../../../src/stream/index.ts';
import { installed, KEYS, openServer, ticks } from './harness.ts';

const TERM = 2_000_000_000_000;

/** Six batches of 100 ticks, a second apart; the clock stands a second after the last. */
async function withSixHundred() {
  const server = openServer();
  const publisher = await installed(server.connection, TERM);
  for (let i = 0; i < 6; i++) {
    await publisher.publish(ticks(i * 100, 100), `c${i}`);
    await server.clock.advance(1_000);
  }
  const trimmerOf = (over: Partial<TrimmerOptions>) =>
    createTrimmer({
      connection: server.connection,
      keys: KEYS,
      clock: server.clock,
      required: ['candles'],
      keepMs: 0,
      hardCapEntries: 0,
      ...over,
    });
  return { ...server, trimmerOf };
}

describe('STREAM-13 D2 trimming', () => {
  it('STREAM-13 a required consumer that has not committed keeps everything', async () => {
    const { trimmerOf } = await withSixHundred();
    expect(await trimmerOf({}).trim()).toEqual({ trimmed: 0, lost: 0, keptFrom: undefined });
  });

  it('STREAM-13 keeps from the lowest committed id, and the entry itself', async () => {
    const { connection, trimmerOf } = await withSixHundred();
    await writeCheckpoint(connection, KEYS, 'candles', { epoch: TERM, seq: 450 });
    await writeCheckpoint(connection, KEYS, 'risk', { epoch: TERM, seq: 250 });
    expect(await readCheckpoints(connection, KEYS)).toEqual(
      new Map([
        ['candles', { epoch: TERM, seq: 450 }],
        ['risk', { epoch: TERM, seq: 250 }],
      ]),
    );
    const outcome = await trimmerOf({ required: ['candles', 'risk'] }).trim();
    expect(outcome).toMatchObject({ lost: 0, keptFrom: { epoch: TERM, seq: 250 } });
    const first = (await createCursorReader({ connection, key: KEYS.ticks }).bounds())?.first.seq ?? Number.NaN;
    expect(first).toBeLessThanOrEqual(250);
    expect(first).toBeGreaterThan(100);
    expect(outcome.trimmed).toBe(first);
  });

  it('STREAM-13 keeps what is young, whoever has read it', async () => {
    const { connection, trimmerOf } = await withSixHundred();
    await writeCheckpoint(connection, KEYS, 'candles', { epoch: TERM, seq: 600 });
    // Batches were made 6, 5, 4, 3, 2 and 1 s ago.
    expect(await trimmerOf({ keepMs: 3_000 }).trim()).toMatchObject({ keptFrom: { epoch: TERM, seq: 301 } });
    expect(await trimmerOf({ keepMs: 3_000 }).trim()).toMatchObject({ trimmed: 0 });
    expect(await trimmerOf({ keepMs: 2_999 }).trim()).toMatchObject({ keptFrom: { epoch: TERM, seq: 401 } });
    expect(await trimmerOf({ keepMs: 0 }).trim()).toMatchObject({ keptFrom: { epoch: TERM, seq: 600 } });
  });

  it('STREAM-13 only the hard cap goes below, and says what that cost', async () => {
    const { connection, trimmerOf } = await withSixHundred();
    const outcome = await trimmerOf({ hardCapEntries: 300 }).trim();
    expect(outcome).toMatchObject({ trimmed: 0, keptFrom: undefined });
    expect(outcome.lost).toBeGreaterThan(200);
    expect(await connection.call('XLEN', KEYS.ticks)).toBe(601 - outcome.lost);
  });

  it('STREAM-13 a long backlog goes at once: the default limit of XTRIM ~ does not hold it', async () => {
    const { connection, clock } = openServer();
    const publisher = await installed(connection, TERM);
    for (let i = 0; i < 60; i++) await publisher.publish(ticks(i * 200, 200), 'c');
    await clock.advance(1_000);
    const options = { connection, keys: KEYS, clock, required: ['candles'], keepMs: 0 };
    const capped = await createTrimmer({ ...options, hardCapEntries: 500 }).trim();
    expect(capped.lost).toBeGreaterThan(11_000);
    await writeCheckpoint(connection, KEYS, 'candles', { epoch: TERM, seq: 12_000 });
    await createTrimmer({ ...options, hardCapEntries: 0 }).trim();
    expect(await connection.call('XLEN', KEYS.ticks)).toBeLessThan(100);
  });

  it('STREAM-13 of what is committed, entries beyond the newest so many go however young they are', async () => {
    const { connection, trimmerOf } = await withSixHundred();
    await writeCheckpoint(connection, KEYS, 'candles', { epoch: TERM, seq: 590 });
    const kept = await trimmerOf({ keepMs: 3_600_000, keepEntriesMax: 150 }).trim();
    expect(kept).toMatchObject({ lost: 0, keptFrom: { epoch: TERM, seq: 451 } });
    expect(Number(await connection.call('XLEN', KEYS.ticks))).toBeLessThan(250);
    await writeCheckpoint(connection, KEYS, 'candles', { epoch: TERM, seq: 460 });
    expect((await trimmerOf({ keepMs: 3_600_000, keepEntriesMax: 10 }).trim()).keptFrom).toEqual({
      epoch: TERM,
      seq: 460,
    });
  });

  it('STREAM-13 an empty stream has nothing to trim', async () => {
    const { connection, clock } = openServer();
    const options = { connection, keys: KEYS, clock, required: [], keepMs: 0, hardCapEntries: 1 };
    expect(await createTrimmer(options).trim()).toEqual({ trimmed: 0, lost: 0, keptFrom: undefined });
  });

  it('D2 the first entry of a time is found across epochs', async () => {
    const { connection, clock } = openServer();
    const startMs = clock.nowMs();
    const expected: string[] = [];
    for (const epoch of [TERM, TERM + 7, TERM + 5_000]) {
      const publisher = await installed(connection, epoch);
      expected.push(`${epoch}-0`);
      await clock.advance(1_000);
      for (let i = 0; i < 3; i++) {
        await publisher.publish(ticks(i * 2, 2), 'c');
        expected.push(`${epoch}-${i * 2 + 1}`);
        await clock.advance(1_000);
      }
    }
    const reader = createCursorReader({ connection, key: KEYS.ticks });
    const found: (string | undefined)[] = [];
    // The barrier of the next epoch shares its second with nothing: each step of the loop above is a second of its own.
    for (let second = 0; second < expected.length; second++) {
      const id = await firstSince(reader, startMs + second * 1_000);
      found.push(id === undefined ? undefined : `${id.epoch}-${id.seq}`);
    }
    expect(found).toEqual(expected);
    expect(await firstSince(reader, startMs - 1)).toEqual({ epoch: TERM, seq: 0 });
    expect(await firstSince(reader, startMs + 60_000)).toEqual({ epoch: TERM + 5_000, seq: 6 });
  });
});
