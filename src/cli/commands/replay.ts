import { Command } from 'commander';
import { systemClock } from '../../core/clock.ts';
import { TickerError } from '../../core/errors.ts';
import { createReplayFeed, formatRowFault } from '../../feed/index.ts';
import type { Ticker } from '../../server/main.ts';
import { SETTINGS, type Settings } from '../../server/settings.ts';
import { type Run, STORE_OPTION, settingsOf, storePath, withSettings } from '../options.ts';
import { say } from '../output.ts';
import { onStopSignal, runUntilStopped } from '../signals.ts';

interface ReplayFlags {
  readonly speed: string;
  readonly store?: string;
  readonly source: string;
  readonly skipBad?: boolean;
  readonly serve?: boolean;
}

/** `ticker replay FILE..`: recorded trades through the stream, as if they were happening. */
export function replayCommand(run: Run): Command {
  const command = new Command('replay')
    .description('Play files of trades through the stream as a feed, merged by time. Continues where it was stopped.')
    .argument('<files...>', "files, or '-' for standard input")
    .requiredOption('--speed <n>', "times as fast as the trades happened, or 'max': as fast as the candles keep up")
    .option('--store <url>', STORE_OPTION)
    .option('--source <name>', 'source that owns the symbols in the store', 'file')
    .option('--skip-bad', 'count bad rows and go on; by default one bad row refuses the replay')
    .option('--serve', 'serve the API and the page, and stay when the files end')
    .addHelpText('after', '\nExample:\n  ticker replay trades.csv.gz --speed 60 --serve --store sqlite:./y.db');
  withSettings(
    command,
    SETTINGS.map(({ name }) => name).filter((name) => !name.startsWith('sim')),
  );
  return command.action((files: string[], flags: ReplayFlags) => run(() => replay(files, flags, settingsOf(command))));
}

async function replay(files: readonly string[], flags: ReplayFlags, settings: Settings): Promise<number> {
  const stop = onStopSignal();
  const serve = flags.serve === true;
  const feed = await createReplayFeed({
    files,
    speed: parseSpeed(flags.speed),
    source: flags.source,
    skipBad: flags.skipBad === true,
    clock: systemClock,
    onFault: (fault) => say(`  skipped ${formatRowFault(fault)}`),
  });
  const { startTicker } = await import('../../server/main.ts');
  const path = storePath(flags.store, settings);
  const begin = async (): Promise<Ticker> => {
    const ticker = await startTicker({ settings, feed, storePath: path, serve, label: 'ticker replay', say, stop });
    if (ticker.webUrl !== undefined) say(`  Replaying; the chart is at ${ticker.webUrl}`);
    else if (ticker.apiUrl !== undefined) say(`  Replaying; the API is at ${ticker.apiUrl}`);
    ticker.ended.then(
      () => say(`replay: ${files.join(' ')} has ended; every candle is committed`),
      () => undefined,
    );
    return ticker;
  };
  try {
    return await runUntilStopped(stop, begin, !serve);
  } finally {
    await feed.close();
  }
}

const SPEED_MAX = 1_000_000;

function parseSpeed(text: string): number | 'max' {
  if (text === 'max') return 'max';
  const speed = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (speed > 0 && speed <= SPEED_MAX) return speed;
  throw new TickerError('USAGE', `--speed: "${text}" is neither 'max' nor a number above 0 and up to ${SPEED_MAX}`);
}
