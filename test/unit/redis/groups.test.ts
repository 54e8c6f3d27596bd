import { describe, expect, it } from 'vitest';
import { openHarness, PROFILE_NAMES } from './harness.ts';

describe.each(PROFILE_NAMES)('groups on %s', (profile) => {
  it('S4.17 CREATE needs the key or MKSTREAM, and says when the group is there', async () => {
    const { run } = openHarness(profile);
    expect(await run('XGROUP CREATE s g 0')).toMatch(/^ERR The XGROUP subcommand requires the key to exist\./);
    expect(await run('XGROUP CREATE s g 0 MKSTREAM')).toBe('OK');
    expect(await run('XLEN s')).toBe(0);
    expect(await run('TYPE s')).toBe('stream');
    expect(await run('XGROUP CREATE s g 0')).toBe('BUSYGROUP Consumer Group name already exists');
    await run('SET t x');
    expect(await run('XGROUP CREATE t g 0')).toMatch(/^WRONGTYPE/);
  });

  it('S4.18 $ means the top at that moment, 0 everything; DEL drops the groups', async () => {
    const { run } = openHarness(profile);
    await run('XADD s 1-1 a 1');
    await run('XGROUP CREATE s new $');
    await run('XGROUP CREATE s all 0');
    expect(await run('XREADGROUP GROUP new a STREAMS s >')).toBeNull();
    expect(await run('XREADGROUP GROUP all a STREAMS s >')).toEqual([['s', [['1-1', ['a', '1']]]]]);
    await run('DEL s');
    await run('XADD s 1-1 a 1');
    expect(await run('XREADGROUP GROUP all a STREAMS s >')).toMatch(/^NOGROUP/);
  });

  it('S4.19 DESTROY and CREATECONSUMER answer 1 or 0', async () => {
    const { run } = openHarness(profile);
    expect(await run('XGROUP DESTROY s g')).toMatch(/requires the key to exist/);
    await run('XGROUP CREATE s g 0 MKSTREAM');
    expect(await run('XGROUP CREATECONSUMER s g a')).toBe(1);
    expect(await run('XGROUP CREATECONSUMER s g a')).toBe(0);
    expect(await run('XGROUP DESTROY s g')).toBe(1);
    expect(await run('XGROUP DESTROY s g')).toBe(0);
  });

  it('S4.20 DELCONSUMER drops what the consumer owed', async () => {
    const { run } = openHarness(profile);
    await run('XADD s 1-1 a 1');
    await run('XGROUP CREATE s g 0');
    await run('XREADGROUP GROUP g a STREAMS s >');
    expect(await run('XGROUP DELCONSUMER s g nobody')).toBe(0);
    expect(await run('XGROUP DELCONSUMER s g a')).toBe(1);
    expect(await run('XREADGROUP GROUP g b STREAMS s >')).toBeNull();
    expect(await run('XAUTOCLAIM s g b 0 0')).toEqual(['0-0', [], []]);
  });

  it('S4.21 SETID backwards delivers again: a new owner, and the count starts at 1', async () => {
    const { run } = openHarness(profile);
    await run('XADD s 1-1 a 1');
    await run('XGROUP CREATE s g 0');
    await run('XREADGROUP GROUP g a STREAMS s >');
    await run('XREADGROUP GROUP g a STREAMS s 0');
    expect(await run('XPENDING s g - + 10')).toEqual([['1-1', 'a', 0, 2]]);
    await run('XGROUP SETID s g 0');
    await run('XREADGROUP GROUP g b STREAMS s >');
    expect(await run('XPENDING s g - + 10')).toEqual([['1-1', 'b', 0, 1]]);
    await run('XGROUP SETID s g 9-9');
    await run('XADD s 2-1 a 1');
    expect(await run('XREADGROUP GROUP g b STREAMS s >')).toBeNull();
  });

  it('S4.22 ENTRIESREAD is taken as it is given', async () => {
    const { run } = openHarness(profile);
    for (const seq of [1, 2, 3, 4, 5]) await run(`XADD s 1-${seq} a 1`);
    await run('XGROUP CREATE s g 1-2 ENTRIESREAD 100');
    expect(await run('XINFO GROUPS s')).toEqual([
      ['name', 'g', 'consumers', 0, 'pending', 0, 'last-delivered-id', '1-2', 'entries-read', 100, 'lag', -95],
    ]);
  });
});

