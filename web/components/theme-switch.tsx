'use client';

import { useState } from 'react';
import { nextTheme, type Theme, themeCookie } from '../lib/theme.ts';

const LABELS: Record<Theme, string> = { auto: 'Auto', light: 'Light', dark: 'Dark' };

/** Auto, light, dark. The chart hears of it by the attribute on the root element. */
export function ThemeSwitch({ initial }: { initial: Theme }) {
  const [theme, setTheme] = useState(initial);
  const next = nextTheme(theme);
  const change = (): void => {
    document.cookie = themeCookie(next);
    document.documentElement.dataset['theme'] = next;
    setTheme(next);
  };
  return (
    <button
      type="button"
      className="button"
      onClick={change}
      title={`Switch to ${LABELS[next]}`}
      aria-label={`Theme: ${LABELS[theme]}. Switch to ${LABELS[next]}`}
    >
      <span className="theme-icon" aria-hidden="true" />
      {LABELS[theme]}
    </button>
  );
}
