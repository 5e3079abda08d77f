-- Finds a job that has been given out before: a job of this consumer whose reply was lost, or a job whose lease has run
-- out. Returns its place, its fields, and how often it has been given out.
-- KEYS: jobs. ARGV: group, consumer, length of a lease in milliseconds.
local function with_count(id, fields)
  local pending = redis.call('XPENDING', KEYS[1], ARGV[1], id, id, 1)
  return {id, fields, pending[1] and pending[1][4] or 1}
end
for _, own in ipairs(redis.call('XPENDING', KEYS[1], ARGV[1], '-', '+', 1, ARGV[2])) do
  local entry = redis.call('XRANGE', KEYS[1], own[1], own[1])[1]
  if entry then
    return with_count(own[1], entry[2])
  end
  redis.call('XACK', KEYS[1], ARGV[1], own[1])
end
local cursor = '0-0'
repeat
  local reply = redis.call('XAUTOCLAIM', KEYS[1], ARGV[1], ARGV[2], ARGV[3], cursor, 'COUNT', 1)
  cursor = reply[1]
  local entry = reply[2][1]
  -- Redis 6.2 returns nothing for an entry that somebody has removed by hand.
  if entry and entry[2] then
    return with_count(entry[1], entry[2])
  end
until cursor == '0-0'
return false
