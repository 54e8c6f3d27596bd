-- Takes a lease for a token, if what the caller observed is still so (FENCE-1, FENCE-3).
-- Input:  KEYS holder, record
--         ARGV token, ttlMs, mode ('released' | 'unchanged'), observed holder ('' = none), observed term, observed renewals
-- Output: {'taken' | 'held', holder, term, renewals, released ('' = none)}: the state after the call
local holder = redis.call('GET', KEYS[1]) or ''
local state = redis.call('HMGET', KEYS[2], 'term', 'renewals', 'released')
local term = state[1] or '0'
local renewals = state[2] or '0'
local released = state[3] or ''

local mine = holder == ARGV[1]
local free = holder == '' and released ~= '' and released == term
local same = term == ARGV[5] and renewals == ARGV[6] and (holder == '' or holder == ARGV[4])
local unchanged = ARGV[3] == 'unchanged' and same
if not (mine or free or unchanged) then
  return { 'held', holder, term, renewals, released }
end

redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
renewals = redis.call('HINCRBY', KEYS[2], 'renewals', 1)
redis.call('HDEL', KEYS[2], 'released')
return { 'taken', ARGV[1], term, string.format('%.0f', renewals), '' }
