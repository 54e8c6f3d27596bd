import { Command } from 'commander';
import { systemClock } from '../../core/clock.ts';
import { TickerError } from '../../core/errors.ts';
import { formatRowFault, openTradeFile, type TradeFile } from '../../feed/index.ts';
import { ownerToken, SHARDS } from '../../server/identity.ts';
import { type ImportReport, importFile } from '../../server/importer.ts';
import { openSqliteStore, type Store } from '../../store/index.ts';
import { type Run, STORE_OPTION, settingsOf, storePath, withSettings } from '../options.ts';
import { bar, count, createProgress, EXIT, reportError, say } from '../output.ts';

interface ImportFlags {
  readonly store?: string;
  readonly source: string;
  readonly skipBad?: boolean;
}

interface ImportSettings extends ImportFlags {
  readonly diskCapBytes: number;
}

/** `ticker import FILE..`: real trades straight into candles and the archive. */
export function importCommand(run: Run): Command {
  const command = new Command('import')
    .description('Import files of trades into candles of all intervals: native CSV or JSON lines, gzipped or not.')
    .argument('<files...>', "files, or '-' for standard input")
    .option('--store <url>', STORE_OPTION)
    .option('--source <name>', 'source that owns the symbols in the store; a symbol has one source for ever', 'file')
    .option('--skip-bad', 'count bad rows and go on; by default one bad row refuses its whole file')
    .addHelpText(
      'after',
      '\nImporting the same file again changes nothing.\n\nExample:\n  ticker import trades.csv.gz --store sqlite:./x.db',
    );
  withSettings(command, ['dataDir', 'diskCapBytes']);
  return command.action((files: string[], flags: ImportFlags) =>
    run(() => {
      const settings = settingsOf(command);
      return importAll(files, { ...flags, diskCapBytes: settings.diskCapBytes }, storePath(flags.store, settings));
    }),
  );
}

async function importAll(files: readonly string[], flags: ImportSettings, path: string): Promise<number> {
  if (!/^[A-Za-z0-9._-]{1,48}$/.test(flags.source))
    throw new TickerError('USAGE', `--source: "${flags.source}" is not a name of letters, digits, . _ -`);
  const store = await openSqliteStore({ path, mode: 'write', ownerLabel: 'ticker import', clock: systemClock });
  let exitCode: number = EXIT.done;
  try {
    for (const file of files) {
      // A bad file is refused whole; the good ones beside it are still imported.
      const code = await importOne(file, flags, store).catch(reportError);
      if (code !== EXIT.done) exitCode = code;
    }
  } finally {
    await store.close();
  }
  return exitCode;
}

async function importOne(path: string, flags: ImportSettings, store: Store): Promise<number> {
  const progress = createProgress();
  const startedMs = systemClock.monotonicMs();
  const file = await openTradeFile(path, {
    clock: systemClock,
    onProgress: (read, size) => progress.update(`${path}: checking ${bar(read, size)}`),
  });
  try {
    const report = await importFile(file, {
      store,
      shards: SHARDS,
      source: flags.source,
      ownerToken: ownerToken(),
      skipBad: flags.skipBad === true,
      nowMs: systemClock.nowMs(),
      diskCapBytes: flags.diskCapBytes,
      onProgress: ({ rows }, read) =>
        progress.update(`${file.name}: ${bar(read, file.sizeBytes)} ${count(rows, 'row')}`),
    });
    progress.end(summary(file, report, (systemClock.monotonicMs() - startedMs) / 1_000));
    notes(file, flags).forEach(say);
  } finally {
    await file.close();
  }
  return EXIT.done;
}

function summary(file: TradeFile, { rows, applied, duplicate, rejected }: ImportReport, seconds: number): string {
  const rate = Math.round(rows / Math.max(seconds, 0.001));
  const symbols = file.symbols.length <= 5 ? file.symbols.join(' ') : count(file.symbols.length, 'symbol');
  return `${file.name}: ${count(rows, 'row')} (${symbols}): ${applied} new, ${duplicate} already known, ${rejected} bad; ${seconds.toFixed(2)} s, ${count(rate, 'row')}/s`;
}

function notes(file: TradeFile, flags: ImportFlags): string[] {
  const lines: string[] = [];
  if (flags.skipBad === true && file.faultCount > 0)
    lines.push(...file.faults.map((fault) => `  skipped ${formatRowFault(fault)}`));
  if (file.faultCount > file.faults.length && flags.skipBad === true)
    lines.push(`  .. and ${file.faultCount - file.faults.length} more`);
  if (!file.hasIds)
    lines.push('  no `id` column: only this same file is recognized when it is imported again (docs/formats.md)');
  if (file.ignoredFields.length > 0) lines.push(`  ignored: ${file.ignoredFields.join(', ')}`);
  return lines;
}
