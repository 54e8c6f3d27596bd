// A writer in a process of its own, from the built code. Usage: node writer.mjs PATH hold | commit
// hold: opens the store and keeps it. commit: commits for ever. Prints a line for each thing done.
import { once } from 'node:events';
import { systemClock } from '../../../dist/core/clock.js';
import { openSqliteStore } from '../../../dist/store/index.js';

const [path, mode] = process.argv.slice(2);
const HOUR_US = 3_600_000_000;

try {
  const store = await openSqliteStore({ path, mode: 'write', ownerLabel: `test ${mode}`, clock: systemClock });
  console.log('open');
  if (mode === 'commit') await commitForEver(store);
  else await once(process.stdin, 'end');
} catch (error) {
  console.log(`${error.code} ${error.message}`);
}

/** Commit n writes two candles of volume n, one tick with id n, and the position n: all or none must be there. */
async function commitForEver(store) {
  const registered = await store.register([{ symbol: 'IBM', source: 'file', simulated: false }]);
  const { instrumentId } = registered.value[0];
  const { ownerTerm, commitNo } = await store.takeOver(0, 'writer');
  for (let n = commitNo + 1; ; n++) {
    await store.commit({
      shard: 0,
      ownerTerm,
      candles: [candle(instrumentId, '1s', n), candle(instrumentId, '1M', n)],
      ticks: [{ instrumentId, tick: tick(n) }],
      ingestMs: 0,
      checkpoint: { streamId: { epoch: 1, seq: n }, sourceCursor: `${n}`, watermarkUs: n },
    });
    console.log(`commit ${n}`);
    if (n % 20 === 0) await store.compact(0, HOUR_US);
  }
}

function candle(instrumentId, interval, n) {
  const value = { units: n, digits: 0 };
  return {
    instrumentId,
    interval,
    startUs: 0,
    candle: { open: tick(n), high: value, low: value, close: tick(n), volume: value, quoteVolume: value, trades: n },
  };
}

function tick(n) {
  const one = { units: 1, digits: 0 };
  return {
    symbol: 'IBM',
    tsUs: n,
    ns: 0,
    seq: n,
    id: `${n}`,
    price: one,
    size: one,
    exchange: '',
    conditions: '',
    side: '',
  };
}
