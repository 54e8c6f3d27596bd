import type { Ticker } from '../server/main.ts';
import { say } from './output.ts';

/** Waits for Ctrl-C, SIGTERM, or the end of the feed when `endsWithFeed`; then stops gracefully. A second signal ends at once. */
export async function untilStopped(ticker: Ticker, endsWithFeed = false): Promise<void> {
  const signalled = new Promise<string>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => {
        resolve(signal);
        process.once(signal, () => process.exit(EXIT_ON_SECOND_SIGNAL));
      });
    }
  });
  const reason = await Promise.race(
    endsWithFeed ? [signalled, ticker.ended.then(() => 'end')] : [signalled, failed(ticker)],
  );
  if (reason !== 'end') say('stopping: committing what was read (again to stop at once) ..');
  for (const failure of await ticker.stop()) say(`  ${failure.name}: ${failure.reason}`);
  if (reason !== 'end') say('stopped.');
}

/** Never resolves; rejects when the pipeline fails. */
async function failed(ticker: Ticker): Promise<never> {
  await ticker.ended;
  return new Promise(() => {});
}

const EXIT_ON_SECOND_SIGNAL = 130;
