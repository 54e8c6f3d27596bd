import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort, type Running, start, tempDir } from '../e2e/ticker.ts';
import {
  browserTestsRun,
  countPixels,
  drawn,
  launchChromium,
  legend,
  openView,
  phase,
  startPage,
  until,
} from './browser.ts';

/** The page on the whole of Ticker: the command itself, with the simulated feed. */
describe.runIf(browserTestsRun())('W the market page on a running Ticker', () => {
  const dir = tempDir();
  const dataDir = join(dir.path, 'data');
  let browser: Browser;
  let running: Running;

  beforeAll(async () => {
    browser = await launchChromium();
    running = await start(['start', '--data-dir', dataDir, '--http-port', '0', '--web-port', '0']);
  });
  afterAll(async () => {
    await browser?.close();
    await running?.end('SIGTERM');
    dir.remove();
  });

  const closeOf = (page: Page) => legend(page, 'C');

  it('V1 W a live chart: it draws, its last candle moves by itself, and it says that it is simulated', async () => {
    const { page, complaints, close } = await openView(browser, `${running.web}/?symbol=ACME&interval=1s`);
    await drawn(page);
    await phase(page, 'live');
    await until(
      () => countPixels(page, '--chart-up'),
      (count) => count > 50,
    );
    const first = await closeOf(page);
    await until(
      () => closeOf(page),
      (now) => now !== first,
    );
    const newest = await page.locator('.legend').getAttribute('data-start');
    await until(
      () => page.locator('.legend').getAttribute('data-start'),
      (now) => now !== newest,
    );
    expect(await page.locator('.panel-head [data-mark="simulated"]').isVisible()).toBe(true);
    expect(await page.title()).toMatch(/^\d+\.\d+ ACME · Ticker \(simulated\)$/);
    expect(await (await fetch(`${running.web}`)).text()).toMatch(/data-mark="simulated"/);
    expect(complaints).toEqual([]);
    await close();
  });

  it('W every interval shows the candle that the API has', async () => {
    const { page, complaints, close } = await openView(browser, `${running.web}/?symbol=ACME&interval=1m`);
    for (const interval of ['5s', '1m', '5m', '15m', '1h', '4h', '1d', '1w', '1M']) {
      await page.getByRole('button', { name: interval, exact: true }).click();
      await drawn(page);
      const shown = async () => Number(await page.locator('.legend').getAttribute('data-start'));
      const { candles } = (await (
        await fetch(`${running.api}/v1/candles?symbol=ACME&interval=${interval}&limit=2`)
      ).json()) as {
        candles: { startMs: number }[];
      };
      await until(shown, (startMs) => candles.some((candle) => startMs >= candle.startMs));
    }
    expect(complaints).toEqual([]);
    await close();
  });

  it('V5 W after kill -9 and a restart of Ticker the page goes on without a reload', async () => {
    const httpPort = String(await freePort());
    const api = ['start', '--no-web', '--data-dir', join(dir.path, 'other'), '--http-port', httpPort];
    let backend = await start(api);
    const web = await startPage(backend.api);
    const { page, close } = await openView(browser, `${web.url}/?symbol=ACME&interval=1s`);
    await phase(page, 'live');
    await page.evaluate('window.notReloaded = true');
    await backend.end('SIGKILL');
    await phase(page, 'reconnecting');
    backend = await start(api);
    await phase(page, 'live');
    const before = await closeOf(page);
    await until(
      () => closeOf(page),
      (now) => now !== before,
    );
    expect(await page.evaluate('window.notReloaded')).toBe(true);
    await close();
    await web.stop();
    await backend.end('SIGTERM');
  });
});
