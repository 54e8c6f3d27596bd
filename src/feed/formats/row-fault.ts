import type { RowProblem } from './row.ts';

/** A row that is not a trade: where it stands and why (T1, F1). */
export interface RowFault extends RowProblem {
  readonly file: string;
  /** Line of the file, from 1, as an editor counts it. */
  readonly line: number;
}

/** One line for people: `trades.csv:17: price: is not a number: "NaN"`. */
export function formatRowFault({ file, line, field, reason, text }: RowFault): string {
  const where = field === '' ? `${file}:${line}` : `${file}:${line}: ${field}`;
  return text === undefined ? `${where}: ${reason}` : `${where}: ${reason}: ${quote(text)}`;
}

const SHOWN_LENGTH_MAX = 60;

/** Quoted, with control characters spelt out, so that a hostile row cannot write to a terminal. */
function quote(text: string): string {
  const shown = text.length <= SHOWN_LENGTH_MAX ? text : `${text.slice(0, SHOWN_LENGTH_MAX)}..`;
  return JSON.stringify(shown).replace(
    /[\x7f-\x9f]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
