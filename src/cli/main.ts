#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { candlesCommand } from './commands/candles.ts';
import { importCommand } from './commands/import.ts';
import { replayCommand } from './commands/replay.ts';
import { startCommand } from './commands/start.ts';
import { statusCommand } from './commands/status.ts';
import { EXIT, reportError } from './output.ts';

/** `ticker`: one command a file under commands/. */
async function main(argv: readonly string[]): Promise<number> {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  let exitCode: number = EXIT.done;
  const run = async (action: () => Promise<number>): Promise<void> => {
    try {
      exitCode = await action();
    } catch (error) {
      exitCode = reportError(error);
    }
  };

  const program = new Command('ticker')
    .description('Market-data backend: one feed read once, exact candles, live charts.')
    .version(version)
    .showHelpAfterError('(ticker --help shows the commands)')
    .exitOverride();
  for (const command of [startCommand, importCommand, replayCommand, candlesCommand, statusCommand]) {
    program.addCommand(command(run).exitOverride().showHelpAfterError(true));
  }
  try {
    await program.parseAsync([...argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  }
  return exitCode;
}

/** A reader that went away (`| head`) is no fault. */
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT.done);
  throw error;
});

process.exitCode = await main(process.argv.slice(2));
