import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { FeedBatch } from '../../../src/feed/feed.ts';
import { formatRowFault } from '../../../src/feed/formats/row-fault.ts';
import { createReplayFeed, FILES_MAX, type ReplayFeed, type ReplayFeedOptions } from '../../../src/feed/replay.ts';
import { createVirtualClock, type VirtualClock } from '../../../src/testkit/virtual-clock.ts';
import { inFolder } from './input.ts';

const T0_MS = 1_381_236_469_000;
const END = { ticks: [], end: true, watermarkUs: Number.MAX_SAFE_INTEGER };

/** Rows at T0 plus the given milliseconds, with ids `<name>0`, `<name>1`, .. in file order. */
function file(name: string, offsetsMs: readonly number[]): string {
  const rows = offsetsMs.map((offsetMs, i) => `ACME,${T0_MS + offsetMs},${i + 1},1,${name}${i}`);
  return `symbol,ts_ms,price,size,id\n${rows.join('\n')}\n`;
}

function withFeed<Result>(
  contents: readonly (string | Buffer)[],
  use: (feed: ReplayFeed, clock: VirtualClock) => Promise<Result>,
  options: Partial<ReplayFeedOptions> = {},
): Promise<Result> {
  return inFolder(async (folder) => {
    const files = contents.map((_, index) => join(folder, `${index}.csv`));
    await Promise.all(contents.map((content, index) => writeFile(files[index] as string, content)));
    const clock = createVirtualClock();
    const feed = await createReplayFeed({ files, speed: 'max', source: 'file', skipBad: false, clock, ...options });
    try {
      return await use(feed, clock);
    } finally {
      await feed.close();
    }
  });
}

async function readAll(feed: ReplayFeed, cursor?: string): Promise<FeedBatch[]> {
  const batches: FeedBatch[] = [];
  for await (const batch of feed.open(cursor, new AbortController().signal)) batches.push(batch);
  return batches;
}

function idsOf(batches: readonly FeedBatch[]): string[] {
  return batches.flatMap(({ ticks }) => ticks.map(({ id }) => id));
}

