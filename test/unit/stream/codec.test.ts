import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DIGITS_MAX } from '../../../src/core/decimal.ts';
import type { Tick } from '../../../src/core/tick.ts';
import { decodeEntry, encodeTick, entriesOfRead, type RawEntry, type StreamEntry } from '../../../src/stream/index.ts';
import { decimal, makeTick } from './harness.ts';

const ID = { epoch: 5, seq: 7 };

function decode(fields: Record<string, string>): StreamEntry {
  return decodeEntry({ id: ID, fields: new Map(Object.entries(fields)) });
}

function rawOf(fields: readonly string[]): RawEntry {
  const [entry] = entriesOfRead([['s', [['5-7', fields]]]], 's');
  if (entry === undefined) throw new Error('no entry');
  return entry;
}

const GOOD = { k: 't', i: '9', s: 'ACME', p: '101.25', q: '10', ts: '1700000000000000', id: 'x' };

describe('STREAM-1 decoding is total', () => {
  it.each([
    ['no symbol', { s: undefined }, 's: is missing'],
    ['empty symbol', { s: '' }, 'symbol: is empty'],
    ['no price', { p: undefined }, 'p: is missing or not a number'],
    ['NaN price', { p: 'NaN' }, 'p: is missing or not a number'],
    ['zero price', { p: '0' }, 'price: is zero'],
    ['negative price', { p: '-1' }, 'price: is negative'],
    ['no size', { q: '' }, 'q: is missing or not a number'],
    ['negative size', { q: '-1' }, 'size: is negative'],
    ['no time', { ts: undefined }, 'ts: is missing or not a whole number of microseconds'],
    ['time in ns', { ts: '1700000000000000000' }, 'ts: is missing or not a whole number of microseconds'],
    ['no id', { id: undefined }, 'id: is empty'],
    ['odd side', { sd: 'up' }, 'sd: is neither buy nor sell'],
    ['odd sequence', { sq: '1.5' }, 'sq: is not a whole number'],
    ['odd ns', { ns: '1000' }, 'ns: is not between 0 and 999'],
    ['odd mark', { sim: 'yes' }, 'sim: is not 1'],
    ['unknown kind', { k: 'z' }, "k: unknown kind 'z'"],
  ])('STREAM-1 F4 %s is malformed, never a tick', (_name, change, reason) => {
    const fields = Object.fromEntries(
      Object.entries({ ...GOOD, ...change }).filter((pair): pair is [string, string] => pair[1] !== undefined),
    );
    expect(decode(fields)).toEqual({ kind: 'malformed', id: ID, ingestMs: 9, reason, trimmed: false });
    expect(decode(GOOD).kind).toBe('tick');
  });

  it('STREAM-1 F4 a null payload is malformed and marked as trimmed', () => {
    const entry = decodeEntry({ id: ID, fields: undefined });
    expect(entry).toMatchObject({ kind: 'malformed', trimmed: true, id: ID });
  });

  it('F1 zero and negative prices are admitted where the source says so', () => {
    const raw = { id: ID, fields: new Map(Object.entries({ ...GOOD, p: '-37.63' })) };
    expect(decodeEntry(raw, { allowNonPositivePrice: true })).toMatchObject({
      kind: 'tick',
      tick: { price: decimal('-37.63') },
    });
  });

  it('STREAM-1 any fields whatever decode to one of the kinds', () => {
    const name = fc.constantFrom(
      'k',
      's',
      'p',
      'q',
      'ts',
      'id',
      'ns',
      'sq',
      'i',
      'prev',
      'term',
      'wm',
      'sc',
      'symbol',
      'last_price',
    );
    const value = fc.oneof(fc.constantFrom('t', 'b', 'g', 'w', '1', 'none', '1-1', 'ACME', '-0', '1e5'), fc.string());
    fc.assert(
      fc.property(fc.dictionary(name, value), (fields) => {
        const { kind } = decode(fields);
        expect(['tick', 'barrier', 'gap', 'watermark', 'malformed']).toContain(kind);
      }),
    );
  });

  it('STREAM-1 control entries decode, and are malformed without their fields', () => {
    expect(decode({ k: 'b', i: '1', prev: '4-9', term: '5' })).toEqual({
      kind: 'barrier',
      id: ID,
      ingestMs: 1,
      prev: { epoch: 4, seq: 9 },
      term: 5,
    });
    expect(decode({ k: 'b', prev: 'none', term: '5' })).toMatchObject({ kind: 'barrier', prev: undefined });
    expect(decode({ k: 'b', term: '5' })).toMatchObject({ kind: 'malformed' });
    expect(decode({ k: 'w', wm: '12', src: 'sim', sc: 'c' })).toMatchObject({
      kind: 'watermark',
      watermarkUs: 12,
      source: 'sim',
      sourceCursor: 'c',
    });
    expect(decode({ k: 'w' })).toMatchObject({ kind: 'malformed' });
    expect(decode({ k: 'g', sy: 'A,B', from: '1', to: '2', why: 'late' })).toMatchObject({
      kind: 'gap',
      symbols: ['A', 'B'],
      fromUs: 1,
      toUs: 2,
      reason: 'late',
    });
    expect(decode({ k: 'g', sy: 'A' })).toMatchObject({ kind: 'malformed' });
  });
});

