import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { TickerError } from '../core/errors.ts';
import { readSettings, SETTINGS, type Setting, type Settings } from '../server/settings.ts';

/** Runs a command's action and keeps its exit code; errors are reported in one place. */
export type Run = (action: () => Promise<number>) => Promise<void>;

/** Adds the flags of these settings, with their help, from the table. */
export function withSettings(command: Command, names: readonly (keyof Settings)[]): Command {
  for (const setting of (SETTINGS as readonly Setting[]).filter(({ name }) => names.includes(name as keyof Settings))) {
    const text = `${setting.why} (${setting.env}, default ${setting.default === '' ? 'none' : setting.default})`;
    if (setting.type === 'flag') {
      command.addOption(new Option(setting.flag, text).hideHelp());
      command.addOption(new Option(setting.flag.replace('--', '--no-'), text));
    } else {
      command.addOption(new Option(`${setting.flag} <value>`, text));
    }
  }
  return command;
}

/** Settings from the command's flags and the environment; flags that were not given stay out. */
export function settingsOf(command: Command): Settings {
  const flags: Record<string, string | boolean> = {};
  for (const { name, flag } of SETTINGS as readonly Setting[]) {
    const key = flag.replace(/^--/, '').replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
    if (command.getOptionValueSource(key) === 'cli') flags[name] = command.getOptionValue(key) as string | boolean;
  }
  return readSettings(flags, process.env);
}

/** `sqlite:PATH` -> the absolute path of the store; without the option, the store of the data directory. */
export function storePath(url: string | undefined, settings: Settings): string {
  if (url === undefined) return resolve(settings.dataDir, 'ticker.db');
  const path = /^sqlite:(.+)$/.exec(url)?.[1];
  if (path === undefined)
    throw new TickerError('USAGE', `--store: "${url}" is not sqlite:PATH, the one kind of store this version has`);
  return resolve(path);
}

export const STORE_OPTION = 'store to use: sqlite:PATH (default: the store in the data directory)';
