// Installs what the tests need and the machine lacks. `node scripts/setup.mjs` does it, `--list` only looks.
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** One line a program: names it is known by, and the package of Debian and Ubuntu that has it. */
export const PROGRAMS = [
  {
    name: 'chromium',
    env: 'CHROMIUM_PATH',
    binaries: ['chromium', 'chromium-browser', 'google-chrome'],
    aptPackage: 'chromium',
  },
];

/** Full path of a program of the table, or undefined. The variable `env` wins over PATH. */
export function findProgram(name, env = process.env) {
  const program = PROGRAMS.find((candidate) => candidate.name === name);
  if (program === undefined) throw new Error(`setup.mjs knows no program '${name}'`);
  const folders = (env.PATH ?? '').split(delimiter);
  const candidates = [
    env[program.env],
    ...program.binaries.flatMap((binary) => folders.map((folder) => join(folder, binary))),
  ];
  return candidates.find((path) => path && isExecutable(path));
}

/** Installs the missing ones among `names`. Returns a sentence for each that could not be had. */
export function installPrograms(names = PROGRAMS.map(({ name }) => name)) {
  const missing = PROGRAMS.filter(({ name }) => names.includes(name) && findProgram(name) === undefined);
  if (missing.length === 0) return [];
  const packages = missing.map(({ aptPackage }) => aptPackage);
  const failure = aptFailure(packages);
  if (failure !== undefined) return [failure];
  return missing
    .filter(({ name }) => findProgram(name) === undefined)
    .map(({ name, aptPackage }) => `apt installed ${aptPackage}, but no ${name} is on PATH`);
}

function aptFailure(packages) {
  const install = ['install', '-y', '--no-install-recommends', ...packages];
  const byHand = `sudo apt-get update && sudo apt-get ${install.join(' ')}`;
  if (process.platform !== 'linux')
    return `no way to install on ${process.platform}; install by hand: ${packages.join(', ')}`;
  if (process.getuid?.() !== 0) return `not root; run: ${byHand}`;
  // Package lists and mirrors fail now and then for reasons that are gone a moment later.
  for (let attempt = 1; attempt <= 2; attempt++) {
    if (apt(['update']) && apt(install)) return undefined;
    console.error(`setup: apt-get failed (attempt ${attempt} of 2)`);
  }
  return `apt-get could not install ${packages.join(', ')}; its messages are above. By hand: ${byHand}`;
}

function apt(args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const run = spawnSync('apt-get', ['-q', ...args], { stdio: ['ignore', 'inherit', 'inherit'], env });
  if (run.error) console.error(`setup: ${run.error.message}`);
  return run.status === 0;
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

if (process.argv[1] === import.meta.filename) {
  const failures = process.argv.includes('--list') ? [] : installPrograms();
  for (const { name } of PROGRAMS) console.log(`setup: ${name}: ${findProgram(name) ?? 'missing'}`);
  for (const failure of failures) console.error(`setup: ${failure}`);
  process.exitCode = failures.length === 0 ? 0 : 1;
}
