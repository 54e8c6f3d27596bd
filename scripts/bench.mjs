// Runs benchmarks: `npm run bench -- P1 P3 [--json FILE]`; without ids, all. A benchmark is a file bench/<ID>-<what>.mjs
// whose `run()` returns rows {what, value, unit, reference, ratio, target}: ratios are taken within one run (targets).
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const BENCH = join(import.meta.dirname, '..', 'bench');

const { values, positionals } = parseArgs({ allowPositionals: true, options: { json: { type: 'string' } } });
const available = readdirSync(BENCH).filter((name) => /^P\d+-.+\.mjs$/.test(name));
const idOf = (name) => name.slice(0, name.indexOf('-'));
const unknown = positionals.filter((id) => available.every((name) => idOf(name) !== id));
if (unknown.length > 0) {
  console.error(`bench: no ${unknown.join(', ')}; there are: ${available.join(', ') || 'none'}`);
  process.exit(2);
}

const rows = [];
for (const name of available.filter((file) => positionals.length === 0 || positionals.includes(idOf(file)))) {
  const { run } = await import(join(BENCH, name));
  for (const row of await run())
    rows.push({ id: idOf(name), ...row, passed: row.target === undefined || row.ratio >= row.target });
}
console.table(rows);
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(rows, null, 2)}\n`);

const failed = rows.filter(({ passed }) => !passed).length;
process.exitCode = failed === 0 ? 0 : 1;
console.log(`${rows.length - failed} passed, ${failed} failed`);
