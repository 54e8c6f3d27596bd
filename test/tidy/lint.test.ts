import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from './project.ts';

// The linter's own table is a check too, and one that a version bump could silently switch off (pg-boss).

let folder = '';
let report = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ticker-lint-'));
  for (const name of ['.oxlintrc.json', 'package.json', 'tsconfig.base.json'])
    cpSync(join(ROOT, name), join(folder, name));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'tsconfig.json'), '{ "extends": "./tsconfig.base.json", "include": ["src", "test"] }');
  for (const [path, text] of Object.entries(FIXTURES)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const oxlint = join(ROOT, 'node_modules', 'oxlint', 'bin', 'oxlint');
  const run = spawnSync(process.execPath, [oxlint, '--type-aware', '--format=unix', '.'], {
    cwd: folder,
    encoding: 'utf8',
  });
  report = run.stdout + run.stderr;
}, 60_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the linter', () => {
  it.each([
    ['no-floating-promises', 'src/floating.ts'],
    ['no-misused-promises', 'src/misused.ts'],
    ['switch-exhaustiveness-check', 'src/switch.ts'],
    ['no-restricted-globals', 'src/globals.ts'],
    ['no-restricted-properties', 'src/properties.ts'],
    ['no-restricted-imports', 'src/imports.ts'],
    ['no-default-export', 'src/default.ts'],
    ['no-empty', 'src/empty.ts'],
    ['no-console', 'src/console.ts'],
    ['max-lines-per-function', 'src/long.ts'],
    ['no-focused-tests', 'test/only.test.ts'],
  ])('%s fires in %s', (rule, path) => {
    const lines = report.split('\n').filter((line) => line.startsWith(path) && line.includes(rule));
    expect(lines, report).not.toEqual([]);
  });

  it('lets the two doors, the terminal and clean code be', () => {
    const quiet = ['src/core/clock.ts', 'src/core/random.ts', 'src/cli/main.ts', 'src/clean.ts'];
    expect(report.split('\n').filter((line) => quiet.some((path) => line.startsWith(path)))).toEqual([]);
  });
});

const FIXTURES = {
  'src/floating.ts': 'async function f(): Promise<void> {\n  await null;\n}\nexport function g(): void {\n  f();\n}\n',
  'src/misused.ts':
    'export function g(list: number[]): void {\n  list.forEach(async (x) => {\n    await Promise.resolve(x);\n  });\n}\n',
  'src/switch.ts': "export function g(x: 'a' | 'b'): void {\n  switch (x) {\n    case 'a':\n      break;\n  }\n}\n",
  'src/globals.ts': 'export const g = (f: () => void): unknown => setTimeout(f, 1);\n',
  'src/properties.ts': 'export const g = (): number => Date.now() + Math.random();\n',
  'src/imports.ts': "export { setTimeout as wait } from 'node:timers/promises';\n",
  'src/default.ts': 'export default 1;\n',
  'src/empty.ts': 'export function g(f: () => void): void {\n  try {\n    f();\n  } catch {}\n}\n',
  'src/console.ts': "console.log('x');\n",
  'src/long.ts': `export function g(f: () => void): void {\n${'  f();\n'.repeat(60)}}\n`,
  'test/only.test.ts': "import { expect, it } from 'vitest';\nit.only('x', () => expect(1).toBe(1));\n",
  'src/core/clock.ts': 'export const now = (): number => Date.now() + performance.now();\n',
  'src/core/random.ts': 'export const next = (): number => Math.random();\n',
  'src/cli/main.ts': "console.log('x');\n",
  'src/clean.ts': 'export const one = 1;\n',
};
