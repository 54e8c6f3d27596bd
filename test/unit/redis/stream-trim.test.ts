import { describe, expect, it } from 'vitest';
import { type Harness, openHarness, PROFILE_NAMES } from './harness.ts';

async function fill(run: Harness['run'], count: number, value = 'v'): Promise<void> {
  for (let i = 1; i <= count; i++) await run(`XADD s 1-${i} a ${value}`);
}

describe.each(PROFILE_NAMES)('trimming on %s', (profile) => {
  it('S4.10 exact trimming answers the number removed', async () => {
    const { run } = openHarness(profile);
    await fill(run, 10);
    expect(await run('XTRIM s MAXLEN = 7')).toBe(3);
    expect(await run('XTRIM s MINID 1-6')).toBe(2);
    expect(await run('XRANGE s - + COUNT 1')).toEqual([['1-6', ['a', 'v']]]);
  });

  it('S4.11 ~ removes whole nodes only, and only if enough stays', async () => {
    const { run } = openHarness(profile);
    await fill(run, 250);
    const removed: unknown[] = [];
    for (const maxLength of [200, 151, 150, 50, 0]) removed.push(await run(`XTRIM s MAXLEN ~ ${maxLength}`));
    expect(removed).toEqual([0, 0, 100, 100, 50]);
  });

  it('S4.12 a node is full at 100 entries or 4096 bytes; a deleted entry keeps its place', async () => {
    const { run } = openHarness(profile);
    await fill(run, 30, 'x'.repeat(1000));
    const info = (await run('XINFO STREAM s')) as unknown[];
    expect(info[info.indexOf('radix-tree-keys') + 1]).toBe(8);
    await run('DEL s');
    await fill(run, 100);
    await run('XDEL s 1-50');
    await run('XADD s 2-1 a v');
    expect(await run('XTRIM s MAXLEN ~ 1')).toBe(99);
  });

  it('S4.13 LIMIT takes a node only whole, and needs ~', async () => {
    const { run } = openHarness(profile);
    await fill(run, 250);
    expect(await run('XTRIM s MAXLEN ~ 0 LIMIT 99')).toBe(0);
    expect(await run('XTRIM s MAXLEN 0 LIMIT 10')).toBe(
      'ERR syntax error, LIMIT cannot be used without the special ~ option',
    );
    expect(await run('XTRIM s MAXLEN ~ 0 LIMIT 250')).toBe(250);
  });

  it('S4.14 MAXLEN excludes MINID and is not negative', async () => {
    const { run } = openHarness(profile);
    expect(await run('XTRIM s MAXLEN 5 MINID 1')).toBe(
      'ERR syntax error, MAXLEN and MINID options at the same time are not compatible',
    );
    expect(await run('XTRIM s MAXLEN -1')).toBe('ERR The MAXLEN argument must be >= 0.');
  });

  it('S4.15 an emptied stream keeps its key, its groups and its top id', async () => {
    const { run } = openHarness(profile);
    await fill(run, 3);
    await run('XGROUP CREATE s g 0');
    await run('XTRIM s MAXLEN 0');
    expect(await run('EXISTS s')).toBe(1);
    expect(await run('XADD s 1-3 a v')).toMatch(/equal or smaller/);
    expect(await run('XGROUP CREATE s g 0')).toMatch(/^BUSYGROUP/);
  });

  it('S4.16 XTRIM touches no pending list, and only XDEL moves max-deleted-entry-id', async () => {
    const { run } = openHarness(profile);
    await fill(run, 4);
    await run('XGROUP CREATE s g 0');
    await run('XREADGROUP GROUP g a STREAMS s >');
    await run('XTRIM s MAXLEN 2');
    expect(await run('XPENDING s g')).toEqual([4, '1-1', '1-4', [['a', '4']]]);
    const read = async (name: string): Promise<unknown> => {
      const info = (await run('XINFO STREAM s')) as unknown[];
      return info[info.indexOf(name) + 1];
    };
    expect(await read('max-deleted-entry-id')).toBe('0-0');
    expect(await read('recorded-first-entry-id')).toBe('1-3');
    await run('XDEL s 1-3');
    expect(await read('max-deleted-entry-id')).toBe('1-3');
    expect(await read('recorded-first-entry-id')).toBe('1-4');
  });
});
