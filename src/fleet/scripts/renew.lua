-- Renews the leases of a consumer: of what is still its own, and without counting as given out once more.
-- KEYS: jobs. ARGV: group, consumer.
for _, own in ipairs(redis.call('XPENDING', KEYS[1], ARGV[1], '-', '+', 100, ARGV[2])) do
  redis.call('XCLAIM', KEYS[1], ARGV[1], ARGV[2], 0, own[1], 'JUSTID')
end
return 1
