/** Dark or light as the system says, or as the reader chose; the choice is a cookie, so the server renders it. */
export type Theme = (typeof THEMES)[number];

export const THEMES = ['auto', 'light', 'dark'] as const;

export const THEME_COOKIE = 'ticker-theme';

const COOKIE_AGE_S = 31_536_000;

export function readTheme(cookie: string | undefined): Theme {
  return THEMES.find((theme) => theme === cookie) ?? 'auto';
}

export function nextTheme(theme: Theme): Theme {
  return THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'auto';
}

export function themeCookie(theme: Theme): string {
  return `${THEME_COOKIE}=${theme}; path=/; max-age=${COOKIE_AGE_S}; samesite=lax`;
}
