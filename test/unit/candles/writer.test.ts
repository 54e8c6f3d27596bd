import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDedupeSet } from '../../../src/candles/dedupe.ts';
import { createCandleWriter } from '../../../src/candles/writer.ts';
import { viewCandle } from '../../../src/core/candle.ts';
import { systemClock } from '../../../src/core/clock.ts';
import type { Instrument } from '../../../src/core/instrument.ts';
import { INTERVALS } from '../../../src/core/interval.ts';
import { openSqliteStore } from '../../../src/store/sqlite/index.ts';
import type { Store } from '../../../src/store/store.ts';
import { dump, type OracleCandle, oracleCandles } from '../../oracle/oracle.ts';
import { arbitraryTrades, type Trade, tickOf } from './trades.ts';

const SYMBOLS = ['A', 'B', 'C'];

let folder: string;
let store: Store;
let instruments: Map<string, Instrument>;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ticker-writer-'));
  await open('store.db');
});

afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

async function open(name: string): Promise<void> {
  store = await openSqliteStore({ path: join(folder, name), mode: 'write', ownerLabel: 'test', clock: systemClock });
  const registered = await store.register(SYMBOLS.map((symbol) => ({ symbol, source: 'test', simulated: false })));
  if (!registered.ok) throw new Error('conflict');
  instruments = new Map(registered.value.map((instrument) => [instrument.symbol, instrument]));
}

const writer = async () => {
  const { ownerTerm } = await store.takeOver(0, 'me');
  return createCandleWriter({ store, shard: 0, ownerTerm, instruments });
};

async function stored(): Promise<string> {
  const candles: OracleCandle[] = [];
  for (const symbol of SYMBOLS) {
    for (const interval of INTERVALS) {
      const instrumentId = instruments.get(symbol)?.instrumentId ?? -1;
      const { rows } = await store.readCandles({ instrumentId, shard: 0, interval, limit: 5_000 });
      candles.push(...rows.map((row) => viewCandle(row, { symbol, simulated: false, state: 'closed' })));
    }
  }
  return dump(candles);
}

const trade = (id: string): Trade => ({ symbol: 'A', tsUs: 1_000_000n, seq: 0n, id, price: '1', size: '1' });

/** Distinct within an hour, so that the oracle and the store agree on identity whatever the symbol. */
const schedules = arbitraryTrades(SYMBOLS).chain((trades) =>
  fc.record({
    trades: fc.constant(trades),
    delivered: fc
      .tuple(fc.shuffledSubarray(trades, { minLength: trades.length }), fc.shuffledSubarray(trades))
      .map(([all, again]) => [...all, ...again]),
    flushEvery: fc.integer({ min: 1, max: 9 }),
    restartEvery: fc.integer({ min: 1, max: 5 }),
  }),
);

describe('candle writer', () => {
  it('R11 R20 R33 R41 duplicates, any order, any flushes and restarts between them give the oracle’s candles', async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(schedules, async ({ trades, delivered, flushEvery, restartEvery }) => {
        await store.close();
        await open(`run-${run++}.db`);
        let current = await writer();
        let flushes = 0;
        for (let from = 0; from < delivered.length; from += flushEvery) {
          await current.add(delivered.slice(from, from + flushEvery).map(tickOf));
          const outcome = await current.flush({ ingestMs: 1 });
          expect(outcome.kind).toBe('committed');
          if (++flushes % restartEvery === 0) current = await writer();
        }
        expect(await stored()).toBe(dump(oracleCandles(trades)));
      }),
      { numRuns: 40 },
    );
  });

  it('R24 received = applied + duplicate, counted when committed', async () => {
    const current = await writer();
    await current.add(['1', '2', '1'].map((id) => tickOf(trade(id))));
    expect(current.counts).toEqual({ received: 0, applied: 0, duplicate: 0 });
    expect(current.pending).toBe(2);
    await current.flush({ ingestMs: 1 });
    expect(current.counts).toEqual({ received: 3, applied: 2, duplicate: 1 });
  });

  it('CKPT-3 R35 a writer that was replaced writes nothing, and its trades count when they come again', async () => {
    const old = await writer();
    await old.add([tickOf(trade('1'))]);
    const next = await writer();
    expect((await old.flush({ ingestMs: 1 })).kind).toBe('fenced');
    expect(old.pending).toBe(0);
    expect(old.counts).toEqual({ received: 0, applied: 0, duplicate: 0 });
    await next.add([tickOf(trade('1'))]);
    await next.flush({ ingestMs: 1 });
    expect(await stored()).toBe(dump(oracleCandles([trade('1')])));
  });
});

describe('dedupe set', () => {
  it('D6 R20 forgets hours beyond its limit and asks the archive again', async () => {
    const archive = new Map<string, string[]>();
    let loads = 0;
    const set = createDedupeSet(
      { archivedIds: async (instrumentId, hour) => (loads++, archive.get(`${instrumentId}:${hour}`) ?? []) },
      130,
    );
    const at = (hour: number, id: string) => ({
      instrumentId: 1,
      tick: tickOf({ ...trade(id), tsUs: BigInt(hour) * 3_600_000_000n }),
    });
    const admit = async (hour: number, id: string): Promise<boolean> => {
      await set.prepare([at(hour, id)]);
      const fresh = set.admit(at(hour, id));
      if (fresh) archive.set(`1:${hour * 3_600_000_000}`, [...(archive.get(`1:${hour * 3_600_000_000}`) ?? []), id]);
      set.committing();
      set.committed();
      return fresh;
    };
    expect([await admit(0, 'a'), await admit(1, 'a'), await admit(2, 'a')]).toEqual([true, true, true]);
    expect(await admit(0, 'a')).toBe(false);
    expect(await admit(2, 'a')).toBe(false);
    expect(loads).toBeGreaterThan(3);
  });

  it('D1 ids are opaque text: 1, 01, +1, 1.0 and a number beyond 2^53 are different trades', async () => {
    const set = createDedupeSet({ archivedIds: async () => ['7'] });
    const ids = ['1', '01', '+1', '1.0', '-1', '', '9007199254740992', '9007199254740993', '0', '00', 'a', '7'];
    const trades = ids.map((id) => ({ instrumentId: 1, tick: tickOf(trade(id)) }));
    await set.prepare(trades);
    expect(trades.map((one) => set.admit(one))).toEqual(ids.map((id) => id !== '7'));
    expect(trades.some((one) => set.admit(one))).toBe(false);
  });
});