describe('createReplayFeed', () => {
  it('T1 merges files by event time, each in its own order, the first file first on ties', async () => {
    const contents = [file('a', [0, 10, 10, 30]), gzipSync(file('b', [5, 10, 20])), file('c', [])];
    await withFeed(contents, async (feed) => {
      const batches = await readAll(feed);
      expect(idsOf(batches)).toEqual(['a0', 'b0', 'a1', 'a2', 'b1', 'b2', 'a3']);
      expect(feed).toMatchObject({ source: 'file', simulated: false, symbols: ['ACME'] });
      expect(batches.at(-1)).toMatchObject(END);
      expect(batches.filter(({ end }) => end)).toHaveLength(1);
    });
  });

  it('T1 R23 a shuffled file is passed on as it comes: no row is lost, the watermark never goes back', async () => {
    await withFeed([file('a', [50, 10, 90, 20]), file('b', [15, 60])], async (feed) => {
      const batches = await readAll(feed);
      const ids = idsOf(batches);
      expect(ids.filter((id) => id.startsWith('a'))).toEqual(['a0', 'a1', 'a2', 'a3']);
      expect(ids.filter((id) => id.startsWith('b'))).toEqual(['b0', 'b1']);
      expectMonotone(batches);
    });
  });

  it('D5 R23 after a late row the watermark stays where it was', async () => {
    const offsets = Array.from({ length: 2_000 }, (_, i) => (i % 500) * 10 + i);
    await withFeed([file('a', offsets)], async (feed) => {
      const batches = await readAll(feed);
      expectMonotone(batches);
      const latest = Math.max(...batches.flatMap(({ ticks }) => ticks.map(({ tsUs }) => tsUs)));
      expect(batches.at(-2)?.watermarkUs).toBe(latest);
      expect(batches.at(-2)?.ticks.at(-1)?.tsUs).toBe(latest);
    });
  });

  it('D5 the watermark is the earliest tick still to come, in files that are in order', async () => {
    const offsets = Array.from({ length: 1_000 }, (_, i) => i * 7);
    const contents = [
      file('a', offsets),
      file(
        'b',
        offsets.map((offset) => offset + 3),
      ),
      file('c', [2_000]),
    ];
    await withFeed(contents, async (feed) => {
      const batches = await readAll(feed);
      expect(batches.length).toBe(12);
      expectMonotone(batches);
      for (const [index, { watermarkUs, ticks }] of batches.entries()) {
        const next = batches[index + 1]?.ticks[0];
        if (next !== undefined) expect(watermarkUs).toBe(next.tsUs);
        expect(ticks.length).toBeLessThanOrEqual(200);
      }
    });
  });

  it('D3 T8 resumed at the cursor of any batch it goes on right there, however the rows lie in the files', async () => {
    const offsets = Array.from({ length: 3_000 }, (_, i) => (i * 7_919) % 3_001);
    await withFeed(
      [
        file('a', offsets),
        file(
          'b',
          offsets.map((offset) => offset + 1),
        ),
        file('c', [1, 2, 3]),
      ],
      async (feed) => {
        const batches = await readAll(feed);
        for (const at of [0, 1, 13, batches.length - 2]) {
          const rest = await readAll(feed, batches[at]?.cursor);
          expect(idsOf(rest)).toEqual(idsOf(batches.slice(at + 1)));
          expect(rest.at(-1)).toEqual(batches.at(-1));
        }
        expect(await readAll(feed, batches.at(-1)?.cursor)).toEqual([batches.at(-1)]);
      },
    );
  });

  it('D3 the cursor belongs to the contents: a renamed file goes on, other contents start at the beginning', async () => {
    const content = file(
      'a',
      Array.from({ length: 500 }, (_, i) => i),
    );
    const first = (await withFeed([content], (feed) => readAll(feed)))[0];
    expect(idsOf(await withFeed([gzipSync(content)], (feed) => readAll(feed, first?.cursor)))).toHaveLength(300);
    expect(
      idsOf(await withFeed([`${content}\nACME,${T0_MS},1,1,z`], (feed) => readAll(feed, first?.cursor))),
    ).toHaveLength(501);
    expect(idsOf(await withFeed([content], (feed) => readAll(feed, 'nonsense')))).toHaveLength(500);
  });

  it('F1 a bad row anywhere refuses everything before a tick is out', async () => {
    const bad = `${file('b', [1, 2, 3])}ACME,${T0_MS},NaN,1,b3\n`;
    await expect(withFeed([file('a', [0]), bad], (feed) => readAll(feed))).rejects.toMatchObject({
      code: 'INPUT_INVALID',
      message: expect.stringMatching(/1\.csv:5: price: is not a number: "NaN"$/),
    });
  });

  it('R24 skipBad leaves bad rows out, reports each, and resumes by the good ones', async () => {
    const reports: string[] = [];
    const content = file('a', [1, 2, 3, 4]).replace(',2,1,a1', ',x,1,a1').replace(',4,1,a3', ',4,-1,a3');
    const options = {
      skipBad: true,
      onFault: (fault: Parameters<typeof formatRowFault>[0]) =>
        reports.push(formatRowFault(fault).replace(/^.*\//, '')),
    };
    await withFeed(
      [content],
      async (feed) => {
        const batches = await readAll(feed);
        expect(idsOf(batches)).toEqual(['a0', 'a2']);
        expect(idsOf(await readAll(feed, batches[0]?.cursor?.replace('"position":2', '"position":1')))).toEqual(['a2']);
      },
      options,
    );
    expect(reports.slice(0, 2)).toEqual(['0.csv:3: price: is not a number: "x"', '0.csv:5: size: is negative']);
  });

  it('F1 refuses no file, too many, and a speed that is none', async () => {
    const options = { speed: 'max', source: 'file', skipBad: false, clock: createVirtualClock() } as const;
    await expect(createReplayFeed({ ...options, files: [] })).rejects.toMatchObject({ code: 'USAGE' });
    await expect(
      createReplayFeed({ ...options, files: Array.from({ length: FILES_MAX + 1 }, () => 'x') }),
    ).rejects.toMatchObject({ code: 'USAGE' });
    for (const speed of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      await expect(createReplayFeed({ ...options, files: ['x'], speed })).rejects.toMatchObject({ code: 'USAGE' });
    }
  });

  it('D6 replays standard input', async () => {
    const stdin = Readable.from([Buffer.from(file('a', [1, 2]))]);
    const options = { files: ['-'], stdin };
    expect(idsOf(await withFeed([], (feed) => readAll(feed), options))).toEqual(['a0', 'a1']);
  });
});

describe('pacing', () => {
  it('R7 speed 10 runs ten seconds of events in one, and says that time passes while nothing is due', async () => {
    await withFeed(
      [file('a', [0, 900, 10_000, 10_001, 50_000])],
      async (feed, clock) => {
        const startMs = clock.monotonicMs();
        const seen: [id: string, atMs: number][] = [];
        let idle = 0;
        const iterator = feed.open(undefined, new AbortController().signal)[Symbol.asyncIterator]();
        for (;;) {
          const batch = await nextBatch(iterator, clock);
          if (batch === undefined || batch.end) break;
          if (batch.ticks.length === 0) idle++;
          for (const { id } of batch.ticks) seen.push([id, clock.monotonicMs() - startMs]);
        }
        expect(seen).toEqual([
          ['a0', 0],
          ['a1', 90],
          ['a2', 1_000],
          ['a3', 1_050],
          ['a4', 5_000],
        ]);
        expect(idle).toBe(3);
      },
      { speed: 10 },
    );
  });

  it('T6 an abort ends a waiting replay at once', async () => {
    await withFeed(
      [file('a', [0, 1_000_000])],
      async (feed, clock) => {
        const controller = new AbortController();
        const iterator = feed.open(undefined, controller.signal)[Symbol.asyncIterator]();
        await iterator.next();
        const waiting = iterator.next();
        controller.abort();
        expect((await waiting).done).toBe(true);
        expect(clock.pendingTimers).toBe(0);
      },
      { speed: 1 },
    );
  });
});

/** The next batch; time passes only while the feed waits for it. */
async function nextBatch(iterator: AsyncIterator<FeedBatch>, clock: VirtualClock): Promise<FeedBatch | undefined> {
  const state = { done: false };
  const next = iterator.next().finally(() => {
    state.done = true;
  });
  for (await turn(); !state.done; await turn()) if (clock.pendingTimers > 0) await clock.advance(10);
  const result = await next;
  return result.done ? undefined : result.value;
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function expectMonotone(batches: readonly FeedBatch[]): void {
  const watermarks = batches.map(({ watermarkUs }) => watermarkUs);
  expect(watermarks).toEqual([...watermarks].sort((a, b) => a - b));
}
