import { describe, expect, it } from 'vitest';
import { type Harness, openHarness, PROFILE_NAMES } from './harness.ts';

async function readLag(run: Harness['run']): Promise<unknown[]> {
  const [group] = (await run('XINFO GROUPS s')) as unknown[][];
  return [group?.[9], group?.[11]];
}

describe.each(PROFILE_NAMES)('XINFO on %s', (profile) => {
  it('S4.49 lag: none, counted, unknown after a deletion ahead, known again at the tail', async () => {
    const { run } = openHarness(profile);
    await run('XGROUP CREATE s g 0 MKSTREAM');
    expect(await readLag(run)).toEqual([null, 0]);
    for (const seq of [1, 2, 3, 4, 5]) await run(`XADD s 1-${seq} n 1`);
    expect(await readLag(run)).toEqual([null, 5]);
    await run('XREADGROUP GROUP g a COUNT 2 STREAMS s >');
    expect(await readLag(run)).toEqual([2, 3]);
    await run('XDEL s 1-4');
    expect(await readLag(run)).toEqual([2, null]);
    await run('XREADGROUP GROUP g a STREAMS s >');
    expect(await readLag(run)).toEqual([5, 0]);
  });

  it('S4.49 a group made at the first id knows its lag, one made in the middle does not', async () => {
    const { run } = openHarness(profile);
    for (const seq of [1, 2, 3]) await run(`XADD s 1-${seq} n 1`);
    await run('XGROUP CREATE s g 1-1');
    expect(await readLag(run)).toEqual([null, 2]);
    await run('XGROUP SETID s g 1-2');
    expect(await readLag(run)).toEqual([null, null]);
  });

  it('S4.50 after trimming ahead of the group the lag is too high', async () => {
    const { run } = openHarness(profile);
    for (const seq of [1, 2, 3, 4, 5]) await run(`XADD s 1-${seq} n 1`);
    await run('XGROUP CREATE s g 0');
    await run('XREADGROUP GROUP g a COUNT 1 STREAMS s >');
    await run('XTRIM s MAXLEN 2');
    expect(await readLag(run)).toEqual([1, 4]);
  });

  it('S4.51 idle is the last delivery, and on later servers the last attempt beside it', async () => {
    const { run, clock } = openHarness(profile);
    await run('XADD s 1-1 n 1');
    await run('XGROUP CREATE s g 0');
    await run('XGROUP CREATECONSUMER s g b');
    await run('XREADGROUP GROUP g a STREAMS s >');
    await clock.advance(100);
    await run('XREADGROUP GROUP g a STREAMS s >');
    await clock.advance(20);
    const old = [
      ['name', 'a', 'pending', 1, 'idle', 120],
      ['name', 'b', 'pending', 0, 'idle', 120],
    ];
    const later = [
      ['name', 'a', 'pending', 1, 'idle', 20, 'inactive', 120],
      ['name', 'b', 'pending', 0, 'idle', 120, 'inactive', -1],
    ];
    expect(await run('XINFO CONSUMERS s g')).toEqual(profile === 'redis-7.0' ? old : later);
  });

  it('S4.52 a missing key is an error; a stream tells its counters', async () => {
    const { run } = openHarness(profile);
    expect(await run('XINFO STREAM s')).toBe('ERR no such key');
    await run('XADD s 1-1 n 1');
    await run('XADD s 1-2 n 2');
    await run('XDEL s 1-1');
    const flat = (await run('XINFO STREAM s')) as unknown[];
    const pairs = flat.flatMap((name, i) => (i % 2 === 0 ? [[name, flat[i + 1]]] : []));
    expect(pairs).toEqual([
      ['length', 1],
      ['radix-tree-keys', 1],
      ['radix-tree-nodes', 2],
      ['last-generated-id', '1-2'],
      ['max-deleted-entry-id', '1-1'],
      ['entries-added', 2],
      ['recorded-first-entry-id', '1-2'],
      ['groups', 0],
      ['first-entry', ['1-2', ['n', '2']]],
      ['last-entry', ['1-2', ['n', '2']]],
    ]);
  });

  it('S4.53 entries-read is a number on the server that counts (it has no replicas)', async () => {
    const { run } = openHarness(profile);
    await run('XADD s 1-1 n 1');
    await run('XGROUP CREATE s g 0');
    await run('XREADGROUP GROUP g a NOACK STREAMS s >');
    expect(await readLag(run)).toEqual([1, 0]);
  });
});
