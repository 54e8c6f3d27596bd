// Everything about the code that needs no running program: `npm run check`, also in CI. All steps run, then it judges.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const WEB = join(ROOT, 'web');

/** `program` is a path from the root; `args` are passed on; `cwd` is the root unless it says otherwise. */
const STEPS = [
  { name: 'build', program: 'scripts/build.mjs', args: [] },
  { name: 'format', program: 'node_modules/@biomejs/biome/bin/biome', args: ['ci', '--colors=off', '.'] },
  {
    name: 'lint',
    program: 'node_modules/oxlint/bin/oxlint',
    args: ['--type-aware', '--deny-warnings', '--report-unused-disable-directives'],
  },
  { name: 'types of tests', program: 'node_modules/typescript/bin/tsc', args: ['-p', 'tsconfig.test.json'] },
  { name: 'types of routes', program: 'node_modules/next/dist/bin/next', args: ['typegen'], cwd: WEB },
  { name: 'types of web', program: 'web/node_modules/typescript/bin/tsc6', args: ['--noEmit', '-p', '.'], cwd: WEB },
  { name: 'dead code', program: 'node_modules/knip/bin/knip.js', args: ['--no-progress'] },
  {
    name: 'structure',
    program: 'node_modules/vitest/vitest.mjs',
    args: ['run', '--project', 'tidy', '--reporter=dot'],
  },
  { name: 'docs', program: 'scripts/docs.mjs', args: ['--check'] },
  { name: 'package', program: 'scripts/package.mjs', args: [] },
];

const failed = [];
for (const { name, program, args, cwd = ROOT } of STEPS) {
  const started = performance.now();
  const run = spawnSync(process.execPath, [join(ROOT, program), ...args], {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined, NEXT_TELEMETRY_DISABLED: '1' },
    maxBuffer: 64 * 1024 * 1024,
  });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${run.status === 0 ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)`);
  if (run.status === 0) continue;
  failed.push(name);
  console.log([run.stdout, run.stderr, run.error?.message].filter(Boolean).join('\n'));
}

console.log(failed.length === 0 ? 'check: all good' : `check: failed: ${failed.join(', ')}`);
process.exitCode = failed.length === 0 ? 0 : 1;
