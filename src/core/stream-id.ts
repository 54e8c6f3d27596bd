import { compareUnits } from './decimal.ts';

/** The id of a stream entry (D2): `<epoch>-<seq>`. In fenced streams both count, in `auto` streams epoch is the server's ms. */
export interface StreamId {
  readonly epoch: number;
  readonly seq: number;
}

export const STREAM_START: StreamId = { epoch: 0, seq: 0 };

export function parseStreamId(text: string): StreamId | undefined {
  const match = /^(\d{1,16})-(\d{1,16})$/.exec(text);
  if (!match) return undefined;
  const epoch = Number(match[1]);
  const seq = Number(match[2]);
  return Number.isSafeInteger(epoch) && Number.isSafeInteger(seq) ? { epoch, seq } : undefined;
}

export function formatStreamId(id: StreamId): string {
  return `${id.epoch}-${id.seq}`;
}

export function compareStreamIds(a: StreamId, b: StreamId): number {
  return compareUnits(a.epoch, b.epoch) || compareUnits(a.seq, b.seq);
}
