import { readFileSync } from 'node:fs';
import type { Script } from '../commands.ts';

/** Takes a lease for a token, if what the caller observed is still so. Input and output: lease-take.lua. */
export const leaseTake: Script = {
  name: 'lease-take',
  lua: readFileSync(new URL('./lease-take.lua', import.meta.url), 'utf8'),
  twin(call, [holderKey = '', recordKey = ''], [token = '', ttlMs = '', mode, seenHolder, seenTerm, seenRenewals]) {
    const holder = call('GET', holderKey) ?? '';
    const [term, renewals, released] = call('HMGET', recordKey, 'term', 'renewals', 'released') as (string | null)[];
    const mine = holder === token;
    const free = holder === '' && released !== null && released === (term ?? '0');
    const unchanged =
      mode === 'unchanged' &&
      (holder === '' || holder === seenHolder) &&
      (term ?? '0') === seenTerm &&
      (renewals ?? '0') === seenRenewals;
    if (!mine && !free && !unchanged) return ['held', holder, term ?? '0', renewals ?? '0', released ?? ''];

    call('SET', holderKey, token, 'PX', ttlMs);
    const raised = call('HINCRBY', recordKey, 'renewals', 1);
    call('HDEL', recordKey, 'released');
    return ['taken', token, term ?? '0', String(raised), ''];
  },
};
