import { err, ok, type Result } from '../../core/result.ts';

/** The columns that may carry the event time; the name is the unit (R8). `ts` is ISO 8601 text with a zone. */
export const TIME_FIELDS = ['ts_ms', 'ts_us', 'ts_ns', 'ts'] as const;

export type TimeField = (typeof TIME_FIELDS)[number];

/** Event time as ticks carry it: Unix microseconds and the 0 to 999 nanoseconds below (D1). */
export interface EventTime {
  readonly tsUs: number;
  readonly ns: number;
}

export function isTimeField(name: string): name is TimeField {
  return (TIME_FIELDS as readonly string[]).includes(name);
}

/** Why a text is not an event time; `shown` when the reason already quotes it. */
export interface TimeProblem {
  readonly reason: string;
  readonly shown?: true;
}

/** Reads an event time in the unit its column declares (R8). */
export function parseEventTime(field: TimeField, text: string): Result<EventTime, TimeProblem> {
  if (text === '') return fail('is empty');
  return field === 'ts' ? parseIsoTime(text) : parseUnixTime(UNITS[field], text);
}

/** Digits only, 0 for none; exact up to 15 of them. */
export function parseWholeNumber(text: string): number | undefined {
  let value = 0;
  for (let i = 0; i < text.length; i++) {
    const digit = text.charCodeAt(i) - 48;
    if (digit < 0 || digit > 9) return undefined;
    value = value * 10 + digit;
  }
  return value;
}

interface Unit {
  readonly name: string;
  readonly perSecond: number;
}

const SECONDS: Unit = { name: 'seconds', perSecond: 1 };
const UNITS: Record<Exclude<TimeField, 'ts'>, Unit> = {
  ts_ms: { name: 'milliseconds', perSecond: 1e3 },
  ts_us: { name: 'microseconds', perSecond: 1e6 },
  ts_ns: { name: 'nanoseconds', perSecond: 1e9 },
};

/** 2100-01-01 in Unix seconds: the first instant that is refused. */
const END_SECONDS = 4_102_444_800;

/** 1973-03-03. A value that is older in its own unit but falls between here and 2100 in another one has the wrong unit. */
const CREDIBLE_SECONDS = 1e8;

/** 19 digits are the nanoseconds of 2100. */
const UNIX_LENGTH_MAX = 19;

function parseUnixTime(unit: Unit, text: string): Result<EventTime, TimeProblem> {
  // Exact below 16 digits; beyond them it only guards the magnitude, and the digits themselves are cut apart.
  const value = parseWholeNumber(text);
  if (value === undefined) return fail(/^-\d+$/.test(text) ? OUTSIDE : 'is not a whole number');
  if (!isCredible(value, unit)) {
    const likely = [SECONDS, ...Object.values(UNITS)].find((other) => other !== unit && isCredible(value, other));
    if (likely !== undefined) return err({ reason: `looks like ${likely.name} (${text}): wrong unit?`, shown: true });
    if (text.length > UNIX_LENGTH_MAX || value >= END_SECONDS * unit.perSecond) return fail(OUTSIDE);
  }
  if (unit === UNITS.ts_ms) return ok({ tsUs: value * 1_000, ns: 0 });
  if (unit === UNITS.ts_us) return ok({ tsUs: value, ns: 0 });
  return ok({ tsUs: Number(text.slice(0, -3)), ns: Number(text.slice(-3)) });
}

const OUTSIDE = 'is outside the years 1970 to 2100';

function isCredible(value: number, unit: Unit): boolean {
  return value >= CREDIBLE_SECONDS * unit.perSecond && value < END_SECONDS * unit.perSecond;
}

function fail(reason: string): Result<never, TimeProblem> {
  return err({ reason });
}

const ISO_TIME = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:[.,](\d+))?([Zz]|[+-]\d\d:?\d\d)?$/;

function parseIsoTime(text: string): Result<EventTime, TimeProblem> {
  if (/^-?\d+(\.\d+)?$/.test(text)) return fail('is a number: name its column ts_ms, ts_us or ts_ns, by its unit');
  const match = ISO_TIME.exec(text);
  if (!match) return fail('is not an ISO 8601 time');
  const [, year, month, day, hour, minute, second, fraction = '', zone] = match;
  if (zone === undefined) return fail('has no time zone: add Z or an offset');
  if (fraction.length > 9) return fail('has more than 9 fractional digits');
  const date = { year: Number(year), month: Number(month), day: Number(day) };
  const time = { hour: Number(hour), minute: Number(minute), second: Number(second) };
  const offsetMinutes = parseOffsetMinutes(zone);
  const exists = isDate(date) && time.hour <= 23 && time.minute <= 59 && time.second <= 59;
  if (!exists || offsetMinutes === undefined) return fail('is not a time that exists');
  const ms = Date.UTC(date.year, date.month - 1, date.day, time.hour, time.minute - offsetMinutes, time.second);
  if (ms < 0 || ms >= END_SECONDS * 1_000) return fail(OUTSIDE);
  const nanoseconds = fraction.padEnd(9, '0');
  return ok({ tsUs: ms * 1_000 + Number(nanoseconds.slice(0, 6)), ns: Number(nanoseconds.slice(6)) });
}

function isDate({ year, month, day }: { year: number; month: number; day: number }): boolean {
  if (month < 1 || month > 12 || day < 1) return false;
  const daysInMonth = (Date.UTC(year, month, 1) - Date.UTC(year, month - 1, 1)) / 86_400_000;
  return day <= daysInMonth;
}

function parseOffsetMinutes(zone: string): number | undefined {
  if (zone === 'Z' || zone === 'z') return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(-2));
  if (hours > 23 || minutes > 59) return undefined;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}
