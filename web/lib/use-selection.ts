'use client';

import { useSearchParams } from 'next/navigation';
import { useEffect, useEffectEvent } from 'react';
import { hrefOf, readSelection, type Selection, selectByKey } from './selection.ts';

/** The selection in the address bar. A click makes a step in the browser's history, a key does not. */
export function useSelection(symbols: readonly string[]): [Selection, (next: Selection) => void] {
  const selection = readSelection(useSearchParams(), symbols);
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    const next = selectByKey(event.key, selection, symbols);
    if (next === null) return;
    event.preventDefault();
    window.history.replaceState(null, '', hrefOf(next));
  });

  useEffect(() => {
    const listener = (event: KeyboardEvent): void => onKey(event);
    window.addEventListener('keydown', listener);
    return () => window.removeEventListener('keydown', listener);
  }, []);

  return [selection, (next) => window.history.pushState(null, '', hrefOf(next))];
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName))
  );
}
