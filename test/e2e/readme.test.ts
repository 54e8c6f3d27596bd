import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { firstMissingLine, readmeBlocks } from './readme-blocks.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const BLOCK_TIMEOUT_MS = 60_000;

let folder = '';
let bin = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ticker-readme-'));
  bin = join(folder, '.bin');
  mkdirSync(bin);
  const main = pathToFileURL(join(ROOT, 'dist', 'cli', 'main.js')).href;
  writeFileSync(join(bin, 'ticker'), `#!${process.execPath}\nimport(${JSON.stringify(main)});\n`, { mode: 0o755 });
  if (existsSync(join(ROOT, 'examples'))) cpSync(join(ROOT, 'examples'), join(folder, 'examples'), { recursive: true });
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('README', () => {
  const blocks = readmeBlocks(readFileSync(join(ROOT, 'README.md'), 'utf8'));

  it('has examples that are run', () => {
    expect(blocks.length).toBeGreaterThan(0);
  });

  it.each(blocks.map((block) => [block.name, block] as const))(
    '%s does what the page says',
    (_, { commands, output }) => {
      const run = spawnSync('bash', ['-euo', 'pipefail', '-c', `exec 2>&1\n${commands}`], {
        cwd: folder,
        env: { ...process.env, PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}`, HOME: folder },
        stdio: ['ignore', 'pipe', 'pipe'],
        encoding: 'utf8',
        timeout: BLOCK_TIMEOUT_MS,
      });
      const printed = run.stdout + run.stderr;
      expect(run.status, printed).toBe(0);
      expect(firstMissingLine(printed, output), printed).toBeUndefined();
    },
  );
});

describe('the reader of README blocks', () => {
  const page = [
    '<!-- test: count -->',
    '```sh',
    '$ seq 3',
    '```',
    'prints',
    '<!-- output: count -->',
    '```text',
    '1',
    '...',
    '3',
    '```',
    '```sh',
    'not run',
    '```',
  ].join('\n');

  it('takes announced blocks only', () => {
    expect(readmeBlocks(page)).toEqual([{ name: 'count', commands: 'seq 3', output: ['1', '3'] }]);
  });

  it('refuses a comment without a block, a name used twice, and an output without commands', () => {
    expect(() => readmeBlocks('<!-- test: lost -->\nwords')).toThrow('announce');
    expect(() => readmeBlocks(`${page}\n${page}`)).toThrow('same name');
    expect(() => readmeBlocks(page.replace('test: count', 'test: other'))).toThrow('no commands');
  });

  it('finds the first line that is missing or out of order', () => {
    expect(firstMissingLine('1\n2\n3\n', ['1', '3'])).toBeUndefined();
    expect(firstMissingLine('1\n2\n3\n', ['3', '1'])).toBe('1');
  });
});
