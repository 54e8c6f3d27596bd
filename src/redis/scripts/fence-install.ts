import { readFileSync } from 'node:fs';
import type { Reply, Script, ScriptCall } from '../commands.ts';
import { serverTimeMs } from './server-time.ts';

/** Raises the fence of a shard and opens an epoch with its barrier. Input and output: fence-install.lua. */
export const fenceInstall: Script = {
  name: 'fence-install',
  lua: readFileSync(new URL('./fence-install.lua', import.meta.url), 'utf8'),
  twin(call, [fenceKey = '', ticksKey = ''], [term = '', token = '']) {
    const fence = call('HMGET', fenceKey, ...FIELDS) as (string | null)[];
    const [oldTerm = null, oldToken, oldEpoch, oldSeq, oldIngest, cursor, oldPrev] = fence;
    const fenceTerm = Number(oldTerm ?? '-1');
    if (fenceTerm === Number(term) && oldToken === token) return reply(oldEpoch, oldSeq, oldPrev, cursor);
    if (fenceTerm >= Number(term)) return ['refused', oldTerm];

    const epoch = String(Math.max(Number(term), Number(oldEpoch ?? '-1') + 1, topMs(call, ticksKey) + 1));
    const prev = oldTerm === null ? 'none' : `${oldEpoch}-${oldSeq}`;
    const ingest = String(Math.max(serverTimeMs(call), Number(oldIngest ?? '0')));
    call('XADD', ticksKey, `${epoch}-0`, 'k', 'b', 'i', ingest, 'prev', prev, 'term', term);
    const fields = ['term', term, 'token', token, 'epoch', epoch, 'seq', '0', 'ingestTime', ingest, 'prev', prev];
    call('HSET', fenceKey, ...fields);
    return reply(epoch, '0', prev, cursor);
  },
};

const FIELDS = ['term', 'token', 'epoch', 'seq', 'ingestTime', 'sourceCursor', 'prev'] as const;

function reply(epoch: Field, seq: Field, prev: Field, cursor: Field): Reply {
  return ['installed', epoch ?? null, seq ?? null, prev ?? null, cursor ?? null];
}

type Field = string | null | undefined;

function topMs(call: ScriptCall, key: string): number {
  if (call('EXISTS', key) === 0) return 0;
  const info = call('XINFO', 'STREAM', key) as readonly Reply[];
  const top = info[info.indexOf('last-generated-id') + 1] as string;
  return Number(top.slice(0, top.indexOf('-')));
}
