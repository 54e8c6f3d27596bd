import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDecimal, parseDecimal } from '../../../src/core/decimal.ts';
import type { Tick } from '../../../src/core/tick.ts';
import { readFlatObject } from '../../../src/feed/formats/flat-object.ts';
import { ticksOf } from './input.ts';

type Row = Record<'symbol' | 'ts' | 'price' | 'size' | 'id' | 'seq' | 'exchange' | 'conditions' | 'side', string>;

const digits = (most: number) => fc.stringMatching(new RegExp(`^[0-9]{0,${most}}$`));
const decimalText = fc
  .tuple(fc.stringMatching(/^(0|[1-9][0-9]{0,20})$/), digits(18))
  .map(([whole, fraction]) => (fraction === '' ? whole : `${whole}.${fraction}`));
/** Text as venues write it, and worse: quotes, commas, any script; no control characters and no broken surrogates. */
const freeText = (most: number) =>
  fc
    .string({ unit: 'grapheme', maxLength: most })
    .filter((text) => text.length <= most && !/[\p{Cc}\p{Cs}\ufffd]/u.test(text));

const row: fc.Arbitrary<Row> = fc.record({
  symbol: fc.stringMatching(/^[A-Za-z0-9._:/-]{1,48}$/),
  ts: fc.bigInt({ min: 10n ** 17n, max: 1_700_000_000n * 10n ** 9n }).map(String),
  price: decimalText.filter((text) => !/^[0.]*$/.test(text)),
  size: decimalText,
  id: freeText(30).filter((text) => text.length > 0),
  seq: fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(String),
  exchange: freeText(5),
  conditions: freeText(10),
  side: fc.constantFrom('', 'buy', 'sell'),
});

const COLUMNS: readonly (keyof Row)[] = [
  'symbol',
  'ts',
  'price',
  'size',
  'id',
  'seq',
  'exchange',
  'conditions',
  'side',
];

describe('round trips', () => {
  it('R13 R40 random trades come back from CSV exactly', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { minLength: 1, maxLength: 20 }),
        fc.shuffledSubarray([...COLUMNS], { minLength: 9 }),
        async (rows, columns) => {
          const header = columns.map((column) => (column === 'ts' ? 'ts_ns' : column));
          const lines = [header, ...rows.map((one) => columns.map((column) => quoted(one[column])))];
          expect((await ticksOf(lines.join('\n'))).map(rowOfTick)).toEqual(rows.map(canonical));
        },
      ),
      { numRuns: 100 },
    );
  });

  it('R13 R40 random trades come back from JSON lines exactly, numbers as numbers or as text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(row, fc.boolean()), { minLength: 1, maxLength: 20 }), async (rows) => {
        const lines = rows.map(([{ ts, price, size, seq, ...texts }, asText]) => {
          const numbers = Object.entries({ ts_ns: ts, price, size, seq }).map(
            ([key, text]) => `"${key}":${asText ? `"${text}"` : text}`,
          );
          return `{${numbers.join(',')},${JSON.stringify(texts).slice(1)}`;
        });
        expect((await ticksOf(lines.join('\n'))).map(rowOfTick)).toEqual(rows.map(([one]) => canonical(one)));
      }),
      { numRuns: 100 },
    );
  });

  it('R13 the reader of flat objects accepts and refuses what JSON.parse does', () => {
    const value = fc.oneof(
      fc.json(),
      fc.string(),
      fc.constantFrom('1.', '-', '01', 'tru', '"\\u12"', '1e5', '-0.0E-7', '"\t"', '[1,2', ''),
    );
    const text = fc
      .array(fc.tuple(fc.string(), value), { maxLength: 4 })
      .map((fields) => `{${fields.map(([key, one]) => `${JSON.stringify(key)}:${one}`).join(',')}}`);
    fc.assert(
      fc.property(text, (line) => {
        const fields = readFlatObject(line);
        const parsed = parsedFields(line);
        // What lies inside an ignored array or object is not looked into.
        if (parsed === undefined)
          expect(fields.ok && fields.value.every(({ kind }) => kind !== 'object' && kind !== 'array')).toBe(false);
        else
          expect(
            fields.ok &&
              Object.fromEntries(fields.value.map(({ key, kind, text: own }) => [key, kind === 'string' ? own : kind])),
          ).toEqual(parsed);
      }),
      { numRuns: 2_000 },
    );
  });
});

function parsedFields(line: string): Record<string, string> | undefined {
  try {
    return Object.fromEntries(
      Object.entries(JSON.parse(line) as object).map(([key, value]) => [
        key,
        typeof value === 'string' ? value : kindOf(value),
      ]),
    );
  } catch (error) {
    expect(error).toBeInstanceOf(SyntaxError);
    return undefined;
  }
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function quoted(text: string): string {
  return /^[\w.:/-]*$/.test(text) ? text : `"${text.replaceAll('"', '""')}"`;
}

function rowOfTick({ tsUs, ns, seq, price, size, ...texts }: Tick): Row {
  return {
    ...texts,
    ts: `${tsUs}${String(ns).padStart(3, '0')}`,
    seq: String(seq),
    price: formatDecimal(price),
    size: formatDecimal(size),
  };
}

function canonical({ price, size, ...rest }: Row): Row {
  const format = (text: string): string => formatDecimal(parseDecimal(text) ?? { units: Number.NaN, digits: 0 });
  return { ...rest, price: format(price), size: format(size) };
}
