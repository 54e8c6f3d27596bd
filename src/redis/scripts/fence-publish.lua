-- Appends a batch to a fenced stream: all of it, once, and only for the writer the fence names (FENCE-10 to FENCE-16).
-- Input:  KEYS fence, ticks
--         ARGV term, epoch, seq (of the writer's last entry), count, source cursor,
--              then for each entry: channel ('' = not announced), message, number of field arguments, those arguments
-- Output: {'ok', seq, ingest ms} | {'already', seq} | {'behind', seq} | {'stale', the fence's term} | {'uninstalled'}
--         | {'foreign', what Redis answered}
local fence = redis.call('HMGET', KEYS[1], 'term', 'epoch', 'seq', 'ingestTime')
local term, epoch, seq = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
if not fence[1] or tonumber(fence[1]) < term then
  return { 'uninstalled' }
end
if tonumber(fence[1]) > term then
  return { 'stale', fence[1] }
end
if tonumber(fence[2]) ~= epoch then
  return { 'uninstalled' }
end
local count = tonumber(ARGV[4])
local fenceSeq = tonumber(fence[3])
if fenceSeq >= seq + count then
  return { 'already', fence[3] }
end
if fenceSeq ~= seq then
  return { 'behind', fence[3] }
end

local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
local ingest = string.format('%.0f', math.max(nowMs, tonumber(fence[4])))
local at = 6
for i = 1, count do
  local first = at + 3
  local last = at + 2 + tonumber(ARGV[at + 2])
  local id = ARGV[2] .. '-' .. string.format('%.0f', seq + i)
  local added = redis.pcall('XADD', KEYS[2], 'NOMKSTREAM', id, 'i', ingest, unpack(ARGV, first, last))
  -- Only the first append can fail: within this step nobody else writes.
  if not added then
    return { 'foreign', 'the stream is gone' }
  end
  if type(added) == 'table' and added.err then
    return { 'foreign', added.err }
  end
  if ARGV[at] ~= '' then
    redis.call('PUBLISH', ARGV[at], id .. ' ' .. ARGV[at + 1])
  end
  at = last + 1
end
local top = string.format('%.0f', seq + count)
redis.call('HSET', KEYS[1], 'seq', top, 'ingestTime', ingest, 'sourceCursor', ARGV[5])
return { 'ok', top, ingest }
