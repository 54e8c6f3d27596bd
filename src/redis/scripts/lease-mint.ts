import { readFileSync } from 'node:fs';
import type { Script } from '../commands.ts';
import { serverTimeMs } from './server-time.ts';

/** Raises the term of a lease, for its holder only. Input and output: lease-mint.lua. */
export const leaseMint: Script = {
  name: 'lease-mint',
  lua: readFileSync(new URL('./lease-mint.lua', import.meta.url), 'utf8'),
  twin(call, [holderKey = '', recordKey = ''], [token, floor]) {
    const holder = call('GET', holderKey) ?? '';
    if (holder !== token) return ['lost', holder];
    const old = Number(call('HGET', recordKey, 'term') ?? '0');
    const term = String(Math.max(old, Number(floor), serverTimeMs(call) - 1) + 1);
    call('HSET', recordKey, 'term', term);
    return ['minted', term];
  },
};
