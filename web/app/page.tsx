import { cookies } from 'next/headers';
import { systemClock } from '../../src/core/clock.ts';
import { MarketPage } from '../components/market-page.tsx';
import type { SymbolsAnswer } from '../lib/api.ts';
import { formatDay } from '../lib/format.ts';
import { readTheme, THEME_COOKIE } from '../lib/theme.ts';
import { apiUrl } from '../lib/upstream.ts';

/** Rendered at every request: the served HTML has the symbols, their prices and the SIMULATED mark (T1). */
export default async function Page() {
  const [symbols, jar] = await Promise.all([fetchSymbols(), cookies()]);
  return (
    <MarketPage
      initial={symbols}
      initialToday={formatDay(systemClock.nowMs())}
      initialTheme={readTheme(jar.get(THEME_COOKIE)?.value)}
    />
  );
}

const SYMBOLS_TIMEOUT_MS = 2_000;

/** Null when the API does not answer: the page says so, and fills itself when it does. */
async function fetchSymbols(): Promise<SymbolsAnswer | null> {
  try {
    const response = await fetch(`${apiUrl()}/v1/symbols`, {
      cache: 'no-store',
      signal: AbortSignal.timeout(SYMBOLS_TIMEOUT_MS),
    });
    return response.ok ? ((await response.json()) as SymbolsAnswer) : null;
  } catch (cause) {
    // A network failure, the time limit, or a body that is not JSON: in every case there is no API here.
    if (cause instanceof TypeError || cause instanceof DOMException || cause instanceof SyntaxError) return null;
    throw cause;
  }
}
