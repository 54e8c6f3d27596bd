import { Command } from 'commander';
import { TickerError } from '../../core/errors.ts';
import { type Run, settingsOf, withSettings } from '../options.ts';
import { EXIT, print } from '../output.ts';

/** `ticker status`: what a running server says of itself. */
export function statusCommand(run: Run): Command {
  const command = new Command('status')
    .description('Show what a running server is doing.')
    .option('--json', 'print the answer of /v1/status as it is');
  withSettings(command, ['host', 'httpPort']);
  return command.action((flags: { json?: boolean }) => run(() => printStatus(flags.json === true, command)));
}

const TIMEOUT_MS = 5_000;

async function printStatus(json: boolean, command: Command): Promise<number> {
  const { host, httpPort } = settingsOf(command);
  const url = `http://${host}:${httpPort}/v1/status`;
  const answer = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch((cause: unknown) => {
    throw new TickerError('NOT_READY', `nothing answers at ${url}; start it with: ticker start`, { cause });
  });
  const status: unknown = await answer.json();
  if (json) print(JSON.stringify(status));
  else printTree(status, '');
  return answer.ok ? EXIT.done : EXIT.failed;
}

function printTree(value: unknown, path: string): void {
  if (typeof value !== 'object' || value === null) return print(`${path.padEnd(28)} ${String(value)}`);
  for (const [key, child] of Object.entries(value)) printTree(child, path === '' ? key : `${path}.${key}`);
}
