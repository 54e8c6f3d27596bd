// Runs the suites of suites.mjs one after another and ends with the line `N passed, N failed`.
// `npm test` runs all; `npm test -- unit e2e` runs those. With CI or REQUIRE_SERVERS=1 a skip is a failure.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram, installPrograms, PROGRAMS } from './setup.mjs';
import { SUITES } from './suites.mjs';

const ROOT = join(import.meta.dirname, '..');
/** A suite that hangs is ended this long after its budget. */
const GRACE_SECONDS = 120;
/** What failed before the tests, so that the last line speaks for everything. */
const FAILED_BEFORE = '--failed-before=';

main(process.argv.slice(2));

function main(args) {
  const suites = chosen(args.filter((arg) => !arg.startsWith('--')));
  const strict = Boolean(process.env.CI) || process.env.REQUIRE_SERVERS === '1';
  const failures = args.filter((arg) => arg.startsWith(FAILED_BEFORE)).map((arg) => arg.slice(FAILED_BEFORE.length));
  if (strict) failures.push(...installPrograms(suites.flatMap(({ needs }) => needs)));
  for (const { name, env } of PROGRAMS) process.env[env] ??= findProgram(name) ?? '';

  if (spawnSync(process.execPath, [join(ROOT, 'scripts', 'build.mjs')], { cwd: ROOT, stdio: 'inherit' }).status !== 0) {
    failures.push('the build failed');
  }
  const results = suites.map(runSuite);
  for (const result of results) failures.push(...result.problems);
  const skipped = sum(results, 'skipped');
  if (strict && skipped > 0) failures.push(`${skipped} skipped, and REQUIRE_SERVERS=1 or CI allows none`);
  report(results, failures, strict);

  const failed = sum(results, 'failed') + failures.length;
  const tail = skipped > 0 ? `, ${skipped} skipped` : '';
  process.exitCode = failed === 0 && sum(results, 'passed') > 0 ? 0 : 1;
  console.log(`${sum(results, 'passed')} passed, ${failed} failed${tail}`);
}

function chosen(names) {
  const unknown = names.filter((name) => SUITES.every((suite) => suite.name !== name));
  if (unknown.length > 0) {
    console.error(`test: no suite ${unknown.join(', ')}; there are ${SUITES.map(({ name }) => name).join(', ')}`);
    process.exit(2);
  }
  return names.length === 0 ? SUITES : SUITES.filter(({ name }) => names.includes(name));
}

/** Counts come from vitest's JSON report; `problems` are failures that no single test stands for. */
function runSuite({ name, budgetSeconds }) {
  console.log(`\n== ${name} (budget ${budgetSeconds} s)`);
  const folder = mkdtempSync(join(tmpdir(), 'ticker-test-'));
  const reportFile = join(folder, 'report.json');
  const args = ['run', '--project', name, '--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`];
  const started = performance.now();
  const run = spawnSync(process.execPath, [join(ROOT, 'node_modules', 'vitest', 'vitest.mjs'), ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: (budgetSeconds + GRACE_SECONDS) * 1000,
  });
  const seconds = (performance.now() - started) / 1000;
  const counts = readCounts(reportFile);
  rmSync(folder, { recursive: true, force: true });
  return {
    name,
    budgetSeconds,
    seconds,
    ...counts,
    problems: problemsOf({ name, budgetSeconds, seconds, run, counts }),
  };
}

function readCounts(reportFile) {
  try {
    const report = JSON.parse(readFileSync(reportFile, 'utf8'));
    // A file that could not be loaded has no failed test to count.
    const unloaded = report.testResults.filter(
      ({ status, assertionResults }) =>
        status === 'failed' && assertionResults.every((test) => test.status !== 'failed'),
    );
    return {
      passed: report.numPassedTests,
      failed: report.numFailedTests + unloaded.length,
      skipped: report.numPendingTests + report.numTodoTests,
    };
  } catch (error) {
    return { passed: 0, failed: 0, skipped: 0, unreadable: String(error) };
  }
}

function problemsOf({ name, budgetSeconds, seconds, run, counts }) {
  if (run.error?.code === 'ETIMEDOUT') return [`${name}: hung, ended ${GRACE_SECONDS} s after its budget`];
  if (counts.unreadable) return [`${name}: vitest left no report (${counts.unreadable})`];
  const problems = [];
  if (run.status !== 0 && counts.failed === 0)
    problems.push(`${name}: vitest failed outside any test; its messages are above`);
  if (counts.passed + counts.failed + counts.skipped === 0) problems.push(`${name}: no test ran`);
  if (seconds > budgetSeconds)
    problems.push(`${name}: took ${Math.round(seconds)} s, its budget is ${budgetSeconds} s (scripts/suites.mjs)`);
  return problems;
}

function report(results, failures, strict) {
  console.log('\nsuite      seconds  budget  passed  failed  skipped');
  for (const { name, seconds, budgetSeconds, passed, failed, skipped } of results) {
    const cells = [seconds.toFixed(1), budgetSeconds, passed, failed, skipped].map((cell, at) =>
      String(cell).padStart([7, 6, 6, 6, 7][at]),
    );
    console.log(`${name.padEnd(9)}  ${cells.join('  ')}`);
  }
  const lacking = strict ? [] : missingFor(results);
  if (lacking.length > 0) {
    console.log(`\nSKIPPED for want of a program: ${lacking.join('; ')}\n  to get it: node scripts/setup.mjs`);
  }
  if (failures.length > 0) console.log(`\n${failures.map((failure) => `FAILED ${failure}`).join('\n')}`);
  console.log('');
}

function missingFor(results) {
  return SUITES.filter(({ name }) => results.some((result) => result.name === name)).flatMap(({ name, needs }) =>
    needs.filter((program) => findProgram(program) === undefined).map((program) => `${name} needs ${program}`),
  );
}

function sum(results, field) {
  return results.reduce((total, result) => total + result[field], 0);
}
