-- Raises the term of a lease, for its holder only (FENCE-2).
-- Input:  KEYS holder, record
--         ARGV token, floor (the highest term or epoch the caller knows of)
-- Output: {'minted', term} or {'lost', holder ('' = none)}
local holder = redis.call('GET', KEYS[1]) or ''
if holder ~= ARGV[1] then
  return { 'lost', holder }
end
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
local old = tonumber(redis.call('HGET', KEYS[2], 'term') or '0')
local term = string.format('%.0f', math.max(old, tonumber(ARGV[2]), nowMs - 1) + 1)
redis.call('HSET', KEYS[2], 'term', term)
return { 'minted', term }
