import type { CandleView } from '../core/candle.ts';
import type { CandleFrame } from '../core/stream-entry.ts';
import { formatStreamId, parseStreamId, STREAM_START } from '../core/stream-id.ts';
import type { RedisConnection } from '../redis/index.ts';
import { entriesOfRange, entriesOfRead, type RawEntry } from './reply.ts';

/**
 * The stream of candle frames of one shard (D5): what each commit changed, id `<commitNo>-0`, capped. A hint for live
 * readers that may be lost; the store has the candles.
 */
export interface CandleFrames {
  /** Appends the frame of a commit. A frame that is already there is left as it is. */
  append(frame: CandleFrame): Promise<void>;
  /** Frames after a commit; waits up to `blockMs` when there are none. The connection must be this reader's own. */
  readAfter(commitNo: number, options: { count: number; blockMs: number }): Promise<CandleFrame[]>;
  /** Frames after a commit up to and including another. */
  range(afterCommitNo: number, throughCommitNo: number, count: number): Promise<CandleFrame[]>;
}

/** About a quarter of an hour of commits at ten a second; older readers get a snapshot. */
const FRAMES_MAX = 10_000;

export function openCandleFrames({ connection, key }: { connection: RedisConnection; key: string }): CandleFrames {
  return {
    async append({ commitNo, through, kind, candles }) {
      const fields = ['through', formatStreamId(through), 'kind', kind, 'candles', JSON.stringify(candles)];
      await connection
        .call('XADD', key, 'MAXLEN', '~', FRAMES_MAX, `${commitNo}-0`, ...fields)
        .catch((error: unknown) => {
          // The commit was announced before; the answer to that was lost.
          if (!(error instanceof Error && error.message.includes('equal or smaller'))) throw error;
        });
    },
    async readAfter(commitNo, { count, blockMs }) {
      const reply = await connection.call('XREAD', 'COUNT', count, 'BLOCK', blockMs, 'STREAMS', key, `${commitNo}-0`);
      return entriesOfRead(reply, key).map(decodeFrame);
    },
    async range(afterCommitNo, throughCommitNo, count) {
      const reply = await connection.call('XRANGE', key, `(${afterCommitNo}-0`, `${throughCommitNo}-0`, 'COUNT', count);
      return entriesOfRange(reply).map(decodeFrame);
    },
  };
}

/** What is not a whole frame tells its readers to fetch. */
function decodeFrame({ id, fields }: RawEntry): CandleFrame {
  const through = parseStreamId(fields?.get('through') ?? '') ?? STREAM_START;
  const candles = fields?.get('candles');
  if (candles === undefined || fields?.get('kind') !== 'candles')
    return { commitNo: id.epoch, through, kind: 'refetch', candles: [] };
  return { commitNo: id.epoch, through, kind: 'candles', candles: JSON.parse(candles) as CandleView[] };
}