describe.each(PROFILE_NAMES)('XREADGROUP on %s', (profile) => {
  async function withThree() {
    const harness = openHarness(profile);
    for (const seq of [1, 2, 3]) await harness.run(`XADD s 1-${seq} n ${seq}`);
    await harness.run('XGROUP CREATE s g 0');
    return harness;
  }

  it('S4.23 > answers null when there is nothing, the history an empty list', async () => {
    const { run } = openHarness(profile);
    await run('XGROUP CREATE s g 0 MKSTREAM');
    expect(await run('XREADGROUP GROUP g a STREAMS s >')).toBeNull();
    expect(await run('XREADGROUP GROUP g a STREAMS s 0')).toEqual([['s', []]]);
  });

  it('S4.24 the history is exclusive and own, and counts deliveries', async () => {
    const { run, clock } = await withThree();
    await run('XREADGROUP GROUP g a COUNT 2 STREAMS s >');
    await run('XREADGROUP GROUP g b STREAMS s >');
    await clock.advance(50);
    expect(await run('XREADGROUP GROUP g a BLOCK 1000 NOACK STREAMS s 1-1')).toEqual([['s', [['1-2', ['n', '2']]]]]);
    expect(await run('XPENDING s g - + 10')).toEqual([
      ['1-1', 'a', 50, 1],
      ['1-2', 'a', 0, 2],
      ['1-3', 'b', 50, 1],
    ]);
  });

  it('S4.25 the history shows a deleted entry as its id alone, uncounted; XACK works on it', async () => {
    const { run, clock } = await withThree();
    await run('XREADGROUP GROUP g a COUNT 1 STREAMS s >');
    await run('XDEL s 1-1');
    await clock.advance(10);
    expect(await run('XREADGROUP GROUP g a STREAMS s 0')).toEqual([['s', [['1-1', null]]]]);
    expect(await run('XPENDING s g - + 10')).toEqual([['1-1', 'a', 10, 1]]);
    expect(await run('XACK s g 1-1')).toBe(1);
  });

  it('S4.26 $ is refused; one missing group fails all streams and delivers nothing', async () => {
    const { run } = await withThree();
    expect(await run('XREADGROUP GROUP g a STREAMS s $')).toMatch(/^ERR The \$ ID is meaningless/);
    expect(await run('XREADGROUP GROUP g a STREAMS s t > >')).toBe(
      "NOGROUP No such key 't' or consumer group 'g' in XREADGROUP with GROUP option",
    );
    expect(await run('XPENDING s g')).toEqual([0, null, null, null]);
    const unbalanced = await run('XREADGROUP GROUP g a STREAMS s t >');
    expect(unbalanced).toMatch(
      profile === 'redis-7.0' ? /^ERR Unbalanced XREAD list/ : /^ERR Unbalanced 'xreadgroup' list/,
    );
  });

  it('S4.27 mixed > and 0: streams without new entries are left out, and the call does not block', async () => {
    const { run, block, clock } = await withThree();
    await run('XGROUP CREATE t g 0 MKSTREAM');
    const blocked = block('XREADGROUP GROUP g a BLOCK 1000 STREAMS t s > 0');
    await clock.settle();
    expect(blocked.reply()).toEqual([['s', []]]);
  });

  it('S4.28 NOACK keeps nothing pending; groups each get all, consumers of one split', async () => {
    const { run } = await withThree();
    await run('XGROUP CREATE s h 0');
    await run('XREADGROUP GROUP h a NOACK STREAMS s >');
    expect(await run('XPENDING s h')).toEqual([0, null, null, null]);
    expect(await run('XINFO GROUPS s')).toContainEqual([
      'name',
      'h',
      'consumers',
      1,
      'pending',
      0,
      'last-delivered-id',
      '1-3',
      'entries-read',
      3,
      'lag',
      0,
    ]);
    expect(await run('XREADGROUP GROUP g a COUNT 2 STREAMS s >')).toEqual([
      [
        's',
        [
          ['1-1', ['n', '1']],
          ['1-2', ['n', '2']],
        ],
      ],
    ]);
    expect(await run('XREADGROUP GROUP g b COUNT 2 STREAMS s >')).toEqual([['s', [['1-3', ['n', '3']]]]]);
  });

  it('S4.29 COUNT 0 or below is no limit; only a read that really blocked is capped, on 7.0', async () => {
    const { run, block, clock, atomically } = await withThree();
    const lines = Array.from({ length: 1200 }, (_, i) => `XADD s 2-${i + 1} n 1`);
    const blocked = block('XREAD BLOCK 0 STREAMS s $');
    await clock.settle();
    await atomically(...lines);
    await clock.settle();
    const served = blocked.reply() as [string, unknown[]][];
    expect(served[0]?.[1]).toHaveLength(profile === 'redis-7.0' ? 1000 : 1200);
    for (const count of ['', 'COUNT 0 ', 'COUNT -1 ']) {
      const read = (await run(`XREAD ${count}BLOCK 5 STREAMS s 0`)) as [string, unknown[]][];
      expect(read[0]?.[1]).toHaveLength(1203);
    }
  });

  it('S4.30 a consumer is made by what it is served, or on later servers by the attempt', async () => {
    const { run } = openHarness(profile);
    await run('XGROUP CREATE s g 0 MKSTREAM');
    await run('XREADGROUP GROUP g a STREAMS s >');
    await run('XCLAIM s g b 0 1-1');
    await run('XAUTOCLAIM s g c 0 0');
    const consumers = (await run('XINFO CONSUMERS s g')) as unknown[];
    expect(consumers).toHaveLength(profile === 'redis-7.0' ? 0 : 3);
    await run('XREADGROUP GROUP g d STREAMS s 0');
    expect(await run('XGROUP CREATECONSUMER s g d')).toBe(0);
  });

  it('S4.31 entries come in the order they were added, and the group stands at the last one', async () => {
    const { run } = await withThree();
    await run('XREADGROUP GROUP g a COUNT 2 STREAMS s >');
    const [group] = (await run('XINFO GROUPS s')) as unknown[][];
    expect(group?.slice(6, 8)).toEqual(['last-delivered-id', '1-2']);
  });
});