describe('STREAM-2 the fields codec', () => {
  it('STREAM-2 leaves out what is empty', () => {
    expect(encodeTick(makeTick(), false)).toEqual([
      'k',
      't',
      's',
      'ACME',
      'p',
      '101.25',
      'q',
      '10',
      'ts',
      '1700000000000000',
      'id',
      '1',
    ]);
  });

  it('T1 says simulated when it is', () => {
    expect(decodeEntry(rawOf(encodeTick(makeTick(), true)))).toMatchObject({ kind: 'tick', simulated: true });
    expect(decodeEntry(rawOf(encodeTick(makeTick(), false)))).toMatchObject({ kind: 'tick', simulated: false });
  });

  it('STREAM-2 any valid tick comes back digit for digit', () => {
    const units = fc.oneof(fc.integer({ min: 1, max: 10 ** 9 }), fc.bigInt({ min: 2n ** 53n, max: 10n ** 30n }));
    const positive = fc.record({ units, digits: fc.integer({ min: 0, max: DIGITS_MAX }) }).map(canonical);
    const tick: fc.Arbitrary<Tick> = fc.record({
      symbol: fc.stringMatching(/^[A-Za-z0-9._:/-]{1,48}$/),
      tsUs: fc.integer({ min: -2_208_988_800_000_000, max: 7_258_118_400_000_000 }),
      ns: fc.integer({ min: 0, max: 999 }),
      seq: units,
      id: fc.string({ minLength: 1, maxLength: 40 }),
      price: positive,
      size: positive,
      exchange: fc.string({ maxLength: 5 }),
      conditions: fc.string({ maxLength: 9 }),
      side: fc.constantFrom('' as const, 'buy' as const, 'sell' as const),
    });
    fc.assert(
      fc.property(tick, fc.boolean(), (original, simulated) => {
        expect(decodeEntry(rawOf(encodeTick(original, simulated)))).toEqual({
          kind: 'tick',
          id: ID,
          ingestMs: 0,
          tick: original,
          simulated,
        });
      }),
    );
  });
});

/** The decimal that its own text parses to: 10.50 and 10.5 are one value, written once. */
function canonical({ units, digits }: { units: number | bigint; digits: number }): Tick['price'] {
  const text = units.toString().padStart(digits + 1, '0');
  const [whole, fraction] =
    digits === 0 ? [text, ''] : [text.slice(0, -digits), text.slice(-digits).replace(/0+$/, '')];
  return decimal(fraction === '' ? whole : `${whole}.${fraction}`);
}

describe('STREAM-3 entries of seed 001', () => {
  const LEGACY = { symbol: 'ESZ5', last_price: '5001.25', volume: '3', timestamp: '1700000000.123456789' };

  it('STREAM-3 decode, with the time exact to the nanosecond and the entry id as identity', () => {
    expect(decode(LEGACY)).toEqual({
      kind: 'tick',
      id: ID,
      ingestMs: 0,
      simulated: false,
      tick: makeTick({
        symbol: 'ESZ5',
        price: decimal('5001.25'),
        size: decimal('3'),
        tsUs: 1_700_000_000_123_456,
        ns: 789,
        id: '5-7',
      }),
    });
    expect(decode({ ...LEGACY, timestamp: '1700000000' })).toMatchObject({
      tick: { tsUs: 1_700_000_000_000_000, ns: 0 },
    });
    expect(decode({ ...LEGACY, timestamp: '-0.0000000005' })).toMatchObject({ tick: { tsUs: -1, ns: 999 } });
  });

  it.each([
    ['last_price', '0'],
    ['last_price', 'nan'],
    ['volume', ''],
    ['symbol', ''],
    ['timestamp', '1700000000000'],
    ['timestamp', 'yesterday'],
  ])('STREAM-3 D1 %s = "%s" is malformed', (field, value) => {
    expect(decode({ ...LEGACY, [field]: value }).kind).toBe('malformed');
  });
});

describe('STREAM-4 reply shapes', () => {
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
  const flat = encodeTick(makeTick({ conditions: 'é;@' }), false);
  const pairs = Array.from({ length: flat.length / 2 }, (_, i) => [flat[2 * i], flat[2 * i + 1]] as [string, string]);

  it.each([
    ['RESP2 text', [['s', [['5-7', flat]]]]],
    ['RESP2 bytes', [[bytes('s'), [[bytes('5-7'), flat.map(bytes)]]]]],
    ['RESP3 map', new Map([['s', [['5-7', flat]]]])],
    ['RESP3 map of bytes', new Map([[bytes('s'), [[bytes('5-7'), flat.map(bytes)]]]])],
    ['RESP3 object', { s: [['5-7', flat]] }],
    ['fields as a map', [['s', [['5-7', new Map(pairs)]]]]],
    ['fields as an object', [['s', [['5-7', Object.fromEntries(pairs)]]]]],
  ])('STREAM-4 F10 %s decodes to the same tick', (_name, reply) => {
    expect(entriesOfRead(reply, 's').map((raw) => decodeEntry(raw))).toMatchObject([
      { kind: 'tick', id: ID, tick: { conditions: 'é;@', price: decimal('101.25') } },
    ]);
  });

  it('STREAM-4 nothing is nothing, and nonsense is a fault', () => {
    expect(entriesOfRead(null, 's')).toEqual([]);
    expect(entriesOfRead([['other', []]], 's')).toEqual([]);
    expect(() => entriesOfRead('OK', 's')).toThrow(/Redis sent something/);
    expect(() => entriesOfRead([['s', [['x-y', flat]]]], 's')).toThrow(/which Ticker never writes/);
  });
});
