import { readFileSync } from 'node:fs';
import { compareStreamIds, parseStreamId, STREAM_START } from '../../core/stream-id.ts';
import type { Script, ScriptCall } from '../commands.ts';

/** Trims a stream to what its required consumers have committed. Input and output: stream-trim.lua. */
export const streamTrim: Script = {
  name: 'stream-trim',
  lua: readFileSync(new URL('./stream-trim.lua', import.meta.url), 'utf8'),
  twin(call, [ticksKey = '', checkpointsKey = ''], [keepFrom = '', capEntries = '0', limit = '0', ...required]) {
    const keep = lowest(call, checkpointsKey, keepFrom, required);
    const trimmed = keep === '' ? 0 : call('XTRIM', ticksKey, 'MINID', '~', keep, 'LIMIT', limit);
    const capped = capEntries === '0' ? 0 : call('XTRIM', ticksKey, 'MAXLEN', '~', capEntries, 'LIMIT', limit);
    return [trimmed, capped, keep];
  },
};

function lowest(call: ScriptCall, checkpointsKey: string, keepFrom: string, required: readonly string[]): string {
  let keep = keepFrom;
  for (const consumer of required) {
    const committed = call('HGET', checkpointsKey, consumer) as string | null;
    if (committed === null) return '';
    if (isBefore(committed, keep)) keep = committed;
  }
  return keep;
}

function isBefore(a: string, b: string): boolean {
  return compareStreamIds(parseStreamId(a) ?? STREAM_START, parseStreamId(b) ?? STREAM_START) < 0;
}
