import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DIGITS_MAX } from '../../../src/core/decimal.ts';
import type { Tick } from '../../../src/core/tick.ts';
import {
  blockIds,
  decodeBlock,
  decodePart,
  encodeBlock,
  encodePart,
  hourOf,
  partBlocks,
  partIds,
} from '../../../src/store/archive/index.ts';
import type { ArchivedTick } from '../../../src/store/store.ts';
import { archived, T0_US, tickOf } from '../../../src/testkit/store-fixtures.ts';

const units = fc
  .oneof(
    fc.integer({ min: -1_000, max: 1_000_000 }),
    fc.maxSafeInteger(),
    fc.bigInt({ min: -(10n ** 60n), max: 10n ** 60n }),
  )
  .map((value) =>
    typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value === 0 ? 0 : value,
  );
const decimal = fc.record({ units, digits: fc.integer({ min: 0, max: DIGITS_MAX }) });
const text = fc.oneof(fc.constantFrom('', 'K', 'P', '13;41'), fc.string({ unit: 'binary', maxLength: 20 }));
const id = fc.oneof(
  fc.nat().map(String),
  fc.constantFrom('0', '00', '007', '-1', '1e3', '123456789012345', '1234567890123456', '\ud83d', '\u0000'),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 128 }).map((value) => value.slice(0, 128)),
  fc.nat(9_999).map((row) => `0123456789abcdef:${String(row).padStart(10, '0')}`),
);
const entry: fc.Arbitrary<ArchivedTick> = fc.record({
  instrumentId: fc.integer({ min: 1, max: 3 }),
  tick: fc.record({
    symbol: fc.constant(''),
    tsUs: fc.oneof(
      fc.integer({ min: T0_US, max: T0_US + 9_000_000_000 }),
      fc.integer({ min: -2_208_988_800_000_000, max: 7_258_118_400_000_000 }),
    ),
    ns: fc.integer({ min: 0, max: 999 }),
    seq: units,
    id,
    price: decimal,
    size: decimal,
    exchange: text,
    conditions: text,
    side: fc.constantFrom<Tick['side'][]>('', 'buy', 'sell'),
  }),
});
const entries = fc
  .array(entry, { maxLength: 40 })
  .map((list) =>
    list.map(({ instrumentId, tick }) => ({ instrumentId, tick: { ...tick, symbol: `S${instrumentId}` } })),
  );

describe('the codec of archived ticks', () => {
  it('SCHEMA-7 a part gives back every tick exactly, grouped by instrument and hour in the order of arrival', () => {
    fc.assert(
      fc.property(entries, fc.integer({ min: 0, max: 4_102_444_800_000 }), (ticks, ingestMs) => {
        const decoded = decodePart(encodePart(ticks, ingestMs));
        expect(decoded.ingestMs).toBe(ingestMs);
        expect(decoded.ticks).toEqual(grouped(ticks));
      }),
      { numRuns: 300 },
    );
  });

  it('SCHEMA-7 IDS-10 ids are read alone, also those made of a file’s hash and a row', () => {
    fc.assert(
      fc.property(entries, (ticks) => {
        const part = encodePart(ticks, 0);
        for (const { instrumentId, hourStartUs } of partBlocks(part)) {
          const expected = ticks.filter(
            (entry) => entry.instrumentId === instrumentId && hourOf(entry.tick.tsUs) === hourStartUs,
          );
          expect(partIds(part, instrumentId, hourStartUs)).toEqual(expected.map((entry) => entry.tick.id));
        }
        expect(partIds(part, 99, 0)).toEqual([]);
      }),
    );
  });

  it('SCHEMA-7 each tick of a block keeps its own time of ingestion', () => {
    const ticks = ['a', 'b', 'c'].map((name) => tickOf({ id: name }));
    const block = { hourStartUs: hourOf(T0_US), ticks, ingestMs: [5, 5, -7] };
    expect(decodeBlock(encodeBlock(block))).toEqual(block);
    expect(blockIds(encodeBlock(block))).toEqual(['a', 'b', 'c']);
  });

  it('SCHEMA-7 a common trade takes few bytes', () => {
    const ticks = Array.from({ length: 1_000 }, (_, i) =>
      tickOf({ id: `${i}`, seq: i, tsUs: T0_US + i * 137_000, price: i % 2 === 0 ? '182.1' : '182.06' }),
    );
    expect(encodePart(archived(1, ticks), 0).length / ticks.length).toBeLessThan(14);
  });

  it('SCHEMA-6 any changed, missing or added byte is an error, never a wrong tick', () => {
    const ticks = [tickOf({}), tickOf({ id: 'x', price: '1.5' }), tickOf({ id: '3', tsUs: T0_US + 3_600_000_000 })];
    const part = encodePart(archived(1, ticks), 1_700_000_000_000);
    fc.assert(
      fc.property(fc.nat(part.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const bent = part.slice();
        bent[at] = (bent[at] ?? 0) ^ flip;
        expect(faultCode(() => decodePart(bent))).toBe('STORE_UNUSABLE');
      }),
      { numRuns: 1_000 },
    );
    for (let length = 0; length < part.length; length++)
      expect(faultCode(() => decodePart(part.slice(0, length)))).toBe('STORE_UNUSABLE');
    expect(faultCode(() => decodePart(Uint8Array.of(...part, 0)))).toBe('STORE_UNUSABLE');
  });

  it('SCHEMA-6 bytes of another origin are an error', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        for (const read of [decodePart, partBlocks, decodeBlock, blockIds])
          expect(faultCode(() => read(bytes))).toBe('STORE_UNUSABLE');
      }),
      { numRuns: 1_000 },
    );
  });

  it('SCHEMA-6 a block that was encoded wrongly is refused before it is written', () => {
    const mixed = (): Uint8Array =>
      encodeBlock({ hourStartUs: hourOf(T0_US), ticks: [tickOf({}), tickOf({ symbol: 'AIG' })], ingestMs: [0, 0] });
    expect(faultCode(mixed)).toBe('INTERNAL');
  });
});

function grouped(ticks: readonly ArchivedTick[]): ArchivedTick[] {
  const groups = new Map<string, ArchivedTick[]>();
  for (const entry of ticks) {
    const key = `${entry.instrumentId} ${hourOf(entry.tick.tsUs)}`;
    groups.set(key, [...(groups.get(key) ?? []), entry]);
  }
  return [...groups.values()].flat();
}

/** Any fault without a code is a defect of the codec and fails the test by its name. */
function faultCode(read: () => unknown): unknown {
  try {
    read();
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : String(error);
  }
  return 'none';
}
