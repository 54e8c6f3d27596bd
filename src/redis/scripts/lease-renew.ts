import { readFileSync } from 'node:fs';
import type { Script } from '../commands.ts';

/** Extends the caller's own lease. Input and output: lease-renew.lua. */
export const leaseRenew: Script = {
  name: 'lease-renew',
  lua: readFileSync(new URL('./lease-renew.lua', import.meta.url), 'utf8'),
  twin(call, [holderKey = '', recordKey = ''], [token = '', ttlMs = '']) {
    const holder = call('GET', holderKey) ?? '';
    if (holder !== token) return ['lost', holder];
    call('PEXPIRE', holderKey, ttlMs);
    call('HINCRBY', recordKey, 'renewals', 1);
    return ['renewed', holder];
  },
};
