import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StreamId } from '../../../src/core/stream-id.ts';
import {
  type Continuity,
  compareWithFence,
  follow,
  lagMs,
  lagOf,
  type StreamEntry,
} from '../../../src/stream/index.ts';

const id = (epoch: number, seq: number): StreamId => ({ epoch, seq });
const plain = (epoch: number, seq: number): StreamEntry => ({
  kind: 'watermark',
  id: id(epoch, seq),
  ingestMs: 0,
  watermarkUs: 0,
  source: 'sim',
  sourceCursor: undefined,
});
const barrier = (epoch: number, prev: StreamId | undefined, seq = 0): StreamEntry => ({
  kind: 'barrier',
  id: id(epoch, seq),
  ingestMs: 0,
  prev,
  term: epoch,
});

describe('STREAM-10 D4 follow', () => {
  it.each<[string, StreamId | undefined, StreamEntry, Continuity]>([
    ['no cursor yet', undefined, plain(5, 9), 'next'],
    ['no cursor yet, a barrier', undefined, barrier(5, id(4, 1)), 'next'],
    ['the same entry', id(5, 3), plain(5, 3), 'duplicate'],
    ['an earlier entry', id(5, 3), plain(5, 2), 'duplicate'],
    ['an earlier epoch', id(5, 3), plain(4, 99), 'duplicate'],
    ['the barrier again', id(5, 3), barrier(5, id(4, 1)), 'duplicate'],
    ['the next entry', id(5, 3), plain(5, 4), 'next'],
    ['the first after the barrier', id(5, 0), plain(5, 1), 'next'],
    ['an entry further on', id(5, 3), plain(5, 5), 'hole'],
    ['a higher epoch without barrier', id(5, 3), plain(6, 1), 'foreign'],
    ['a higher epoch at seq 0 without barrier', id(5, 3), plain(6, 0), 'foreign'],
    ['a barrier that does not open its epoch', id(5, 3), barrier(6, id(5, 3), 1), 'foreign'],
    ['a barrier within the epoch', id(5, 3), barrier(5, id(5, 3), 4), 'foreign'],
    ['a barrier right after the cursor', id(5, 3), barrier(6, id(5, 3)), 'next'],
    ['a barrier after more of the epoch', id(5, 3), barrier(6, id(5, 4)), 'unread-tail'],
    ['a barrier after another epoch', id(5, 3), barrier(9, id(7, 0)), 'unread-tail'],
    ['a barrier before the cursor', id(5, 3), barrier(6, id(5, 2)), 'failover'],
    ['a barrier after an earlier epoch', id(5, 3), barrier(6, id(4, 9)), 'failover'],
    ['a barrier after nothing', id(5, 3), barrier(6, undefined), 'emptied'],
  ])('STREAM-10 %s', (_name, cursor, entry, verdict) => {
    expect(follow(cursor, entry)).toBe(verdict);
  });

  it('STREAM-10 gives a verdict for everything, and next only where nothing can be missing', () => {
    const small = fc.integer({ min: 0, max: 3 });
    const streamId = fc.record({ epoch: small, seq: small });
    const entry = fc.oneof(
      streamId.map((at) => plain(at.epoch, at.seq)),
      fc.tuple(streamId, fc.option(streamId, { nil: undefined })).map(([at, prev]) => barrier(at.epoch, prev, at.seq)),
    );
    fc.assert(
      fc.property(streamId, entry, (cursor, candidate) => {
        const verdict = follow(cursor, candidate);
        const { epoch, seq } = candidate.id;
        const proven =
          candidate.kind === 'barrier'
            ? epoch > cursor.epoch &&
              seq === 0 &&
              candidate.prev?.epoch === cursor.epoch &&
              candidate.prev.seq === cursor.seq
            : epoch === cursor.epoch && seq === cursor.seq + 1;
        expect(verdict === 'next').toBe(proven);
        const isOld = epoch < cursor.epoch || (epoch === cursor.epoch && seq <= cursor.seq);
        expect(verdict === 'duplicate').toBe(isOld);
      }),
    );
  });
});

describe('STREAM-11 D4 compareWithFence', () => {
  it.each([
    [undefined, undefined, false, 'empty'],
    [undefined, undefined, true, 'await-install'],
    [id(5, 3), undefined, true, 'await-install'],
    [id(5, 3), undefined, false, 'emptied'],
    [undefined, id(5, 3), true, 'behind'],
    [id(5, 3), id(5, 3), true, 'level'],
    [id(5, 3), id(5, 4), true, 'behind'],
    [id(5, 3), id(6, 0), true, 'behind'],
    [id(5, 3), id(5, 2), true, 'await-resend'],
    [id(5, 3), id(4, 9), true, 'emptied'],
  ] as const)('STREAM-11 cursor %o, fence %o, stream %s: %s', (cursor, fence, streamExists, standing) => {
    expect(compareWithFence(cursor, fence, streamExists)).toBe(standing);
  });
});

describe('STREAM-12 F14 lag', () => {
  it.each([
    [id(5, 3), { epoch: 5, seq: 9, prev: undefined }, { kind: 'exact', entries: 6 }],
    [id(5, 9), { epoch: 5, seq: 9, prev: undefined }, { kind: 'exact', entries: 0 }],
    [id(5, 9), { epoch: 5, seq: 7, prev: undefined }, { kind: 'exact', entries: 0 }],
    [id(5, 3), { epoch: 6, seq: 2, prev: id(5, 5) }, { kind: 'exact', entries: 5 }],
    [id(4, 3), { epoch: 6, seq: 2, prev: id(5, 5) }, { kind: 'at-least', entries: 3 }],
    [undefined, { epoch: 6, seq: 2, prev: undefined }, { kind: 'at-least', entries: 3 }],
    [id(7, 1), { epoch: 6, seq: 2, prev: undefined }, { kind: 'unknown' }],
    [id(7, 1), undefined, { kind: 'unknown' }],
  ] as const)('STREAM-12 cursor %o, fence %o', (cursor, fence, lag) => {
    expect(lagOf(cursor, fence)).toEqual(lag);
  });

  it('F14 lag in time is server time against server time', () => {
    expect(lagMs(1_000, { ingestMs: 10_000 })).toBe(9_000);
    expect(lagMs(11_000, { ingestMs: 10_000 })).toBe(0);
  });
});
