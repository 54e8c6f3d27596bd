/** Where a feed stands in its source (D3), kept by the fence and the shard row as opaque text. */
export interface FeedCursor {
  /** Another source starts at its beginning. */
  readonly sourceId: string;
  /** Ticks handed out. */
  readonly position: number;
  /** Watermark there, Unix microseconds, where the feed wants to know it again. */
  readonly watermarkUs?: number;
  /** Wall clock when it was handed out, Unix ms, of a feed that must know for how long it stood still. */
  readonly aliveMs?: number;
}

export function formatFeedCursor(cursor: FeedCursor): string {
  return JSON.stringify(cursor);
}

/** Undefined when there is none, or when it is not a cursor of this format: the source then starts at its beginning. */
export function parseFeedCursor(text: string | undefined): FeedCursor | undefined {
  if (text === undefined) return undefined;
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null) return undefined;
  const { sourceId, position, watermarkUs, aliveMs } = value as Record<keyof FeedCursor, unknown>;
  if (typeof sourceId !== 'string' || !isCount(position)) return undefined;
  return {
    sourceId,
    position,
    ...(isCount(watermarkUs) ? { watermarkUs } : {}),
    ...(isCount(aliveMs) ? { aliveMs } : {}),
  };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined;
    throw cause;
  }
}
