// A reader in a process of its own, from the built code: a crash of it is seen as one. Usage: node reader.mjs PATH..
// Reads everything there is in each store, and prints a line for each read: {read, value} or {read, fault}.
import { systemClock } from '../../../dist/core/clock.js';
import { INTERVALS } from '../../../dist/core/interval.js';
import { openSqliteStore } from '../../../dist/store/index.js';

const ALL_US = [-8_000_000_000_000_000, 8_000_000_000_000_000];

for (const path of process.argv.slice(2)) {
  console.log(JSON.stringify({ path }));
  const store = await attempt('open', async () => {
    const opened = await openSqliteStore({ path, mode: 'read', ownerLabel: 'test', clock: systemClock });
    return { opened, shown: opened.incarnation };
  });
  if (store === undefined) continue;
  await attempt('instruments', async () => ({ shown: await store.instruments() }));
  await attempt('shard', async () => ({ shown: await store.shard(0) }));
  for (const interval of INTERVALS) {
    await attempt(`latest ${interval}`, async () => ({ shown: await store.latestCandles(interval) }));
    for (const instrumentId of [1, 2]) {
      const read = `candles ${instrumentId} ${interval}`;
      await attempt(read, async () => ({
        shown: (await store.readCandles({ instrumentId, shard: 0, interval, limit: 10_000 })).rows,
      }));
    }
  }
  for (const instrumentId of [1, 2])
    await attempt(`ticks ${instrumentId}`, async () => ({ shown: await store.archivedTicks(instrumentId, ...ALL_US) }));
  await store.close();
}

async function attempt(read, work) {
  try {
    const { opened, shown } = await work();
    console.log(JSON.stringify({ read, value: shown }));
    return opened;
  } catch (error) {
    console.log(JSON.stringify({ read, fault: error.code ?? String(error.stack), message: error.message }));
    return undefined;
  }
}
