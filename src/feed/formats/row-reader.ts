import { TickerError } from '../../core/errors.ts';
import { err, type Result } from '../../core/result.ts';
import type { Tick, TickRules } from '../../core/tick.ts';
import { createCsvDecoder } from './csv.ts';
import { createJsonLinesDecoder } from './json-lines.ts';
import { LINE_LENGTH_MAX } from './line-blocks.ts';
import { emptyRow, type RowProblem, tickOfRow } from './row.ts';
import type { RowDecoder } from './row-decoder.ts';
import type { RowFault } from './row-fault.ts';

/** Turns blocks of whole lines into ticks. Keeps the format, the header and the line number from block to block. */
export interface RowReader {
  read(block: string): { ticks: Tick[]; faults: RowFault[]; rows: number };
  /** What the file is. Throws INPUT_FORMAT when there was nothing in it. */
  summary(): { format: 'csv' | 'jsonl'; hasIds: boolean; ignoredFields: readonly string[] };
}

/** `contentHash` identifies the rows of a file without ids (D6). Throws INPUT_FORMAT when the first line fits no format. */
export function createRowReader(file: string, rules: TickRules, contentHash: string): RowReader {
  const row = emptyRow();
  let decoder: RowDecoder | undefined;
  let line = 0;
  let rowNumber = 0;

  /** Undefined: the line was the header. */
  function readLine(text: string, start: number, end: number): Result<Tick, RowProblem> | undefined {
    if (decoder === undefined) {
      decoder = chooseDecoder(file, text.slice(start, Math.min(end, start + LINE_LENGTH_MAX)));
      if (decoder.format === 'csv') return undefined;
    }
    rowNumber++;
    if (end - start > LINE_LENGTH_MAX)
      return err({ field: '', reason: `is longer than ${LINE_LENGTH_MAX} characters` });
    const problem = decoder.decode(text, start, end, row);
    if (problem !== undefined) return err(problem);
    if (!decoder.hasIds()) row.id = `${contentHash}:${String(rowNumber).padStart(ROW_DIGITS, '0')}`;
    return tickOfRow(row, rules);
  }

  return {
    read(block) {
      const ticks: Tick[] = [];
      const faults: RowFault[] = [];
      for (let start = 0; start < block.length; ) {
        const newline = block.indexOf('\n', start);
        const end = block.charCodeAt(newline - 1) === CARRIAGE_RETURN ? newline - 1 : newline;
        line++;
        const result = isBlank(block, start, end) ? undefined : readLine(block, start, end);
        if (result?.ok) ticks.push(result.value);
        else if (result !== undefined) faults.push({ file, line, ...result.error });
        start = newline + 1;
      }
      return { ticks, faults, rows: ticks.length + faults.length };
    },
    summary() {
      if (decoder === undefined) throw formatError(file, 'is empty: not even a header');
      return { format: decoder.format, hasIds: decoder.hasIds(), ignoredFields: decoder.ignoredFields() };
    },
  };
}

const CARRIAGE_RETURN = 13;
const ROW_DIGITS = 10;

/** What people try although it is no text; told by the first bytes, most of which survive decoding. */
const BINARY_MARKS: readonly [mark: string, name: string][] = [
  ['PK\x03\x04', 'a zip archive'],
  ['BZh', 'a bzip2 file'],
  ['PAR1', 'a Parquet file'],
  ['\ufffd7zXZ', 'an xz file'],
  ['(\ufffd/\ufffd', 'a zstd file'],
];

function chooseDecoder(file: string, firstLine: string): RowDecoder {
  const binary = BINARY_MARKS.find(([mark]) => firstLine.startsWith(mark));
  if (binary !== undefined) throw formatError(file, `is ${binary[1]}; CSV and JSON lines are read, plain or gzipped`);
  if (/[\0\ufffd]/.test(firstLine)) throw formatError(file, 'is not UTF-8 text');
  const first = firstLine.trimStart();
  if (first.startsWith('[')) throw formatError(file, 'is a JSON array; write one object a line');
  return first.startsWith('{') ? createJsonLinesDecoder() : createCsvDecoder(file, firstLine);
}

function isBlank(text: string, start: number, end: number): boolean {
  return start === end || (text.charCodeAt(start) <= 32 && text.slice(start, end).trim() === '');
}

function formatError(file: string, reason: string): TickerError {
  return new TickerError('INPUT_FORMAT', `${file}: ${reason}`, { details: { file } });
}
