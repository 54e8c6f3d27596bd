import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { dumpStore, endAfter, eventually, type Running, start, tempDir } from './ticker.ts';

const dir = tempDir();
afterAll(dir.remove);

const KILLS = 20;
const LENGTH_MS: Record<string, number> = { '1s': 1_000, '5s': 5_000, '1m': 60_000, '5m': 300_000, '15m': 900_000 };

/** The simulation started fifty minutes ago, so that a start has to catch up and several intervals have closed. */
const simulation = {
  TICKER_SIM_SEED: '42',
  TICKER_SIM_START_MS: String(Math.floor(Date.now() / 1_000) * 1_000 - 3_000_000),
  TICKER_SIM_RATE: '40',
  TICKER_FLUSH_MS: '20',
};

const ARGUMENTS = (name: string): string[] => [
  'start',
  '--no-web',
  '--http-port',
  '0',
  '--data-dir',
  join(dir.path, name),
];

const run = (name: string): Promise<Running> => start(ARGUMENTS(name), simulation);

const storeOf = (name: string): string => `sqlite:${join(dir.path, name, 'ticker.db')}`;

/** Event time of the newest tick in the candles. */
async function newestMs({ api }: Running): Promise<number> {
  const { symbols } = (await (await fetch(`${api}/v1/symbols`)).json()) as { symbols: { lastTsMs: number | null }[] };
  return Math.max(0, ...symbols.map(({ lastTsMs }) => lastTsMs ?? 0));
}

/** Candles that ended before an instant: the same ticks are in them, whichever run made them. */
function closedBefore(name: string, instantMs: number): string[] {
  return dumpStore(storeOf(name))
    .trim()
    .split('\n')
    .filter((line) => {
      const { interval, startMs } = JSON.parse(line) as { interval: string; startMs: number };
      return startMs + (LENGTH_MS[interval] ?? Number.POSITIVE_INFINITY) <= instantMs;
    });
}

describe('crash', () => {
  it(`R41 T8 CKPT-5 after ${KILLS} kills -9 at random moments the candles equal those of an uninterrupted run`, async () => {
    let state = 2_024;
    const random = (): number => (state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0) / 0x1_0000_0000;
    for (let kill = 0; kill < KILLS; kill++) {
      // From the first instruction to well into the live feed.
      await endAfter(ARGUMENTS('killed'), 'SIGKILL', random() * 2_500, simulation);
    }

    const [killed, calm] = await Promise.all([run('killed'), run('calm')]);
    const caughtUpMs = Date.now();
    for (const running of [killed, calm])
      await eventually('caught up', async () => (await newestMs(running)) >= caughtUpMs - 500 || undefined);
    expect(await Promise.all([killed.end('SIGTERM'), calm.end('SIGTERM')])).toEqual([0, 0]);

    const expected = closedBefore('calm', caughtUpMs - 1_000);
    expect(expected.length).toBeGreaterThan(10_000);
    expect(closedBefore('killed', caughtUpMs - 1_000)).toEqual(expected);
  });
});
