-- Stores an answer if there is none, and removes the job. Without a text it only removes a job that has been answered.
-- KEYS: jobs, open, answer, done, counts. ARGV: group, place, name, text.
if ARGV[4] ~= '' then
  -- The first write: what the server refuses for want of room, it refuses here, and nothing has changed.
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
