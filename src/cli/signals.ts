import { systemClock } from '../core/clock.ts';
import type { Ticker } from '../server/main.ts';
import { EXIT, say } from './output.ts';

/**
 * Ctrl-C, SIGTERM and SIGHUP, from the first instruction on: the first asks for a graceful end, another one ends at
 * once. A terminal and npm may both pass the same Ctrl-C on, so what comes in the same second counts once.
 */
export function onStopSignal(): AbortSignal {
  const abort = new AbortController();
  let askedAtMs = 0;
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      if (!abort.signal.aborted) {
        askedAtMs = systemClock.monotonicMs();
        say('stopping: committing what was read (again to stop at once) ..');
        abort.abort(new StopRequest());
      } else if (systemClock.monotonicMs() - askedAtMs > SAME_SIGNAL_MS) process.exit(EXIT.stoppedAtOnce);
    });
  }
  return abort.signal;
}

/** Runs a server until it is told to stop, or until its feed has ended when `endsWithFeed`. Exit code 0 either way. */
export async function runUntilStopped(
  stop: AbortSignal,
  start: () => Promise<Ticker>,
  endsWithFeed: boolean,
): Promise<number> {
  try {
    const ticker = await start();
    try {
      await (endsWithFeed
        ? Promise.race([stopped(stop), ticker.ended])
        : Promise.race([stopped(stop), failed(ticker)]));
    } finally {
      for (const failure of await ticker.stop()) say(`  ${failure.name}: ${failure.reason}`);
    }
  } catch (error) {
    // Told to stop before everything was up: what was up has been stopped.
    if (!(error instanceof StopRequest)) throw error;
  }
  if (stop.aborted) say('stopped.');
  return EXIT.done;
}

class StopRequest extends Error {}

const SAME_SIGNAL_MS = 1_000;

function stopped(stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (stop.aborted) return resolve();
    stop.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Never resolves; rejects when the feed cannot go on. */
async function failed(ticker: Ticker): Promise<never> {
  await ticker.ended;
  return new Promise(() => {});
}
