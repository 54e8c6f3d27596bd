import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { WebServer } from '../../src/server/web.ts';
import {
  browserTestsRun,
  drawn,
  drawnFrom,
  launchChromium,
  legend,
  openView,
  phase,
  startPage,
  tagTop,
  until,
  type View,
} from './browser.ts';
import { type FakeApi, startFakeApi } from './fake-api.ts';

/** What is in sight of the chart, and what it asks of the API for that. */
describe.runIf(browserTestsRun())('W the view of the chart in Chromium', () => {
  let browser: Browser;
  let api: FakeApi;
  let web: WebServer;
  let view: View | undefined;

  beforeAll(async () => {
    browser = await launchChromium();
    api = await startFakeApi({ symbols: ['AIG', 'IBM'], simulated: true });
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

  const open = async (query: string): Promise<Page> => {
    view = await openView(browser, `${web.url}/${query}`);
    return view.page;
  };
  const candleCount = async (page: Page) => Number(await page.locator('.canvas').getAttribute('data-candles'));
  /** Live on its interval: a trade moves its newest candle. */
  const moves = async (page: Page, symbol: string) => {
    await drawn(page);
    await phase(page, 'live');
    api.trade(symbol, '123.75');
    await until(
      () => legend(page, 'C'),
      (close) => close === '123.75',
    );
    api.trade(symbol, '120.25');
    await until(
      () => legend(page, 'C'),
      (close) => close === '120.25',
    );
  };

  it('W a switch of interval, a first view and a switch of symbol each ask for the candles once', async () => {
    const asked = (query: string) =>
      api.requests.filter((request) => request.startsWith(`/v1/candles?${query}`)).length;
    const page = await open('?symbol=AIG&interval=4h');
    await moves(page, 'AIG');
    expect(asked('symbol=AIG&interval=4h')).toBe(1);
    await page.getByRole('button', { name: '1d', exact: true }).click();
    await moves(page, 'AIG');
    expect(asked('symbol=AIG&interval=1d')).toBe(1);
    await page.locator('a[data-symbol="IBM"]').click();
    await moves(page, 'IBM');
    expect(asked('symbol=IBM&interval=1d')).toBe(1);
  });

  it('W candles come without a stream, too', async () => {
    const page = await open('?symbol=IBM&interval=1m');
    await drawn(page);
    await page.route('**/api/stream?*', (route) => route.abort());
    await page.getByRole('button', { name: '5m', exact: true }).click();
    await until(
      () => page.locator('.canvas').getAttribute('aria-label'),
      (label) => label?.includes('5m') === true,
    );
    await drawn(page);
  });

  it('W few candles fill the chart, and the theme button says what it does', async () => {
    const few = await startFakeApi({ symbols: ['IBM'], simulated: false, candles: 30 });
    const other = await startPage(few.url);
    try {
      view = await openView(browser, `${other.url}/?symbol=IBM&interval=1m`);
      const { page } = view;
      await drawn(page);
      await until(
        () => drawnFrom(page),
        (part) => part < 0.1,
      );
      expect(await page.getByRole('button', { name: /^Theme/ }).getAttribute('title')).toBe('Switch to Light');
    } finally {
      await view?.close();
      await other.stop();
      await few.stop();
    }
  });

  it('W scrolled back, the tag stays the live price, and a button or a key leads to the newest candle', async () => {
    const page = await open('?symbol=IBM&interval=1m');
    await moves(page, 'IBM');
    const back = page.getByRole('button', { name: 'Newest' });
    expect(await back.count()).toBe(0);
    const box = await page.locator('.canvas').boundingBox();
    const drag = async () => {
      await page.mouse.move((box?.x ?? 0) + 60, (box?.y ?? 0) + 200);
      await page.mouse.down();
      await page.mouse.move((box?.x ?? 0) + 560, (box?.y ?? 0) + 200, { steps: 4 });
      await page.mouse.up();
    };
    await drag();
    await back.waitFor();
    const before = await until(
      () => tagTop(page),
      (top) => top >= 0,
    );
    api.trade('IBM', '117.25');
    await until(
      () => tagTop(page),
      (top) => top > before + 5,
    );
    api.trade('IBM', '120.25');
    await until(
      () => tagTop(page),
      (top) => Math.abs(top - before) < 3,
    );
    await page.keyboard.press('End');
    await back.waitFor({ state: 'detached' });
    await drag();
    await back.click();
    await back.waitFor({ state: 'detached' });
  });

  it('W scrolling back loads older candles until there are none', async () => {
    const page = await open('?symbol=IBM&interval=1m');
    await drawn(page);
    const before = await candleCount(page);
    const oldest = await page.locator('.canvas').getAttribute('data-oldest');
    const box = await page.locator('.canvas').boundingBox();
    const y = (box?.y ?? 0) + 200;
    const drag = async (): Promise<number> => {
      await page.mouse.move((box?.x ?? 0) + 60, y);
      await page.mouse.down();
      await page.mouse.move((box?.x ?? 0) + 760, y, { steps: 4 });
      await page.mouse.up();
      return candleCount(page);
    };
    await until(drag, (count) => count > before);
    expect(api.requests.some((request) => request.includes(`to=${oldest}`))).toBe(true);
    await until(drag, (count) => count === 2_500);
  });

  it('W intervals are 32 px high at least; at 320 px the legend does not lie on the candles', async () => {
    const page = await open('?symbol=IBM&interval=1m');
    const height = async () => (await page.locator('.intervals button').first().boundingBox())?.height;
    expect(await height()).toBeGreaterThanOrEqual(32);
    await page.setViewportSize({ width: 320, height: 640 });
    await drawn(page);
    expect(await height()).toBeGreaterThanOrEqual(32);
    const legendBox = await page.locator('.legend').boundingBox();
    const canvas = await page.locator('.canvas').boundingBox();
    expect((legendBox?.y ?? 0) + (legendBox?.height ?? 0)).toBeLessThanOrEqual(canvas?.y ?? 0);
    expect(canvas?.height).toBeGreaterThan(200);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
  });
});
