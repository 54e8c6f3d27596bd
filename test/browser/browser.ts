import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { systemClock } from '../../src/core/clock.ts';
import { startWeb, type WebServer } from '../../src/server/web.ts';

const CHROMIUM_PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Chromium, or undefined where it is missing and may be: with CI or REQUIRE_SERVERS=1 it may not. */
export const chromiumPath = [process.env['CHROMIUM_PATH'] ?? '', ...CHROMIUM_PATHS].find((path) => existsSync(path));

const mustRun = Boolean(process.env['CI']) || process.env['REQUIRE_SERVERS'] === '1';

/** Whether the browser tests run; says loudly that they do not. */
export function browserTestsRun(): boolean {
  if (chromiumPath !== undefined || mustRun) return true;
  process.stderr.write('SKIPPED: browser tests need Chromium: run "node scripts/setup.mjs"\n');
  return false;
}

export async function launchChromium(): Promise<Browser> {
  if (chromiumPath === undefined) throw new Error('Chromium is missing: run "node scripts/setup.mjs"');
  return chromium.launch({
    executablePath: chromiumPath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
    ],
  });
}

/** The built page before any API, the fake one or a real one. */
export function startPage(
  apiUrl: string,
  onLine = (line: string): void => void process.stderr.write(`${line}\n`),
): Promise<WebServer> {
  return startWeb({
    port: 0,
    host: '127.0.0.1',
    apiUrl,
    clock: systemClock,
    onLine,
  });
}

export interface View {
  readonly page: Page;
  /** What the console and the content security policy complained about. */
  readonly complaints: readonly string[];
  close(): Promise<void>;
}

export interface ViewOptions {
  readonly width?: number;
  readonly height?: number;
  readonly colorScheme?: 'dark' | 'light';
}

export async function openView(browser: Browser, url: string, options: ViewOptions = {}): Promise<View> {
  const context = await browser.newContext({
    viewport: { width: options.width ?? 1280, height: options.height ?? 800 },
    colorScheme: options.colorScheme ?? 'dark',
  });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const complaints: string[] = [];
  page.on('console', (message) => {
    // A request that failed because the test stopped the API is no fault of the page.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(url);
  return { page, complaints, close: () => context.close() };
}

/** Resolves when the status says so. */
export function phase(page: Page, wanted: string): Promise<void> {
  return page.locator(`.status[data-phase="${wanted}"]`).waitFor();
}

/** Resolves when the chart has candles. */
export function drawn(page: Page): Promise<void> {
  return page.locator('.canvas:not([data-candles="0"])').waitFor();
}

/** What the legend says of its candle: O, H, L, C, Vol, Trades or VWAP. */
export function legend(page: Page, field: string): Promise<string | null> {
  return page.locator(`.legend [data-field="${field}"]`).textContent();
}

/** Pixels of the chart's canvases that have the colour of a custom property, in the theme of the moment. */
export function countPixels(page: Page, property: string): Promise<number> {
  return page.evaluate<number>(`(() => {
    const probe = document.body.appendChild(document.createElement('i'));
    probe.style.color = 'var(${property})';
    const [red, green, blue] = getComputedStyle(probe).color.match(/[\\d.]+/g).map(Number);
    probe.remove();
    let count = 0;
    for (const canvas of document.querySelectorAll('.canvas canvas')) {
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      for (let i = 0; i < data.length; i += 4) {
        if (data[i] === red && data[i + 1] === green && data[i + 2] === blue && data[i + 3] === 255) count++;
      }
    }
    return count;
  })()`);
}

/** Where the leftmost candle stands: a part of the width of the chart, 1 when there is none. */
export function drawnFrom(page: Page): Promise<number> {
  return page.evaluate<number>(`(() => {
    const { width, height, data } = ${pixelsOf('td:nth-child(2)')};
    for (let x = 0; x < width; x++) for (let y = 0; y < height; y++) if (${IS_CANDLE}) return x / width;
    return 1;
  })()`);
}

/** Where the tag of the last price begins on the price axis, in pixels from the top; -1 when there is none. */
export function tagTop(page: Page): Promise<number> {
  return page.evaluate<number>(`(() => {
    const { width, height, data } = ${pixelsOf('td:nth-child(3)')};
    for (let y = 0; y < height; y++) {
      let count = 0;
      for (let x = 0; x < width; x++) if (${IS_CANDLE}) count++;
      if (count > width / 3) return y;
    }
    return -1;
  })()`);
}

/** The chart library draws a table: the candles are its second column, the price axis is its third. */
function pixelsOf(cell: string): string {
  return `(() => {
    const canvas = document.querySelector('.canvas tr:first-child ${cell} canvas');
    return canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  })()`;
}

/** Green or red, unlike grid and text, which have about as much of each colour. */
const IS_CANDLE = `(() => {
  const at = (y * width + x) * 4;
  return data[at + 3] === 255 && Math.abs(data[at] - data[at + 1]) > 90;
})()`;

/** Asks until the answer is wanted, or the deadline of the expectation has come. */
export async function until<Value>(
  ask: () => Promise<Value> | Value,
  wanted: (value: Value) => boolean,
): Promise<Value> {
  const deadlineMs = systemClock.monotonicMs() + 15_000;
  for (;;) {
    const value = await ask();
    if (wanted(value)) return value;
    if (systemClock.monotonicMs() > deadlineMs) throw new Error(`still ${JSON.stringify(value)} after 15 s`);
    await systemClock.sleep(50);
  }
}
