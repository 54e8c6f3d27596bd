import { type Logger, pino } from 'pino';

/** A real logger whose lines a test can look at. */
export function recordedLog(): { readonly log: Logger; lines(): Record<string, unknown>[] } {
  const written: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => void written.push(line) });
  return { log, lines: () => written.map((line) => JSON.parse(line) as Record<string, unknown>) };
}
