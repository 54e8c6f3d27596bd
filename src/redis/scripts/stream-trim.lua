-- Trims a stream to what its required consumers have committed and the caller wants kept (STREAM-13).
-- Input:  KEYS ticks, checkpoints
--         ARGV id to keep from, hard cap in entries (0 = none), most entries to remove for each reason,
--              names of the required consumers ..
-- Output: {entries trimmed, entries removed by the hard cap, the id trimmed to ('' = nothing: someone has not committed)}
local function parts(id)
  local ms, seq = string.match(id, '^(%d+)-(%d+)$')
  return tonumber(ms), tonumber(seq)
end
local function before(a, b)
  local aMs, aSeq = parts(a)
  local bMs, bSeq = parts(b)
  return aMs < bMs or (aMs == bMs and aSeq < bSeq)
end

local keep = ARGV[1]
for i = 4, #ARGV do
  local committed = redis.call('HGET', KEYS[2], ARGV[i])
  if not committed then
    keep = ''
    break
  end
  if before(committed, keep) then
    keep = committed
  end
end
local trimmed = 0
if keep ~= '' then
  trimmed = redis.call('XTRIM', KEYS[1], 'MINID', '~', keep, 'LIMIT', ARGV[3])
end
local capped = 0
if ARGV[2] ~= '0' then
  capped = redis.call('XTRIM', KEYS[1], 'MAXLEN', '~', ARGV[2], 'LIMIT', ARGV[3])
end
return { trimmed, capped, keep }
