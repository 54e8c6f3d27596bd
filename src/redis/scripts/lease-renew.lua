-- Extends the caller's own lease (FENCE-1).
-- Input:  KEYS holder, record
--         ARGV token, ttlMs
-- Output: {'renewed', token} or {'lost', holder ('' = none)}
local holder = redis.call('GET', KEYS[1]) or ''
if holder ~= ARGV[1] then
  return { 'lost', holder }
end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
redis.call('HINCRBY', KEYS[2], 'renewals', 1)
return { 'renewed', holder }
