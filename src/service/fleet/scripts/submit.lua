-- Adds a job to the stream unless it is there, answered or set aside. With an empty text it only returns the state.
-- KEYS: jobs, open, failed, answer. ARGV: name, text, label, greatest length of an answer.
local size = redis.call('STRLEN', KEYS[4])
if size > tonumber(ARGV[4]) then
  return {'oversize'}
end
if size > 0 then
  return {'answer', redis.call('GET', KEYS[4])}
end
local reason = redis.call('HGET', KEYS[3], ARGV[1])
if reason then
  return {'failed', reason}
end
-- An entry that somebody has removed by hand is added again.
local id = redis.call('HGET', KEYS[2], ARGV[1])
if id and #redis.call('XRANGE', KEYS[1], id, id) > 0 then
  return {'open'}
end
if ARGV[2] == '' then
  return {'unknown'}
end
id = redis.call('XADD', KEYS[1], '*', 'name', ARGV[1], 'label', ARGV[3], 'job', ARGV[2])
redis.call('HSET', KEYS[2], ARGV[1], id)
return {'open'}
