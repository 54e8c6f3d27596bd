import { err, ok, type Result } from '../../core/result.ts';

/** One member of a JSON object. A number keeps its text: JSON.parse would round 0.1234567890123456789 and ids over 2^53 (R13). */
export interface JsonField {
  readonly key: string;
  readonly kind: 'string' | 'number' | 'boolean' | 'null' | 'object' | 'array';
  /** The string itself, the digits of the number, or '' for the other kinds. */
  readonly text: string;
}

/** Reads text[start, end) as one flat JSON object (RFC 8259). Values that are objects or arrays are skipped. The error is the reason. */
export function readFlatObject(text: string, start = 0, end = text.length): Result<JsonField[], string> {
  const cursor: Cursor = { text, end, at: start };
  const invalid = (what: string) => err(`is not valid JSON: ${what} at column ${cursor.at - start + 1}`);
  skipBlanks(cursor);
  if (!take(cursor, OPEN_OBJECT)) return err('is not a JSON object');
  const fields: JsonField[] = [];
  skipBlanks(cursor);
  let open = !take(cursor, CLOSE_OBJECT);
  while (open) {
    const field = readField(cursor);
    if (typeof field === 'string') return invalid(field);
    if (fields.push(field) > FIELDS_MAX) return err(`has more than ${FIELDS_MAX} fields`);
    skipBlanks(cursor);
    if (take(cursor, CLOSE_OBJECT)) open = false;
    else if (!take(cursor, COMMA)) return invalid('expected , or }');
  }
  skipBlanks(cursor);
  return cursor.at === end ? ok(fields) : invalid('text after the object');
}

interface Cursor {
  readonly text: string;
  readonly end: number;
  at: number;
}

const FIELDS_MAX = 1_000;

const QUOTE = 34;
const BACKSLASH = 92;
const COMMA = 44;
const COLON = 58;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;
const OPEN_ARRAY = 91;
const CLOSE_ARRAY = 93;

/** The field, or what was wrong. */
function readField(cursor: Cursor): JsonField | string {
  skipBlanks(cursor);
  const key = readString(cursor);
  if (key === undefined) return 'expected a name in quotes';
  skipBlanks(cursor);
  if (!take(cursor, COLON)) return 'expected :';
  skipBlanks(cursor);
  const start = codeAt(cursor);
  if (start === QUOTE) {
    const text = readString(cursor);
    return text === undefined ? 'a string is broken' : { key, kind: 'string', text };
  }
  if (start === OPEN_OBJECT || start === OPEN_ARRAY) {
    if (!skipNested(cursor)) return 'a value is not closed';
    return { key, kind: start === OPEN_OBJECT ? 'object' : 'array', text: '' };
  }
  const literal = match(cursor, LITERAL);
  if (literal !== undefined) return { key, kind: literal === 'null' ? 'null' : 'boolean', text: '' };
  const number = match(cursor, NUMBER);
  return number === undefined ? 'expected a value' : { key, kind: 'number', text: number };
}

const LITERAL = /(?:true|false|null)(?![\w.+-])/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-])/y;

function match(cursor: Cursor, pattern: RegExp): string | undefined {
  pattern.lastIndex = cursor.at;
  const found = pattern.exec(cursor.text)?.[0];
  if (found !== undefined) cursor.at += found.length;
  return found;
}

function readString(cursor: Cursor): string | undefined {
  const { text, end, at: start } = cursor;
  if (codeAt(cursor) !== QUOTE) return undefined;
  let escaped = false;
  for (let at = start + 1; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const value = escaped ? unescape(text.slice(start, at + 1)) : text.slice(start + 1, at);
      if (value !== undefined) cursor.at = at + 1;
      return value;
    }
    if (code < 32) return undefined;
    if (code === BACKSLASH) {
      escaped = true;
      at++;
    }
  }
  return undefined;
}

function unescape(quoted: string): string | undefined {
  const valid = /^"(?:[^"\\]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"$/.test(quoted);
  return valid ? (JSON.parse(quoted) as string) : undefined;
}

/** Moves behind an object or array of any depth without looking into it: only ignored fields and wrong types have one. */
function skipNested(cursor: Cursor): boolean {
  let depth = 0;
  while (cursor.at < cursor.end) {
    const code = codeAt(cursor);
    if (code === QUOTE) {
      if (readString(cursor) === undefined) return false;
      continue;
    }
    cursor.at++;
    if (code === OPEN_OBJECT || code === OPEN_ARRAY) depth++;
    if ((code === CLOSE_OBJECT || code === CLOSE_ARRAY) && --depth === 0) return true;
  }
  return false;
}

function skipBlanks(cursor: Cursor): void {
  for (let code = codeAt(cursor); code === 32 || code === 9 || code === 13; code = codeAt(cursor)) cursor.at++;
}

function take(cursor: Cursor, code: number): boolean {
  if (codeAt(cursor) !== code) return false;
  cursor.at++;
  return true;
}

/** NaN at the end. */
function codeAt({ text, at, end }: Cursor): number {
  return at < end ? text.charCodeAt(at) : Number.NaN;
}
