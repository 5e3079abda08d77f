-- Removes an answer that is not valid.
-- KEYS: answer. ARGV: the answer, greatest length of an answer.
if redis.call('STRLEN', KEYS[1]) > tonumber(ARGV[2]) or redis.call('GET', KEYS[1]) == ARGV[1] then
  redis.call('DEL', KEYS[1])
end
return 1
