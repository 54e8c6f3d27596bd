import { type Logger, pino } from 'pino';

/** Structured logs: JSON lines on standard error. Nothing secret is in them (no secret exists yet). */
export function createLog(level: string): Logger {
  return pino(
    { level, base: { pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ fd: 2, sync: true }),
  );
}

export type { Logger } from 'pino';
