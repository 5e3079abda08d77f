-- Renews the leases of the jobs that still belong to a consumer, and notes its sign of life. A renewal does not count
-- as giving the job out again. KEYS: jobs, seen. ARGV: group, consumer.
local now = redis.call('TIME')[1]
redis.call('HSET', KEYS[2], ARGV[2], now)
if redis.call('HLEN', KEYS[2]) > 1000 then
  -- Removes consumers without a sign of life for an hour.
  local seen = redis.call('HGETALL', KEYS[2])
  for index = 1, #seen, 2 do
    if tonumber(seen[index + 1]) < now - 3600 then
      redis.call('HDEL', KEYS[2], seen[index])
    end
  end
end
for _, own in ipairs(redis.call('XPENDING', KEYS[1], ARGV[1], '-', '+', 100, ARGV[2])) do
  redis.call('XCLAIM', KEYS[1], ARGV[1], ARGV[2], 0, own[1], 'JUSTID')
end
return 1
