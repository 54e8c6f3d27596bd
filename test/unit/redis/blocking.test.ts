import { describe, expect, it } from 'vitest';
import { openHarness, PROFILE_NAMES } from './harness.ts';

const READ = 'XREADGROUP GROUP g a BLOCK 1000 STREAMS s >';
const GONE = "NOGROUP No such key 's' or consumer group 'g' in XREADGROUP with GROUP option";

describe.each(PROFILE_NAMES)('blocking reads on %s', (profile) => {
  const isOld = profile === 'redis-7.0';

  async function withGroup() {
    const harness = openHarness(profile);
    await harness.run('XGROUP CREATE s g $ MKSTREAM');
    return harness;
  }

  it('S4.32 who blocked first is served first', async () => {
    const { run, block, clock, atomically } = await withGroup();
    const first = block('XREADGROUP GROUP g a COUNT 2 BLOCK 0 STREAMS s >');
    const second = block('XREADGROUP GROUP g b COUNT 2 BLOCK 0 STREAMS s >');
    await clock.settle();
    await run('XADD s 1-1 n 1');
    await clock.settle();
    expect(first.reply()).toEqual([['s', [['1-1', ['n', '1']]]]]);
    expect(second.reply()).toBeUndefined();
    const third = block('XREADGROUP GROUP g c COUNT 2 BLOCK 0 STREAMS s >');
    await atomically('XADD s 2-1 n 1', 'XADD s 2-2 n 2', 'XADD s 2-3 n 3');
    await clock.settle();
    expect(second.reply()).toEqual([
      [
        's',
        [
          ['2-1', ['n', '1']],
          ['2-2', ['n', '2']],
        ],
      ],
    ]);
    expect(third.reply()).toEqual([['s', [['2-3', ['n', '3']]]]]);
  });

  it('S4.33 a time-out is null; within a script nothing blocks', async () => {
    const { block, clock, atomically } = await withGroup();
    const blocked = block(READ);
    await clock.advance(999);
    expect(blocked.reply()).toBeUndefined();
    await clock.advance(1);
    expect(blocked.reply()).toBeNull();
    const inScript = await atomically('XREAD BLOCK 10 STREAMS s $');
    if (isOld) expect(inScript).toMatch(/^ERR XREAD command is not allowed with BLOCK option from scripts/);
    else expect(inScript).toEqual([null]);
  });

  it.each([
    ['DEL s', 'UNBLOCKED the stream key no longer exists', GONE],
    ['FLUSHALL', 'UNBLOCKED the stream key no longer exists', GONE],
    [
      'SET s x',
      'UNBLOCKED the stream key no longer exists',
      'WRONGTYPE Operation against a key holding the wrong kind of value',
    ],
    ['XGROUP DESTROY s g', 'NOGROUP the consumer group this client was blocked on no longer exists', GONE],
  ])('S4.34 %s ends a blocked group read with an error', async (line, old, later) => {
    const { run, block, clock } = await withGroup();
    const blocked = block(READ);
    await clock.settle();
    await run(line);
    await clock.settle();
    expect(blocked.reply()).toBe(isOld ? old : later);
  });

  it('S4.34 expiry ends it too, as soon as anybody looks at the key', async () => {
    const { run, block, clock } = await withGroup();
    await run('PEXPIRE s 10');
    const blocked = block(READ);
    await clock.advance(10);
    await run('EXISTS s');
    await clock.settle();
    expect(blocked.reply()).toBe(isOld ? 'UNBLOCKED the stream key no longer exists' : GONE);
  });

  it('S4.35 an entry that is added and deleted at once: 7.0 delivers nothing, later servers wait on', async () => {
    const { block, clock, atomically } = await withGroup();
    const blocked = block(READ);
    await clock.settle();
    await atomically('XADD s 1-1 n 1', 'XDEL s 1-1');
    await clock.settle();
    expect(blocked.reply()).toEqual(isOld ? [['s', []]] : undefined);
  });

  it('S4.36 $ is the top at the call: a stream made again with lower ids is not seen', async () => {
    const { run, block, clock } = openHarness(profile);
    await run('XADD s 9-1 n 1');
    const blocked = block('XREAD BLOCK 0 STREAMS s $');
    await clock.settle();
    await run('DEL s');
    await run('XADD s 1-1 n 1');
    await clock.advance(10_000);
    expect(blocked.reply()).toBeUndefined();
    await run('XADD s 9-2 n 2');
    await clock.settle();
    expect(blocked.reply()).toEqual([['s', [['9-2', ['n', '2']]]]]);
  });

  it('S4.37 + is the last entry, where the server knows it', async () => {
    const { run } = openHarness(profile);
    await run('XADD s 1-1 n 1');
    await run('XADD s 1-2 n 2');
    const last = await run('XREAD STREAMS s +');
    if (isOld) expect(last).toBe('ERR Invalid stream ID specified as stream command argument');
    else expect(last).toEqual([['s', [['1-2', ['n', '2']]]]]);
  });
});
