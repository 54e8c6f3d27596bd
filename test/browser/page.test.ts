import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { WebServer } from '../../src/server/web.ts';
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
  type View,
  type ViewOptions,
} from './browser.ts';
import { type FakeApi, startFakeApi } from './fake-api.ts';

describe.runIf(browserTestsRun())('W the market page in Chromium', () => {
  let browser: Browser;
  let api: FakeApi;
  let web: WebServer;
  let view: View | undefined;

  beforeAll(async () => {
    browser = await launchChromium();
    api = await startFakeApi({ symbols: ['AIG', 'BTC/USD', 'IBM'], simulated: true });
    web = await startPage(api.url);
  });
  afterAll(async () => {
    await browser?.close();
    await web?.stop();
    await api?.stop();
  });
  beforeEach(() => {
    view = undefined;
  });
  afterEach(async () => {
    const complaints = view?.complaints ?? [];
    await view?.close();
    expect(complaints).toEqual([]);
  });

  const open = async (query = '', options: ViewOptions = {}): Promise<Page> => {
    view = await openView(browser, `${web.url}/${query}`, options);
    return view.page;
  };

  it('W the chart draws rising and falling candles, and the legend has the exact numbers of the API', async () => {
    const page = await open('?symbol=IBM&interval=1m');
    await drawn(page);
    await until(
      () => countPixels(page, '--chart-up'),
      (count) => count > 200,
    );
    await until(
      () => countPixels(page, '--chart-down'),
      (count) => count > 200,
    );
    expect(await legend(page, 'C')).toBe('120.25');
    expect(await legend(page, 'VWAP')).toMatch(/^\d+\.\d{2,4}$/);
    expect(await page.locator('.legend [data-field="VWAP"]').getAttribute('title')).toMatch(/^\d+\.\d{6}$/);
    expect(await legend(page, 'Vol')).toBe('500');
  });

  it('W the legend follows the crosshair', async () => {
    const page = await open('?symbol=IBM&interval=1m');
    await drawn(page);
    const newest = await page.locator('.legend').getAttribute('data-start');
    const box = await page.locator('.canvas').boundingBox();
    await page.mouse.move((box?.x ?? 0) + 300, (box?.y ?? 0) + 200);
    await until(
      () => page.locator('.legend').getAttribute('data-start'),
      (start) => start !== newest,
    );
  });

  it('W a trade moves the last candle, the watch list and the header', async () => {
    const page = await open('?symbol=IBM&interval=1m');
    await phase(page, 'live');
    api.trade('IBM', '121.5');
    await until(
      () => legend(page, 'C'),
      (close) => close === '121.50',
    );
    const row = page.locator('a[data-symbol="IBM"]');
    await until(
      () => row.locator('.row-last').textContent(),
      (last) => last === '121.50',
    );
    expect(await row.textContent()).toContain('+21.75');
    expect(await row.textContent()).toContain('+21.80%');
    expect(await row.locator('.flash').getAttribute('data-move')).toBe('up');
    expect(await page.locator('.panel-last').textContent()).toBe('121.50');
    api.trade('IBM', '120.25');
    await until(
      () => row.locator('.flash').getAttribute('data-move'),
      (move) => move === 'down',
    );
  });

  it('W the interval switches by click and by key, and the address says so', async () => {
    const page = await open('?symbol=IBM&interval=1m');
    await drawn(page);
    await page.getByRole('button', { name: '5m', exact: true }).click();
    await page.waitForURL(/interval=5m/);
    await until(() => api.requests.some((request) => request.includes('interval=5m')), Boolean);
    await drawn(page);
    await phase(page, 'live');
    api.trade('IBM', '122.75');
    await until(
      () => legend(page, 'C'),
      (close) => close === '122.75',
    );
    await page.keyboard.press('0');
    await page.waitForURL(/interval=1M/);
    await until(
      () => page.locator('.legend-time').textContent(),
      (text) => text?.startsWith('Jan 2026') === true,
    );
    await page.reload();
    expect(await page.locator('.intervals [aria-pressed="true"]').textContent()).toBe('1M');
  });

  it('W a symbol that does not exist is called so, and the others are offered', async () => {
    const page = await open('?symbol=NOPE&interval=5m');
    const notice = page.locator('.notice');
    await notice.waitFor();
    expect(await notice.textContent()).toContain('There is no symbol NOPE');
    expect(await notice.textContent()).not.toMatch(/Try again|GET|SYMBOL_UNKNOWN/);
    await notice.getByRole('button', { name: 'BTC/USD' }).click();
    await page.waitForURL(/symbol=BTC%2FUSD&interval=5m/);
    await drawn(page);
    expect(await notice.count()).toBe(0);
  });

  it('W an old price has its date, and neither flashes nor has the colours of a live one', async () => {
    const mixed = await startFakeApi({ symbols: ['ACME', 'IBM'], simulated: false, old: ['IBM'] });
    const other = await startPage(mixed.url);
    try {
      view = await openView(browser, `${other.url}/?symbol=IBM`);
      const { page } = view;
      const row = (symbol: string) => page.locator(`a[data-symbol="${symbol}"]`);
      await phase(page, 'live');
      await until(
        () => row('ACME').locator('.row-day').count(),
        (count) => count === 0,
      );
      mixed.trade('IBM', '121.50');
      mixed.trade('ACME', '101.50');
      await until(
        () => row('ACME').locator('.flash').getAttribute('data-move'),
        (move) => move === 'up',
      );
      await until(
        () => row('IBM').locator('.flash').textContent(),
        (last) => last === '121.50',
      );
      expect(await row('IBM').locator('.row-day').textContent()).toBe('10 Oct 2013');
      expect(await row('IBM').locator('.flash').getAttribute('data-move')).toBeNull();
      expect(await row('IBM').locator('.row-change').first().getAttribute('data-direction')).toBe('flat');
      expect(await row('ACME').locator('.row-change').first().getAttribute('data-direction')).toBe('up');
      expect(await page.locator('.panel-day').textContent()).toBe('10 Oct 2013');
      expect(await page.locator('.panel-quote [data-direction]').first().getAttribute('data-direction')).toBe('flat');
      await row('ACME').click();
      await page.locator('.panel-day').waitFor({ state: 'detached' });
    } finally {
      await view?.close();
      await other.stop();
      await mixed.stop();
    }
  });

  it('W arrows walk the watch list, and a click chooses a symbol', async () => {
    const page = await open('?symbol=AIG&interval=1m');
    await drawn(page);
    await page.keyboard.press('ArrowDown');
    await page.waitForURL(/symbol=BTC%2FUSD/);
    await until(
      () => page.locator('h1').textContent(),
      (title) => title === 'BTC/USD',
    );
    await page.keyboard.press('ArrowUp');
    await page.waitForURL(/symbol=AIG/);
    await page.locator('a[data-symbol="IBM"]').click();
    await page.waitForURL(/symbol=IBM/);
    await until(
      () => page.locator('h1').textContent(),
      (title) => title === 'IBM',
    );
    await page.goBack();
    await until(
      () => page.locator('h1').textContent(),
      (title) => title === 'AIG',
    );
  });

  it('V5 an API that restarts is found again without a reload, and the chart moves on', async () => {
    const page = await open('?symbol=IBM&interval=1m');
    await phase(page, 'live');
    await page.evaluate('window.notReloaded = true');
    await api.stop();
    await phase(page, 'reconnecting');
    await api.restart();
    await phase(page, 'live');
    api.trade('IBM', '119.5');
    await until(
      () => legend(page, 'C'),
      (close) => close === '119.50',
    );
    expect(await page.evaluate('window.notReloaded')).toBe(true);
  });

  it('V7 a frozen or closed feed is not shown as live', async () => {
    const page = await open();
    await phase(page, 'live');
    api.heartbeat('stale');
    await phase(page, 'stale');
    api.heartbeat('closed');
    await phase(page, 'closed');
    api.heartbeat('simulated');
    await phase(page, 'live');
  });

  it('T1 the SIMULATED mark is in the served HTML and in the page', async () => {
    const html = await (await fetch(web.url)).text();
    expect(html).toMatch(/data-mark="simulated"><strong>SIMULATED/);
    expect(html.match(/<abbr class="mark"/g)).toHaveLength(3);
    const page = await open('?symbol=IBM&interval=1m');
    await drawn(page);
    expect(await page.locator('.banner').isVisible()).toBe(true);
    expect(await page.locator('.panel-head [data-mark="simulated"]').isVisible()).toBe(true);
    expect(await page.locator('.watch [data-mark="simulated"]').count()).toBe(3);
    expect(await page.locator('.canvas').getAttribute('aria-label')).toContain('simulated data');
  });

  it('T1 a real symbol beside simulated ones carries no mark, and the banner does not call it generated', async () => {
    const mixed = await startFakeApi({ symbols: ['ACME', 'IBM'], simulated: true, real: ['IBM'] });
    const other = await startPage(mixed.url);
    try {
      view = await openView(browser, `${other.url}/?symbol=IBM`);
      const { page } = view;
      await drawn(page);
      expect(await page.locator('.banner').textContent()).toContain('PARTLY SIMULATED');
      expect(await page.locator('.panel-head [data-mark="simulated"]').count()).toBe(0);
      expect(await page.locator('.watch [data-mark="simulated"]').count()).toBe(1);
      expect(await page.title()).toBe('110.25 IBM · Ticker');
      await page.locator('a[data-symbol="ACME"]').click();
      await page.locator('.panel-head [data-mark="simulated"]').waitFor();
      await until(
        () => page.title(),
        (title) => title === '100.25 ACME · Ticker (simulated)',
      );
    } finally {
      await view?.close();
      await other.stop();
      await mixed.stop();
    }
  });

  it('W a failed request for candles says what to do, and trying again works', async () => {
    api.failCandles({ code: 'STORE_UNUSABLE', message: 'The store cannot be read.', fix: 'Check the disk.' });
    const page = await open('?symbol=IBM&interval=1m');
    const notice = page.locator('.notice');
    await notice.waitFor();
    expect(await notice.textContent()).toMatch(/The store cannot be read\.Check the disk\.STORE_UNUSABLE/);
    api.failCandles(undefined);
    await notice.getByRole('button').click();
    await drawn(page);
  });

  it('W dark and light follow the system, and the switch persists', async () => {
    const page = await open('', { colorScheme: 'dark' });
    const ground = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    const dark = await ground();
    await page.emulateMedia({ colorScheme: 'light' });
    const light = await until(ground, (color) => color !== dark);
    await drawn(page);
    await until(
      () => countPixels(page, '--chart-up'),
      (count) => count > 200,
    );
    const toggle = page.getByRole('button', { name: /^Theme/ });
    await toggle.click();
    await toggle.click();
    expect(await ground()).toBe(dark);
    await until(
      () => countPixels(page, '--chart-up'),
      (count) => count > 200,
    );
    await page.reload();
    expect(await ground()).toBe(dark);
    expect(dark).not.toBe(light);
  });

  it('W a phone of 360 px shows everything and scrolls in one direction only', async () => {
    const page = await open('?symbol=IBM&interval=1m', { width: 360, height: 740 });
    await drawn(page);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    const inside = async (selector: string) => {
      const box = await page.locator(selector).first().boundingBox();
      return box !== null && box.x >= 0 && box.x + box.width <= 360;
    };
    for (const part of ['.banner', '.status', '.intervals', '.canvas', '.watch'])
      expect([part, await inside(part)]).toEqual([part, true]);
  });

  it('W the page without an API says so, and fills itself when the API comes', async () => {
    const late = await startFakeApi({ symbols: ['IBM'], simulated: false });
    await late.stop();
    const other = await startPage(late.url);
    try {
      view = await openView(browser, other.url);
      const { page } = view;
      expect(await page.locator('.notice').textContent()).toContain('API_UNREACHABLE');
      await late.restart();
      await drawn(page);
      await phase(page, 'live');
      expect(await page.locator('[data-mark="simulated"]').count()).toBe(0);
    } finally {
      await view?.close();
      await other.stop();
      await late.stop();
    }
  });
});
