-- Sets a job aside because it cannot be done. The reason is kept under the job's name only if a client waits for this
-- entry, so that a forged job cannot set another job aside.
-- KEYS: jobs, open, failed, done, counts. ARGV: group, place, name, reason.
if redis.call('HGET', KEYS[2], ARGV[3]) == ARGV[2] then
  redis.call('HSET', KEYS[3], ARGV[3], ARGV[4])
  redis.call('HDEL', KEYS[2], ARGV[3])
  redis.call('XADD', KEYS[4], 'MAXLEN', '~', 10000, '*', 'name', ARGV[3])
else
  redis.call('HINCRBY', KEYS[5], 'refused', 1)
end
redis.call('XACK', KEYS[1], ARGV[1], ARGV[2])
redis.call('XDEL', KEYS[1], ARGV[2])
return 1
