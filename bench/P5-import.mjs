// P5: bulk import of a trade file into candles of ten intervals, deduplicated, store included; beside DuckDB on one thread
// doing the same work into a file. Both read the same gzipped CSV and are timed as whole processes, in turn.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { installPeers } from './peers.mjs';
import { sampleTrades } from './sample-trades.mjs';

const ROOT = join(import.meta.dirname, '..');
const ROUNDS = 3;
const ROWS = Number(process.env.P5_ROWS ?? 2_000_000);

export async function run() {
  installPeers();
  const folder = mkdtempSync(join(tmpdir(), 'ticker-bench-'));
  try {
    const csv = join(folder, 'trades.csv.gz');
    writeFileSync(csv, gzipSync(sampleTrades(ROWS), { level: 1 }));
    const ours = [];
    const duck = [];
    for (let round = 0; round < ROUNDS; round++) {
      ours.push(
        timed([
          join(ROOT, 'dist', 'cli', 'main.js'),
          'import',
          csv,
          '--store',
          `sqlite:${join(folder, `ours-${round}.db`)}`,
        ]),
      );
      duck.push(timed([join(import.meta.dirname, 'peers', 'P5-duckdb.mjs'), csv, join(folder, `duck-${round}.db`)]));
    }
    compare(join(folder, 'ours-0.db'), join(folder, 'duck-0.db'));
    const rate = (seconds) => Math.round(ROWS / median(seconds));
    const spread = (seconds) =>
      `${Math.round(ROWS / Math.max(...seconds))}..${Math.round(ROWS / Math.min(...seconds))}`;
    return [
      {
        what: `import of ${ROWS} rows`,
        value: rate(ours),
        unit: 'trades/s',
        spread: spread(ours),
        reference: `DuckDB, 1 thread: ${rate(duck)} (${spread(duck)})`,
        ratio: Number((median(duck) / median(ours)).toFixed(2)),
        target: 1,
      },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function timed(args) {
  const startedMs = performance.now();
  const result = spawnSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 1 << 28 });
  if (result.status !== 0) throw new Error(`${args[0]} failed:\n${result.stderr}`);
  return (performance.now() - startedMs) / 1000;
}

/** The two must have done the same work: equal candles, digit for digit. */
function compare(ours, duck) {
  const ticker = spawnSync(
    process.execPath,
    [join(ROOT, 'dist', 'cli', 'main.js'), 'candles', '--store', `sqlite:${ours}`],
    { encoding: 'utf8', maxBuffer: 1 << 30 },
  );
  const lines = ticker.stdout
    .trim()
    .split('\n')
    .map((line) => {
      const c = JSON.parse(line);
      return [c.symbol, c.interval, c.startMs, c.open, c.high, c.low, c.close, c.volume, c.trades].join(',');
    });
  const theirs = spawnSync(process.execPath, [join(import.meta.dirname, 'peers', 'P5-duckdb.mjs'), '--dump', duck], {
    encoding: 'utf8',
    maxBuffer: 1 << 30,
  })
    .stdout.trim()
    .split('\n');
  const digest = (rows) => createHash('sha256').update(rows.sort().join('\n')).digest('hex');
  if (digest(lines) !== digest(theirs))
    throw new Error(`the candles differ: ${lines.length} rows here, ${theirs.length} there`);
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}
