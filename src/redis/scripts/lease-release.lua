-- Gives the caller's own lease back, and says so on the channel named like the holder key (FENCE-1, FENCE-6).
-- Input:  KEYS holder, record
--         ARGV token
-- Output: {'released', term} or {'lost', holder ('' = none)}
local holder = redis.call('GET', KEYS[1]) or ''
if holder ~= ARGV[1] then
  return { 'lost', holder }
end
local term = redis.call('HGET', KEYS[2], 'term') or '0'
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[2], 'term', term, 'released', term)
redis.call('PUBLISH', KEYS[1], term)
return { 'released', term }
