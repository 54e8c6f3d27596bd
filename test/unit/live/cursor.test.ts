import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatCursor, type LiveCursor, parseCursor } from '../../../src/live/cursor.ts';

const whole = fc.integer({ min: 0, max: 999_999_999_999_999 });
const cursors: fc.Arbitrary<LiveCursor> = fc.record({
  incarnation: fc.stringMatching(/^[a-z0-9]{1,64}$/),
  shards: fc.array(fc.record({ tick: fc.record({ epoch: whole, seq: whole }), commitNo: whole }), {
    minLength: 1,
    maxLength: 8,
  }),
});

describe('live cursor', () => {
  it('LIVE-1 survives the wire, and its text is safe in a header, a URL and an SSE line', () => {
    fc.assert(
      fc.property(cursors, (cursor) => {
        const text = formatCursor(cursor);
        expect(parseCursor(text)).toEqual(cursor);
        expect(encodeURIComponent(text)).toBe(text);
      }),
    );
  });

  it('LIVE-1 reads as the documentation writes it', () => {
    const shards = [
      { tick: { epoch: 7, seq: 9 }, commitNo: 3 },
      { tick: { epoch: 8, seq: 0 }, commitNo: 0 },
    ];
    expect(formatCursor({ incarnation: 'abc', shards })).toBe('abc~7-9.3~8-0.0');
  });

  it.each([
    '',
    'abc',
    'abc~',
    '~7-9.3',
    'ABC~7-9.3',
    'abc~7-9',
    'abc~7-9.',
    'abc~7.3',
    'abc~7-9.3~',
    'abc~-7-9.3',
    'abc~7-9.-3',
    'abc~7-9.3e2',
    'abc~9999999999999999-0.0',
    ' abc~7-9.3',
    'abc~7-9.3\n',
    `abc${'~7-9.3'.repeat(1_000)}`,
  ])('LIVE-2 %j is no cursor', (text) => {
    expect(parseCursor(text)).toBeUndefined();
  });

  it('LIVE-2 never throws, whatever a client sends', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const cursor = parseCursor(text);
        if (cursor !== undefined) expect(cursor.shards.length).toBeGreaterThan(0);
      }),
    );
  });
});
