-- Raises the fence of a shard and opens an epoch with its barrier (FENCE-8, FENCE-9).
-- Input:  KEYS fence, ticks
--         ARGV term, token
-- Output: {'installed', epoch, seq, prev, source cursor or false} or {'refused', the fence's term}
local fence = redis.call('HMGET', KEYS[1], 'term', 'token', 'epoch', 'seq', 'ingestTime', 'sourceCursor', 'prev')
local term = tonumber(ARGV[1])
local fenceTerm = tonumber(fence[1] or '-1')
if fenceTerm == term and fence[2] == ARGV[2] then
  return { 'installed', fence[3], fence[4], fence[7], fence[6] }
end
if fenceTerm >= term then
  return { 'refused', fence[1] }
end

local topMs = 0
if redis.call('EXISTS', KEYS[2]) == 1 then
  local info = redis.call('XINFO', 'STREAM', KEYS[2])
  for i = 1, #info, 2 do
    if info[i] == 'last-generated-id' then
      topMs = tonumber(string.match(info[i + 1], '^(%d+)'))
    end
  end
end
local epoch = string.format('%.0f', math.max(term, tonumber(fence[3] or '-1') + 1, topMs + 1))
local prev = 'none'
if fence[1] then
  prev = fence[3] .. '-' .. fence[4]
end
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
local ingest = string.format('%.0f', math.max(nowMs, tonumber(fence[5] or '0')))

redis.call('XADD', KEYS[2], epoch .. '-0', 'k', 'b', 'i', ingest, 'prev', prev, 'term', ARGV[1])
redis.call('HSET', KEYS[1], 'term', ARGV[1], 'token', ARGV[2], 'epoch', epoch, 'seq', '0', 'ingestTime', ingest, 'prev', prev)
return { 'installed', epoch, '0', prev, fence[6] }
