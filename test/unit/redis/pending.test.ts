import { describe, expect, it } from 'vitest';
import { openHarness, PROFILE_NAMES } from './harness.ts';

describe.each(PROFILE_NAMES)('pending entries on %s', (profile) => {
  /** Three entries; `a` holds 1-1 and 1-2, `b` holds 1-3. */
  async function withPending() {
    const harness = openHarness(profile);
    for (const seq of [1, 2, 3]) await harness.run(`XADD s 1-${seq} n ${seq}`);
    await harness.run('XGROUP CREATE s g 0');
    await harness.run('XREADGROUP GROUP g a COUNT 2 STREAMS s >');
    await harness.run('XREADGROUP GROUP g b STREAMS s >');
    return harness;
  }

  it('S4.38 XACK counts what left the list, once each, whoever asks', async () => {
    const { run } = await withPending();
    expect(await run('XACK s g 1-1 1-1 9-9')).toBe(1);
    expect(await run('XACK t g 1-1')).toBe(0);
    expect(await run('XACK s h 1-1')).toBe(0);
    expect(await run('XACK s g 1-2 bad')).toBe('ERR Invalid stream ID specified as stream command argument');
    expect(await run('XPENDING s g')).toEqual([
      2,
      '1-2',
      '1-3',
      [
        ['a', '1'],
        ['b', '1'],
      ],
    ]);
  });

  it('S4.39 the summary names only consumers that owe, in the order of their names', async () => {
    const { run } = await withPending();
    await run('XGROUP CREATECONSUMER s g aa');
    expect(await run('XPENDING s g')).toEqual([
      3,
      '1-1',
      '1-3',
      [
        ['a', '2'],
        ['b', '1'],
      ],
    ]);
    await run('XACK s g 1-1 1-2 1-3');
    expect(await run('XPENDING s g')).toEqual([0, null, null, null]);
  });

  it('S4.40 rows carry owner, idle time and deliveries; filters and errors', async () => {
    const { run, clock } = await withPending();
    await clock.advance(70);
    await run('XCLAIM s g b 0 1-1');
    expect(await run('XPENDING s g IDLE 70 - + 10')).toEqual([
      ['1-2', 'a', 70, 1],
      ['1-3', 'b', 70, 1],
    ]);
    expect(await run('XPENDING s g (1-2 + 10 b')).toEqual([['1-3', 'b', 70, 1]]);
    expect(await run('XPENDING s g - + 10 nobody')).toEqual([]);
    expect(await run('XPENDING s h - + 10')).toBe("NOGROUP No such key 's' or consumer group 'h'");
    expect(await run('XPENDING s g - +')).toBe('ERR syntax error');
  });

  it('S4.41 the idle boundary of XCLAIM is inclusive', async () => {
    const { run, clock } = await withPending();
    await clock.advance(29_999);
    expect(await run('XCLAIM s g b 30000 1-1')).toEqual([]);
    await clock.advance(1);
    expect(await run('XCLAIM s g b 30000 1-1')).toEqual([['1-1', ['n', '1']]]);
    expect(await run('XPENDING s g 1-1 1-1 1')).toEqual([['1-1', 'b', 0, 2]]);
    expect(await run('XCLAIM s g a 30000 1-1')).toEqual([]);
  });

  it('S4.42 JUSTID does not count; IDLE, TIME and RETRYCOUNT set', async () => {
    const { run, clock } = await withPending();
    await run('XCLAIM s g b 0 1-1 JUSTID');
    expect(await run('XPENDING s g 1-1 1-1 1')).toEqual([['1-1', 'b', 0, 1]]);
    await run('XCLAIM s g b 0 1-1 IDLE 500 RETRYCOUNT 7 JUSTID');
    expect(await run('XPENDING s g 1-1 1-1 1')).toEqual([['1-1', 'b', 500, 7]]);
    await run(`XCLAIM s g b 0 1-1 TIME ${clock.nowMs() + 5_000}`);
    expect(await run('XPENDING s g 1-1 1-1 1')).toEqual([['1-1', 'b', 0, 8]]);
  });

  it('S4.43 FORCE makes a pending entry of one that exists, with count 2; > delivers it again', async () => {
    const { run } = openHarness(profile);
    await run('XADD s 1-1 n 1');
    await run('XGROUP CREATE s g 0');
    expect(await run('XCLAIM s g a 1000 1-1 9-9 FORCE')).toEqual([['1-1', ['n', '1']]]);
    expect(await run('XPENDING s g - + 10')).toEqual([['1-1', 'a', 0, 2]]);
    await run('XREADGROUP GROUP g b STREAMS s >');
    expect(await run('XPENDING s g - + 10')).toEqual([['1-1', 'b', 0, 1]]);
  });

  it('S4.44 XCLAIM drops an entry that left the stream, whatever its idle time', async () => {
    const { run } = await withPending();
    await run('XDEL s 1-1');
    expect(await run('XCLAIM s g b 3600000 1-1')).toEqual([]);
    expect(await run('XPENDING s g - + 10 a')).toEqual([['1-2', 'a', 0, 1]]);
  });

  it('S4.45 XAUTOCLAIM reports deleted ids, and they use up COUNT', async () => {
    const { run } = await withPending();
    await run('XDEL s 1-1');
    expect(await run('XAUTOCLAIM s g b 0 0 COUNT 1')).toEqual(['1-2', [], ['1-1']]);
    expect(await run('XAUTOCLAIM s g b 0 1-2')).toEqual([
      '0-0',
      [
        ['1-2', ['n', '2']],
        ['1-3', ['n', '3']],
      ],
      [],
    ]);
  });

  it('S4.46 XAUTOCLAIM looks at ten entries for each one it may answer', async () => {
    const { run, clock } = openHarness(profile);
    for (let seq = 1; seq <= 12; seq++) await run(`XADD s 1-${seq} n 1`);
    await run('XGROUP CREATE s g 0');
    await run('XREADGROUP GROUP g a STREAMS s >');
    await clock.advance(10);
    expect(await run('XAUTOCLAIM s g b 1000 0 COUNT 1')).toEqual(['1-11', [], []]);
    expect(await run('XAUTOCLAIM s g b 1000 (1-11 COUNT 1')).toEqual(['0-0', [], []]);
    expect(await run('XAUTOCLAIM s g b 0 0 COUNT 0')).toBe('ERR COUNT must be > 0');
  });

  it('S4.47 XAUTOCLAIM may claim its own entries again; an unknown group is an error', async () => {
    const { run } = await withPending();
    await run('XAUTOCLAIM s g a 0 0 COUNT 1 JUSTID');
    await run('XAUTOCLAIM s g a 0 0 COUNT 1');
    expect(await run('XPENDING s g 1-1 1-1 1')).toEqual([['1-1', 'a', 0, 2]]);
    expect(await run('XAUTOCLAIM s h a 0 0')).toBe("NOGROUP No such key 's' or consumer group 'h'");
  });

  it('S4.48 LASTID raises the last delivered id', async () => {
    const { run } = openHarness(profile);
    await run('XADD s 1-1 n 1');
    await run('XGROUP CREATE s g 0');
    await run('XCLAIM s g a 0 1-1 LASTID 1-1');
    expect(await run('XREADGROUP GROUP g a STREAMS s >')).toBeNull();
  });
});
