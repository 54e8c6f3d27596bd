import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ROOT } from './project.ts';

// The machine is a folder on PATH with an apt-get of ours that writes down how it was called.

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ticker-setup-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the set-up script', () => {
  it('installs what is missing, with a second try, or says how to', () => {
    fakeApt({ failures: 1 });
    const run = setup();
    if (isRoot) {
      expect(readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n')).toEqual([
        '-q update',
        '-q update',
        '-q install -y --no-install-recommends chromium',
      ]);
      expect(run.stdout).toContain(`chromium: ${join(folder, 'chromium')}`);
      expect(run.status).toBe(0);
    } else {
      expect(run.stderr).toContain(
        'run: sudo apt-get update && sudo apt-get install -y --no-install-recommends chromium',
      );
      expect(run.status).toBe(1);
    }
  });

  it('gives up with the command to run', () => {
    fakeApt({ failures: 9 });
    const run = setup();
    expect(run.status).toBe(1);
    expect(run.stderr).toContain('sudo apt-get install -y --no-install-recommends chromium');
  });

  it('leaves a machine alone that has everything', () => {
    fakeApt({ failures: 0 });
    program('google-chrome', '');
    const run = setup();
    expect(run.stdout).toContain(`chromium: ${join(folder, 'google-chrome')}`);
    expect(() => readFileSync(join(folder, 'calls'))).toThrow('ENOENT');
    expect(run.status).toBe(0);
  });
});

const isRoot = process.getuid?.() === 0;

function setup() {
  return spawnSync(process.execPath, [join(ROOT, 'scripts', 'setup.mjs')], {
    env: { PATH: folder },
    encoding: 'utf8',
  });
}

function program(name: string, text: string): void {
  writeFileSync(join(folder, name), `#!${process.execPath}\n${text}`, { mode: 0o755 });
}

function fakeApt({ failures }: { failures: number }): void {
  program(
    'apt-get',
    `const { appendFileSync, readFileSync, writeFileSync } = require('node:fs');
appendFileSync(__dirname + '/calls', process.argv.slice(2).join(' ') + '\\n');
const calls = readFileSync(__dirname + '/calls', 'utf8').trim().split('\\n').length;
if (calls <= ${failures}) process.exit(100);
if (process.argv.includes('install')) writeFileSync(__dirname + '/chromium', '', { mode: 0o755 });
`,
  );
}
