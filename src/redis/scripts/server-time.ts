import type { ScriptCall } from '../commands.ts';

/** The server's clock in Unix milliseconds, as scripts read it with TIME. */
export function serverTimeMs(call: ScriptCall): number {
  const [seconds, microseconds] = call('TIME') as string[];
  return Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000);
}
