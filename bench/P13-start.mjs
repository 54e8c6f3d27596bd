// P13: `npm start` on a warm install (page built), to the first live candle on the page; and the memory of the server.
// The candle is seen in a real Chromium; the targets are absolute: 6 s and 250 MB.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const ROOT = join(import.meta.dirname, '..');
const ROUNDS = 3;
const LIMIT_SECONDS = 6;
const LIMIT_MB = 250;

export async function run() {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'],
  });
  try {
    await startOnce(browser);
    const rounds = [];
    for (let round = 0; round < ROUNDS; round++) rounds.push(await startOnce(browser));
    const seconds = median(rounds.map((one) => one.seconds));
    const serverMb = Math.max(...rounds.map((one) => one.serverMb));
    return [
      {
        what: 'npm start to live candle',
        value: seconds,
        unit: 's',
        reference: LIMIT_SECONDS,
        ratio: ratio(LIMIT_SECONDS, seconds),
        target: 1,
      },
      {
        what: 'memory of the server',
        value: serverMb,
        unit: 'MB',
        reference: LIMIT_MB,
        ratio: ratio(LIMIT_MB, serverMb),
        target: 1,
      },
      { what: 'memory of the page server', value: Math.max(...rounds.map((one) => one.webMb)), unit: 'MB' },
    ];
  } finally {
    await browser.close();
  }
}

async function startOnce(browser) {
  const folder = mkdtempSync(join(tmpdir(), 'ticker-bench-'));
  const startedMs = performance.now();
  const args = ['start', '--http-port', '0', '--web-port', '0', '--data-dir', folder];
  const child = spawn(process.execPath, [join(ROOT, 'dist', 'cli', 'main.js'), ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  try {
    const url = await new Promise((resolve, reject) => {
      let said = '';
      child.stderr.on('data', (chunk) => {
        said += chunk;
        const live = /live: +(\S+)/.exec(said);
        if (live) resolve(live[1]);
      });
      child.once('exit', () => reject(new Error(said)));
    });
    const page = await browser.newPage();
    await page.goto(url);
    const close = () => page.locator('[data-field="C"]').textContent();
    await page.waitForFunction(() => /\d/.test(document.querySelector('[data-field="C"]')?.textContent ?? ''));
    const first = await close();
    await page.waitForFunction((before) => document.querySelector('[data-field="C"]')?.textContent !== before, first);
    const seconds = Number(((performance.now() - startedMs) / 1000).toFixed(2));
    await page.close();
    const webPid = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim().split(' ')[0];
    return { seconds, serverMb: rssMb(child.pid), webMb: rssMb(webPid) };
  } finally {
    child.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

function rssMb(pid) {
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024);
}

const ratio = (limit, value) => Number((limit / value).toFixed(2));
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
