import { parseDecimal, parseUnits, type Units } from '../../core/decimal.ts';
import { err, type Result } from '../../core/result.ts';
import { ID_LENGTH_MAX, type Tick, type TickRules, validateTick } from '../../core/tick.ts';
import { parseEventTime, parseWholeNumber, TIME_FIELDS, type TimeField } from './time.ts';

/** Text of one row before it is understood; a decoder fills it again and again. Fields a row lacks are ''. */
export interface RawRow {
  symbol: string;
  time: string;
  timeField: TimeField;
  price: string;
  size: string;
  id: string;
  seq: string;
  exchange: string;
  conditions: string;
  side: string;
}

/** Why a row is not a trade. `field` is '' when the row as a whole is wrong. */
export interface RowProblem {
  readonly field: string;
  readonly reason: string;
  /** What stood there, when it helps to find it. */
  readonly text?: string;
}

/** Every field a trade file may have; docs/formats.md is their reference. Others are ignored and reported once. */
export const FIELDS = [
  'symbol',
  ...TIME_FIELDS,
  'price',
  'size',
  'id',
  'seq',
  'exchange',
  'conditions',
  'side',
] as const;

/** A limit on everything: exchange and condition texts. */
const TEXT_LENGTH_MAX = 128;

export function emptyRow(): RawRow {
  return {
    symbol: '',
    time: '',
    timeField: 'ts',
    price: '',
    size: '',
    id: '',
    seq: '',
    exchange: '',
    conditions: '',
    side: '',
  };
}

/** The validated tick of a row (F1), or the first thing that is wrong with it. */
export function tickOfRow(row: RawRow, rules: TickRules): Result<Tick, RowProblem> {
  const time = parseEventTime(row.timeField, row.time);
  if (!time.ok) return problem(row.timeField, time.error.reason, time.error.shown ? '' : row.time);
  const price = parseDecimal(row.price);
  if (price === undefined) return problem('price', decimalReason(row.price), row.price);
  const size = parseDecimal(row.size);
  if (size === undefined) return problem('size', decimalReason(row.size), row.size);
  const seq = parseSeq(row.seq);
  if (seq === undefined) return problem('seq', 'is not a whole number', row.seq);
  const { side } = row;
  if (side !== '' && side !== 'buy' && side !== 'sell') return problem('side', 'is neither buy nor sell', side);
  const unclean =
    textProblem('id', row.id, ID_LENGTH_MAX) ??
    textProblem('exchange', row.exchange, TEXT_LENGTH_MAX) ??
    textProblem('conditions', row.conditions, TEXT_LENGTH_MAX);
  if (unclean !== undefined) return err(unclean);
  const { tsUs, ns } = time.value;
  const { symbol, exchange, conditions } = row;
  const checked = validateTick(
    { symbol, tsUs, ns, seq, id: ownText(row.id), price, size, exchange, conditions, side },
    rules,
  );
  if (checked.ok) return checked;
  const { field, reason } = checked.error;
  if (field === 'ts') return problem(row.timeField, reason, row.time);
  return field === 'symbol' && symbol !== '' ? problem(field, reason, symbol) : problem(field, reason);
}

function problem(field: string, reason: string, text = ''): Result<never, RowProblem> {
  return err(text === '' ? { field, reason } : { field, reason, text });
}

/** 0 when there is none. Short ones skip the pattern of parseUnits: every row has one. */
function parseSeq(text: string): Units | undefined {
  return (text.length <= 15 ? parseWholeNumber(text) : undefined) ?? parseUnits(text);
}

function decimalReason(text: string): string {
  if (text === '') return 'is empty';
  return /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text)
    ? 'has more than 18 decimal places or is too long'
    : 'is not a number';
}

/** Control characters, lone surrogates, and the mark that broken UTF-8 leaves behind: an id must survive any encoding. */
const UNCLEAN = /[\p{Cc}\p{Cs}\ufffd]/u;

function textProblem(field: string, text: string, lengthMax: number): RowProblem | undefined {
  if (text === '') return undefined;
  if (text.length > lengthMax) return { field, reason: `is longer than ${lengthMax} characters` };
  return !isPrintableAscii(text) && UNCLEAN.test(text)
    ? { field, reason: 'has a control character or is not UTF-8', text }
    : undefined;
}

/** The common case, several times faster than the pattern. */
function isPrintableAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 32 || code > 126) return false;
  }
  return true;
}

/** V8 lets a slice of 13 characters or more keep its whole block alive; ids outlive their block by hours. */
const SLICE_LENGTH_MIN = 13;

function ownText(text: string): string {
  return text.length < SLICE_LENGTH_MIN ? text : ` ${text}`.slice(1);
}
