import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { ROOT } from './ticker.ts';

/** Generated trades that behave like real ones, as native CSV, and the real ones where they are at hand. */
export const HEADER = 'symbol,ts_ms,price,size,id,seq,exchange,conditions';

/** Rows without the header. Several trades share a millisecond; ids restart with each symbol. */
export function generateRows(count: number, symbols = ['IBM', 'AIG', 'XOM'], seed = 7): string[] {
  let state = seed;
  const random = (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 0x1_0000_0000) * below);
  };
  const cents = symbols.map((_, index) => 5_000 + index * 7_777);
  const ids = symbols.map(() => 0);
  let ms = Date.parse('2013-10-31T22:30:00Z');
  return Array.from({ length: count }, () => {
    const at = random(symbols.length);
    if (random(3) > 0) ms += random(9_000);
    cents[at] = Math.max(100, (cents[at] ?? 0) + random(21) - 10);
    ids[at] = (ids[at] ?? 0) + 1;
    const fraction =
      random(4) === 0
        ? `.${String((cents[at] ?? 0) % 100).padStart(2, '0')}${random(10)}`
        : `.${String((cents[at] ?? 0) % 100).padStart(2, '0')}`;
    const size =
      random(5) === 0 ? `${random(100)}.${String(random(1_000_000)).padStart(6, '0')}` : String(random(900) + 1);
    return [
      symbols[at],
      ms,
      `${Math.floor((cents[at] ?? 0) / 100)}${fraction}`,
      size,
      ids[at],
      ids[at],
      'P',
      random(4) === 0 ? '14;41' : '',
    ].join(',');
  });
}

export function shuffle<T>(items: readonly T[], seed = 3): T[] {
  const shuffled = [...items];
  let state = seed;
  for (let i = shuffled.length - 1; i > 0; i--) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const j = state % (i + 1);
    [shuffled[i], shuffled[j]] = [shuffled[j] as T, shuffled[i] as T];
  }
  return shuffled;
}

/** Files of real trades beside the project; none on a machine that has only the project. */
export function realFiles(): string[] {
  const folder = join(ROOT, '..', 'shared', 'data');
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith('.trades.csv.gz'))
    .map((name) => join(folder, name));
}

export function readGz(path: string): string {
  return gunzipSync(readFileSync(path)).toString();
}
