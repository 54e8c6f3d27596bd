import { TickerError } from '../core/errors.ts';

/** What a command says and how it ends. Results go to standard output, everything else to standard error. */

/** docs/cli.md: 0 done, 1 failed, 2 wrong call, 130 stopped at once by a second signal. */
export const EXIT = { done: 0, failed: 1, usage: 2, stoppedAtOnce: 130 } as const;

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

export function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** One line each for what happened and what to do about it. */
export function reportError(error: unknown): number {
  if (error instanceof TickerError) {
    say(`ticker: ${error.message}`);
    say(`  ${error.fix} (${error.code})`);
    return error.code === 'USAGE' || error.code === 'SETTING_INVALID' ? EXIT.usage : EXIT.failed;
  }
  say(`ticker: unexpected failure: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  return EXIT.failed;
}

/** A progress line that redraws itself on a terminal, and stays silent elsewhere but for its end. */
export interface Progress {
  update(text: string): void;
  end(text: string): void;
}

export function createProgress(stream: NodeJS.WriteStream = process.stderr): Progress {
  return {
    update(text) {
      if (stream.isTTY) stream.write(`\r\u001b[K${text.slice(0, (stream.columns ?? 80) - 1)}`);
    },
    end(text) {
      stream.write(`${stream.isTTY ? '\r\u001b[K' : ''}${text}\n`);
    },
  };
}

/** `[#####.....] 52 %` */
export function bar(done: number, total: number, width = 24): string {
  const share = total > 0 ? Math.min(1, done / total) : 0;
  const full = Math.round(share * width);
  return `[${'#'.repeat(full)}${'.'.repeat(width - full)}] ${Math.floor(share * 100)} %`;
}

export function count(value: number, noun: string): string {
  return `${value.toLocaleString('en-US')} ${noun}${value === 1 ? '' : 's'}`;
}
