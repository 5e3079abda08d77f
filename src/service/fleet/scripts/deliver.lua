-- Stores an answer if there is none, and removes the job. With an empty text it only removes an answered job.
-- KEYS: jobs, open, answer, done, counts. ARGV: group, place, name, text.
if ARGV[4] ~= '' then
  -- This is the first write. A full server refuses it here, before anything has changed.
  local is_new = redis.call('SET', KEYS[3], ARGV[4], 'NX')
  redis.call('HINCRBY', KEYS[5], 'searched', 1)
  if is_new then
    redis.call('HINCRBY', KEYS[5], 'answered', 1)
  end
end
if redis.call('HGET', KEYS[2], ARGV[3]) == ARGV[2] then
  redis.call('HDEL', KEYS[2], ARGV[3])
end
redis.call('XACK', KEYS[1], ARGV[1], ARGV[2])
redis.call('XDEL', KEYS[1], ARGV[2])
redis.call('XADD', KEYS[4], 'MAXLEN', '~', 10000, '*', 'name', ARGV[3])
return 1
