import { describe, expect, it } from 'vitest';
import { openHarness, PROFILE_NAMES } from './harness.ts';

const TOO_SMALL = 'ERR The ID specified in XADD is equal or smaller than the target stream top item';

describe.each(PROFILE_NAMES)('XADD on %s', (profile) => {
  it('S4.1 completes partial ids and refuses ids at or below the top', async () => {
    const { run } = openHarness(profile);
    expect(await run('XADD s 5 a 1')).toBe('5-0');
    expect(await run('XADD s 5-* a 1')).toBe('5-1');
    expect(await run('XADD s 5 a 1')).toBe(TOO_SMALL);
    expect(await run('XADD s 4-9 a 1')).toBe(TOO_SMALL);
  });

  it('S4.2 refuses 0-0 without making a key; 0-* on an empty stream is 0-1', async () => {
    const { run } = openHarness(profile);
    expect(await run('XADD s 0-0 a 1')).toBe('ERR The ID specified in XADD must be greater than 0-0');
    expect(await run('EXISTS s')).toBe(0);
    expect(await run('XADD s 0-* a 1')).toBe('0-1');
  });

  it('S4.3 stores the greatest id, and nothing after it', async () => {
    const { run } = openHarness(profile);
    const max = '18446744073709551615-18446744073709551615';
    expect(await run('XADD s 5-18446744073709551615 a 1')).toBe('5-18446744073709551615');
    const exhausted = profile === 'redis-7.0' ? 'ERR Elements are too large to be stored' : TOO_SMALL;
    expect(await run('XADD s 5-* a 1')).toBe(exhausted);
    expect(await run(`XADD s ${max} a 1`)).toBe(max);
    expect(await run('XADD s * a 1')).toBe(
      'ERR The stream has exhausted the last possible ID, unable to add more items',
    );
  });

  it('S4.4 * follows the clock, and counts up when the clock is behind the top', async () => {
    const { run, clock } = openHarness(profile, 1_000);
    expect(await run('XADD s * a 1')).toBe('1000-0');
    expect(await run('XADD s * a 1')).toBe('1000-1');
    clock.jumpWall(-500);
    expect(await run('XADD s * a 1')).toBe('1000-2');
    clock.jumpWall(600);
    expect(await run('XADD s * a 1')).toBe('1100-0');
    expect(await run('XADD s 9000-7 a 1')).toBe('9000-7');
    expect(await run('XADD s * a 1')).toBe('9000-8');
  });

  it('S4.5 time stands still within a script', async () => {
    const { atomically } = openHarness(profile, 1_000);
    expect(await atomically('XADD s * a 1', 'XADD s * a 1')).toEqual(['1000-0', '1000-1']);
  });

  it('S4.6 NOMKSTREAM makes no key; an odd number of fields is refused', async () => {
    const { run } = openHarness(profile);
    expect(await run('XADD s NOMKSTREAM * a 1')).toBeNull();
    expect(await run('EXISTS s')).toBe(0);
    expect(await run('XADD s * a 1 b')).toBe("ERR wrong number of arguments for 'xadd' command");
  });

  it('S4.7 fields keep their order and duplicates', async () => {
    const { run } = openHarness(profile);
    await run('XADD s 1-0 b 2 a 1 a 2');
    expect(await run('XRANGE s - +')).toEqual([['1-0', ['b', '2', 'a', '1', 'a', '2']]]);
  });

  it('S4.8 a command that does not parse makes no key', async () => {
    const { run } = openHarness(profile);
    expect(await run('XADD s bad a 1')).toBe('ERR Invalid stream ID specified as stream command argument');
    expect(await run('XADD s MAXLEN x * a 1')).toBe('ERR value is not an integer or out of range');
    expect(await run('EXISTS s')).toBe(0);
  });

  it('S4.9 MAXLEN 0 leaves an empty stream; options come in any order and case', async () => {
    const { run } = openHarness(profile);
    expect(await run('XADD s maxlen 0 1-1 a 1')).toBe('1-1');
    expect(await run('XLEN s')).toBe(0);
    expect(await run('TYPE s')).toBe('stream');
    expect(await run('XADD s LIMIT 10 MAXLEN ~ 5 nomkstream 1-2 a 1')).toBe('1-2');
  });
});
