import { err, ok, type Result } from '../../core/result.ts';
import { type JsonField, readFlatObject } from './flat-object.ts';
import { emptyRow, FIELDS, type RawRow, type RowProblem } from './row.ts';
import type { RowDecoder } from './row-decoder.ts';
import { isTimeField, TIME_FIELDS } from './time.ts';

/** Decoder of JSON lines: one flat object a line, fields as in docs/formats.md. The first row decides whether rows have ids. */
export function createJsonLinesDecoder(): RowDecoder {
  const ignored = new Set<string>();
  let hasIds: boolean | undefined;

  return {
    format: 'jsonl',
    hasIds: () => hasIds === true,
    ignoredFields: () => [...ignored],
    decode(text, start, end, row) {
      const object = readFlatObject(text, start, end);
      if (!object.ok) return { field: '', reason: object.error };
      const filled = fillRow(object.value, row, ignored);
      if (!filled.ok) return filled.error;
      hasIds ??= has(filled.value, 'id');
      return missingField(filled.value, hasIds);
    },
  };
}

type FieldName = (typeof FIELDS)[number];

/** Set of fields: one bit each. */
type FieldSet = number;

/** Looking a key up here also replaces a text cut from the line, as which it would be a slow property name. */
const NAMES = new Map<string, FieldName>(FIELDS.map((name) => [name, name]));
const BITS = Object.fromEntries(FIELDS.map((name, index) => [name, 1 << index])) as Record<FieldName, number>;

/** A limit on everything: names of unknown fields that are remembered for the report. */
const IGNORED_MAX = 100;

const REQUIRED = ['symbol', 'price', 'size'] as const;
/** `null` says that the row has no such thing; a required field must have a value. */
const NULLABLE: readonly FieldName[] = ['seq', 'exchange', 'conditions', 'side'];
/** A number would not be what was meant: a symbol such as 005930 loses its zeros. */
const TEXT_ONLY: readonly FieldName[] = ['symbol', 'side', 'ts'];
/** A number here is taken as its digits. */
const TEXT_OR_DIGITS: readonly FieldName[] = ['id', 'exchange', 'conditions'];

const EMPTY_ROW: Readonly<RawRow> = emptyRow();

/** The fields that were there, or what is wrong with one. */
function fillRow(fields: readonly JsonField[], row: RawRow, ignored: Set<string>): Result<FieldSet, RowProblem> {
  Object.assign(row, EMPTY_ROW);
  let seen: FieldSet = 0;
  for (const field of fields) {
    const name = NAMES.get(field.key);
    if (name === undefined) {
      if (ignored.size < IGNORED_MAX) ignored.add(field.key);
      continue;
    }
    if (has(seen, name)) return err({ field: name, reason: 'is given twice' });
    seen |= BITS[name];
    const reason = wrongType(name, field);
    if (reason !== undefined) return err({ field: name, reason });
    if (isTimeField(name)) {
      row.time = field.text;
      row.timeField = name;
    } else {
      row[name] = field.text;
    }
  }
  return ok(seen);
}

function has(fields: FieldSet, name: FieldName): boolean {
  return (fields & BITS[name]) !== 0;
}

function wrongType(name: FieldName, { kind, text }: JsonField): string | undefined {
  if (kind === 'string') return undefined;
  if (kind === 'number') {
    if (TEXT_ONLY.includes(name)) return 'is a number, must be a string';
    const wrong = TEXT_OR_DIGITS.includes(name) && !/^-?\d+$/.test(text);
    return wrong ? `is a number with a fraction or an exponent (${text}): quote it` : undefined;
  }
  if (kind === 'null') return NULLABLE.includes(name) ? undefined : 'is null';
  return kind === 'boolean' ? 'is a boolean' : `is an ${kind}`;
}

function missingField(fields: FieldSet, hasIds: boolean): RowProblem | undefined {
  for (const field of REQUIRED) if (!has(fields, field)) return { field, reason: 'is missing' };
  const [time, second] = TIME_FIELDS.filter((name) => has(fields, name));
  if (time === undefined) return { field: '', reason: `has no time: one of ${TIME_FIELDS.join(', ')}` };
  if (second !== undefined) return { field: '', reason: `has two times, ${time} and ${second}: keep one` };
  if (has(fields, 'id') === hasIds) return undefined;
  return { field: 'id', reason: hasIds ? 'is missing' : 'is given, but the first row has none' };
}
