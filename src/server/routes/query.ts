import { z } from 'zod';
import { TickerError } from '../../core/errors.ts';
import { INTERVALS, type Interval } from '../../core/interval.ts';
import { isSymbol } from '../../core/symbol.ts';

/** Parameters of the HTTP edge, checked once here; a refusal names the parameter. Times are Unix ms. */

export const SYMBOLS_MAX = 200;

const TIME_MAX_MS = 8_640_000_000_000_000;

const symbol = z.string().refine(isSymbol, 'is not a symbol: A-Z a-z 0-9 . _ : / - and at most 48 characters');
const interval = z.enum(INTERVALS);
const timeMs = z
  .string()
  .regex(/^-?\d{1,16}$/, 'is not a whole number of Unix milliseconds')
  .transform(Number)
  .refine((value) => Math.abs(value) <= TIME_MAX_MS, 'is not a time');

export const CANDLES_LIMIT_DEFAULT = 500;
export const CANDLES_LIMIT_MAX = 5_000;

const limit = z
  .string()
  .regex(/^\d{1,6}$/, 'is not a whole number')
  .transform(Number)
  .refine((value) => value >= 1 && value <= CANDLES_LIMIT_MAX, `is not between 1 and ${CANDLES_LIMIT_MAX}`);

export const candlesQuery = z
  .strictObject({ symbol, interval, from: timeMs.optional(), to: timeMs.optional(), limit: limit.optional() })
  .refine((query) => query.from === undefined || query.to === undefined || query.from <= query.to, {
    path: ['from'],
    message: 'is after `to`',
  });

export const streamQuery = z.strictObject({
  symbols: commaList(symbol, SYMBOLS_MAX),
  candles: commaList(interval, INTERVALS.length).default([] as Interval[]),
  cursor: z.string().max(4_096, 'is longer than any cursor').optional(),
});

/** Parses a query string, or refuses it with the first parameter that is wrong. */
export function parseQuery<Schema extends z.ZodType>(schema: Schema, query: unknown): z.output<Schema> {
  const parsed = schema.safeParse(query);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const parameter = String(issue?.path[0] ?? (issue?.code === 'unrecognized_keys' ? issue.keys[0] : 'query'));
  throw new TickerError('REQUEST_INVALID', `${parameter}: ${reasonOf(issue, query, parameter)}`, {
    details: { parameter },
  });
}

function reasonOf(issue: z.core.$ZodIssue | undefined, query: unknown, parameter: string): string {
  if (issue?.code === 'unrecognized_keys') return 'is not a parameter of this path';
  const given = (query as Record<string, string | string[] | undefined>)[parameter];
  if (given === undefined) return 'is missing';
  if (Array.isArray(given)) return 'is given twice';
  return issue?.code === 'invalid_value'
    ? `"${given.slice(0, 60)}" is none of ${issue.values.join(', ')}`
    : (issue?.message ?? 'is not valid');
}

function commaList<Item extends z.ZodType<string, string>>(item: Item, itemsMax: number) {
  return z
    .string()
    .transform((text) => [...new Set(text.split(',').filter((part) => part !== ''))])
    .pipe(z.array(item).min(1, 'names nothing').max(itemsMax, `names more than ${itemsMax}`));
}
