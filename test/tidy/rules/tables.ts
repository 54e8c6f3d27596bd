import type { TextFile, Violation } from '../project.ts';

/** Each name of a table in the code has its heading or row in the generated page, and the page has no other. */
export function documented(page: TextFile, names: readonly string[]): Violation[] {
  const shown = new Set([...page.text.matchAll(/^(?:#{2,3} |\| )`([^`]+)`/gm)].map((match) => match[1] ?? ''));
  return [
    ...names.filter((name) => !shown.has(name)).map((name) => `${page.path}: ${name} is missing; run npm run docs`),
    ...[...shown]
      .filter((name) => !names.includes(name))
      .map((name) => `${page.path}: ${name} is not in the code; run npm run docs`),
  ];
}
