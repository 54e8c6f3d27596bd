import { readFileSync } from 'node:fs';
import type { Script } from '../commands.ts';

/** Gives the caller's own lease back. Input and output: lease-release.lua. */
export const leaseRelease: Script = {
  name: 'lease-release',
  lua: readFileSync(new URL('./lease-release.lua', import.meta.url), 'utf8'),
  twin(call, [holderKey = '', recordKey = ''], [token]) {
    const holder = call('GET', holderKey) ?? '';
    if (holder !== token) return ['lost', holder];
    const term = (call('HGET', recordKey, 'term') ?? '0') as string;
    call('DEL', holderKey);
    call('HSET', recordKey, 'term', term, 'released', term);
    call('PUBLISH', holderKey, term);
    return ['released', term];
  },
};
