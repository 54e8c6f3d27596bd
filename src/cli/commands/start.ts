import { Command } from 'commander';
import { systemClock } from '../../core/clock.ts';
import { createSimulatedFeed } from '../../feed/index.ts';
import type { Ticker } from '../../server/main.ts';
import { SETTINGS, type Settings } from '../../server/settings.ts';
import { type Run, settingsOf, storePath, withSettings } from '../options.ts';
import { say } from '../output.ts';
import { onStopSignal, runUntilStopped } from '../signals.ts';

/** `ticker start`: the whole pipeline in one process, on the simulated feed. */
export function startCommand(run: Run): Command {
  const command = new Command('start').description(
    'Run everything: simulated feed, candles, API and page. Ctrl-C stops it; it continues from its data.',
  );
  withSettings(
    command,
    SETTINGS.map(({ name }) => name),
  );
  return command.action(() => run(() => start(settingsOf(command))));
}

async function start(settings: Settings): Promise<number> {
  const stop = onStopSignal();
  const path = storePath(undefined, settings);
  // Loaded when needed: the server takes half a second to load, and most commands do without it.
  const { startTicker } = await import('../../server/main.ts');
  const feed = simulatedFeed(settings);
  const begin = async (): Promise<Ticker> => {
    const ticker = await startTicker({
      settings,
      feed,
      storePath: path,
      serve: true,
      label: 'ticker start',
      say,
      stop,
    });
    announce(ticker, path);
    return ticker;
  };
  return runUntilStopped(stop, begin, false);
}

/** Shown on a first start, so that the chart is not empty. */
const INITIAL_HISTORY_MS = 30 * 60_000;

function simulatedFeed({ simSeed, simSymbols, simRate, simStartMs }: Settings) {
  return createSimulatedFeed({
    seed: simSeed,
    symbols: simSymbols,
    ticksPerSecond: simRate,
    initialHistoryMs: INITIAL_HISTORY_MS,
    clock: systemClock,
    ...(simStartMs === 0 ? {} : { startMs: simStartMs }),
  });
}

function announce({ webUrl, apiUrl }: Ticker, path: string): void {
  say('');
  if (webUrl !== undefined) say(`  Ticker is live:  ${webUrl}`);
  say(`  API:             ${apiUrl}/v1/symbols`);
  say(`  Data:            ${path}`);
  say('  The feed is SIMULATED. Real trades: stop this one, or beside it:');
  say('    ticker import FILE --data-dir ./real    ticker replay FILE --speed max --data-dir ./real');
  say('  Stop with Ctrl-C.');
  say('');
}
