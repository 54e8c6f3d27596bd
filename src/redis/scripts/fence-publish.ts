import { readFileSync } from 'node:fs';
import { RedisReplyError, type Reply, type Script, type ScriptCall } from '../commands.ts';
import { serverTimeMs } from './server-time.ts';

/** Appends a batch to a fenced stream, once, and only for the writer the fence names. Input and output: fence-publish.lua. */
export const fencePublish: Script = {
  name: 'fence-publish',
  lua: readFileSync(new URL('./fence-publish.lua', import.meta.url), 'utf8'),
  twin(call, [fenceKey = '', ticksKey = ''], args) {
    const [term, epoch = '', seqText, countText, cursor = ''] = args;
    const fields = call('HMGET', fenceKey, 'term', 'epoch', 'seq', 'ingestTime') as (string | null)[];
    const [fenceTerm = null, fenceEpoch, fenceSeq = null, fenceIngest] = fields;
    if (fenceTerm === null || Number(fenceTerm) < Number(term)) return ['uninstalled'];
    if (Number(fenceTerm) > Number(term)) return ['stale', fenceTerm];
    if (Number(fenceEpoch) !== Number(epoch)) return ['uninstalled'];
    const seq = Number(seqText);
    const count = Number(countText);
    if (Number(fenceSeq) >= seq + count) return ['already', fenceSeq];
    if (Number(fenceSeq) !== seq) return ['behind', fenceSeq];

    const ingest = String(Math.max(serverTimeMs(call), Number(fenceIngest)));
    let at = 5;
    for (let i = 1; i <= count; i++) {
      const [channel = '', message = '', length] = args.slice(at, at + 3);
      const last = at + 3 + Number(length);
      const id = `${epoch}-${seq + i}`;
      const failure = append(call, ticksKey, id, ['i', ingest, ...args.slice(at + 3, last)]);
      if (failure !== undefined) return ['foreign', failure];
      if (channel !== '') call('PUBLISH', channel, `${id} ${message}`);
      at = last;
    }
    const top = String(seq + count);
    call('HSET', fenceKey, 'seq', top, 'ingestTime', ingest, 'sourceCursor', cursor);
    return ['ok', top, ingest] satisfies Reply;
  },
};

/** Answers what went wrong, if anything: only the first append of a batch can fail, nobody else writes meanwhile. */
function append(call: ScriptCall, key: string, id: string, fields: readonly string[]): string | undefined {
  try {
    return call('XADD', key, 'NOMKSTREAM', id, ...fields) === null ? 'the stream is gone' : undefined;
  } catch (error) {
    if (error instanceof RedisReplyError) return error.message;
    throw error;
  }
}
