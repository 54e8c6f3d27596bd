import type { RawRow, RowProblem } from './row.ts';

/** One format: takes lines apart into the fields of a row. */
export interface RowDecoder {
  readonly format: 'csv' | 'jsonl';
  /** Whether rows carry the venue's trade id (D6). Known after the first row. */
  hasIds(): boolean;
  /** Names met so far that mean nothing here. */
  ignoredFields(): readonly string[];
  /** Fills `row` from text[start, end), which is one line without its end. */
  decode(text: string, start: number, end: number, row: RawRow): RowProblem | undefined;
}
