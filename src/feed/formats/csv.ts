import { TickerError } from '../../core/errors.ts';
import { FIELDS, type RawRow } from './row.ts';
import type { RowDecoder } from './row-decoder.ts';
import { isTimeField, TIME_FIELDS, type TimeField } from './time.ts';

/**
 * Decoder of the native CSV (RFC 4180, docs/formats.md) whose header is `header`. Columns may come in any order; unknown
 * ones are ignored. Throws INPUT_FORMAT, naming the column, when one is missing, doubled or without a name.
 */
export function createCsvDecoder(file: string, header: string): RowDecoder {
  const names: string[] = [];
  const split = splitFields(header, 0, header.length, names);
  if (typeof split === 'string') throw formatError(file, `the header ${split}`);
  const timeField = checkHeader(file, names);
  const columns = columnsOf(names, timeField);
  const fields: string[] = [];

  return {
    format: 'csv',
    hasIds: () => names.includes('id'),
    ignoredFields: () => names.filter((name) => !(FIELDS as readonly string[]).includes(name)),
    decode(text, start, end, row) {
      const count = splitFields(text, start, end, fields);
      if (typeof count === 'string') return { field: '', reason: count };
      if (count !== names.length) return { field: '', reason: `has ${count} columns, the header has ${names.length}` };
      row.timeField = timeField;
      fillRow(row, fields, columns);
      return undefined;
    },
  };
}

const COMMA = 44;
const QUOTE = 34;
const SPACE = 32;
const TAB = 9;

const REQUIRED = ['symbol', 'price', 'size'] as const;

/** Column of each field of a row, NONE if the file has none of it. */
type Columns = Record<Exclude<keyof RawRow, 'timeField'>, number>;

const NONE = -1;

function columnsOf(names: readonly string[], timeField: TimeField): Columns {
  const column = (name: string): number => names.indexOf(name);
  return {
    symbol: column('symbol'),
    time: column(timeField),
    price: column('price'),
    size: column('size'),
    id: column('id'),
    seq: column('seq'),
    exchange: column('exchange'),
    conditions: column('conditions'),
    side: column('side'),
  };
}

/** Field by field, because a store under a computed name costs several times as much. */
function fillRow(row: RawRow, fields: readonly string[], columns: Columns): void {
  row.symbol = pick(fields, columns.symbol);
  row.time = pick(fields, columns.time);
  row.price = pick(fields, columns.price);
  row.size = pick(fields, columns.size);
  row.id = pick(fields, columns.id);
  row.seq = pick(fields, columns.seq);
  row.exchange = pick(fields, columns.exchange);
  row.conditions = pick(fields, columns.conditions);
  row.side = pick(fields, columns.side);
}

function pick(fields: readonly string[], column: number): string {
  return column === NONE ? '' : (fields[column] as string);
}

/** Leaves the fields of text[start, end) in `fields`, which is used again and again; returns their number, or what is wrong. */
function splitFields(text: string, start: number, end: number, fields: string[]): number | string {
  let at = start;
  for (let column = 0; ; column++) {
    if (at < end && text.charCodeAt(at) === QUOTE) {
      const close = closingQuote(text, at + 1, end);
      if (close === undefined) return 'has a quoted field that does not end on its line';
      if (close + 1 < end && text.charCodeAt(close + 1) !== COMMA) return 'has text after a closing quote';
      fields[column] = text.slice(at + 1, close).replaceAll('""', '"');
      at = close + 1;
    } else {
      const from = at;
      while (at < end && text.charCodeAt(at) !== COMMA) at++;
      fields[column] = sliceTrimmed(text, from, at);
    }
    if (at >= end) return column + 1;
    at++;
  }
}

function closingQuote(text: string, from: number, end: number): number | undefined {
  for (let at = from; at < end; at++) {
    if (text.charCodeAt(at) !== QUOTE) continue;
    if (at + 1 < end && text.charCodeAt(at + 1) === QUOTE) at++;
    else return at;
  }
  return undefined;
}

/** Blanks round an unquoted field are not part of it. */
function sliceTrimmed(text: string, from: number, to: number): string {
  let start = from;
  let end = to;
  while (start < end && isBlank(text.charCodeAt(start))) start++;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === SPACE || code === TAB;
}

function checkHeader(file: string, names: readonly string[]): TimeField {
  const unnamed = names.indexOf('');
  if (unnamed >= 0) throw formatError(file, `column ${unnamed + 1} of the header has no name`);
  const doubled = names.find((name, column) => names.indexOf(name) !== column);
  if (doubled !== undefined) throw formatError(file, `the column ${doubled} is given twice`);
  const found = `; the first line must be a header, found: ${clip(names.join(', '))}`;
  const missing = REQUIRED.find((name) => !names.includes(name));
  if (missing !== undefined) throw formatError(file, `the column ${missing} is missing${found}`);
  const [timeField, second] = names.filter(isTimeField);
  if (timeField === undefined)
    throw formatError(file, `a time column is missing, one of ${TIME_FIELDS.join(', ')}${found}`);
  if (second !== undefined) throw formatError(file, `has two time columns, ${timeField} and ${second}: keep one`);
  return timeField;
}

function formatError(file: string, reason: string): TickerError {
  return new TickerError('INPUT_FORMAT', `${file}: ${reason}`, { details: { file } });
}

function clip(text: string): string {
  return text.length <= 200 ? text : `${text.slice(0, 200)}..`;
}
