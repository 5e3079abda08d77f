-- Gives back the jobs of a consumer. Another consumer can take them at once, and this time does not count as given out.
-- KEYS: jobs, seen. ARGV: group, consumer, the consumer that keeps jobs that were given back.
redis.call('HDEL', KEYS[2], ARGV[2])
for _, own in ipairs(redis.call('XPENDING', KEYS[1], ARGV[1], '-', '+', 1000, ARGV[2])) do
  local count = math.max(own[4] - 1, 0)
  redis.call('XCLAIM', KEYS[1], ARGV[1], ARGV[3], 0, own[1], 'IDLE', 1000000000000, 'RETRYCOUNT', count, 'JUSTID')
end
if #redis.call('XPENDING', KEYS[1], ARGV[1], '-', '+', 1, ARGV[2]) == 0 then
  redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], ARGV[2])
end
return 1
