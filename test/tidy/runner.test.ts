import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from './project.ts';

// The runner judges every other check, so it is shown suites that pass, fail, skip, load badly, and take too long.

let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ticker-runner-'));
  mkdirSync(join(folder, 'scripts'));
  for (const name of ['test.mjs', 'setup.mjs']) cpSync(join(ROOT, 'scripts', name), join(folder, 'scripts', name));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'scripts', 'build.mjs'), '');
  writeFileSync(join(folder, 'scripts', 'suites.mjs'), `export const SUITES = ${JSON.stringify(SUITES)};`);
  const projects = SUITES.map(({ name }) => ({ test: { name, include: [`${name}.test.js`] } }));
  writeFileSync(
    join(folder, 'vitest.config.js'),
    `export default { test: { projects: ${JSON.stringify(projects)} } };`,
  );
  for (const { name, text } of SUITES) writeFileSync(join(folder, `${name}.test.js`), text);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the test runner', { timeout: 60_000 }, () => {
  it.each([
    ['good', {}, [], '2 passed, 0 failed', 0],
    ['bad', {}, [], '1 passed, 1 failed', 1],
    ['broken', {}, [], '0 passed, 1 failed', 1],
    ['slow', {}, [], '1 passed, 1 failed', 1],
    ['skipping', {}, [], '1 passed, 0 failed, 1 skipped', 0],
    ['skipping', { REQUIRE_SERVERS: '1' }, [], '1 passed, 1 failed, 1 skipped', 1],
    ['good', {}, ['--failed-before=check'], '2 passed, 1 failed', 1],
  ])('a %s suite with %o %o ends with "%s"', (name, extra, args, lastLine, status) => {
    const env = { ...process.env, CI: '', REQUIRE_SERVERS: '', ...extra };
    const run = spawnSync(process.execPath, ['scripts/test.mjs', name, ...args], {
      cwd: folder,
      env,
      encoding: 'utf8',
    });
    expect(run.stdout.trimEnd().split('\n').at(-1), run.stdout + run.stderr).toBe(lastLine);
    expect(run.status).toBe(status);
  });
});

const HEAD = "import { expect, it } from 'vitest';\nconst pass = () => expect(1).toBe(1);\n";
const SUITES = [
  { name: 'good', budgetSeconds: 30, needs: [], text: `${HEAD}it('a', pass);\nit('b', pass);` },
  { name: 'bad', budgetSeconds: 30, needs: [], text: `${HEAD}it('a', pass);\nit('b', () => expect(1).toBe(2));` },
  { name: 'broken', budgetSeconds: 30, needs: [], text: "import './nowhere.js';" },
  { name: 'slow', budgetSeconds: 0.01, needs: [], text: `${HEAD}it('a', pass);` },
  { name: 'skipping', budgetSeconds: 30, needs: [], text: `${HEAD}it('a', pass);\nit.skip('b', pass);` },
];
