import { formatStreamId, parseStreamId, type StreamId } from '../core/stream-id.ts';

/**
 * Where a live reader stands (D7, docs/spec/cursor.md): for each shard the last tick and the last commit it was sent,
 * within one incarnation of the store. Travels as the SSE `id:` and comes back as Last-Event-ID or `?cursor=`.
 */
export interface LiveCursor {
  readonly incarnation: string;
  /** One position a shard, in shard order; their number is N of D3. */
  readonly shards: readonly ShardPosition[];
}

export interface ShardPosition {
  readonly tick: StreamId;
  readonly commitNo: number;
}

const CURSOR_LENGTH_MAX = 4096;

/** `<incarnation>~<epoch>-<seq>.<commitNo>~..`: safe in a header, in a URL and on an SSE line. */
export function formatCursor(cursor: LiveCursor): string {
  return [cursor.incarnation, ...cursor.shards.map((shard) => `${formatStreamId(shard.tick)}.${shard.commitNo}`)].join(
    '~',
  );
}

/** undefined when the text is not a cursor: the reader then starts afresh, with a reset that says so. */
export function parseCursor(text: string): LiveCursor | undefined {
  if (text.length > CURSOR_LENGTH_MAX) return undefined;
  const [incarnation = '', ...parts] = text.split('~');
  if (!/^[a-z0-9]{1,64}$/.test(incarnation) || parts.length === 0) return undefined;
  const shards: ShardPosition[] = [];
  for (const part of parts) {
    const [id = '', commit = ''] = part.split('.');
    const tick = parseStreamId(id);
    if (tick === undefined || !/^\d{1,15}$/.test(commit)) return undefined;
    shards.push({ tick, commitNo: Number(commit) });
  }
  return { incarnation, shards };
}
