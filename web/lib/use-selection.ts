'use client';

import { useSearchParams } from 'next/navigation';
import { hrefOf, readSelection, type Selection, selectByKey } from './selection.ts';
import { useKeys } from './use-keys.ts';

/** The selection in the address bar. A click makes a step in the browser's history, a key does not. */
export function useSelection(symbols: readonly string[]): [Selection, (next: Selection) => void] {
  const selection = readSelection(useSearchParams(), symbols);
  useKeys((key) => {
    const next = selectByKey(key, selection, symbols);
    if (next !== null) window.history.replaceState(null, '', hrefOf(next));
    return next !== null;
  });
  return [selection, (next) => window.history.pushState(null, '', hrefOf(next))];
}
