import type { Redis } from 'ioredis'
import { runInRedis } from '../redis/database.ts'
import type { Counters } from './counters.ts'

// One script, so that no counter is left without an expiry.
const script = `
  local requests = redis.call('INCR', KEYS[1])
  if redis.call('PTTL', KEYS[1]) < 0 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
  return { requests, redis.call('PTTL', KEYS[1]) }`

export function createRedisCounters(redis: Redis, windowMs: number): Counters {
  return {
    add: async (key) => {
      const counted = await runInRedis(redis.eval(script, 1, `vitrine:requests:${key}`, windowMs))
      const [requests = 0, leftMs = 0] = Array.isArray(counted) ? counted.map(Number) : []
      return { requests, leftMs: Math.max(leftMs, 1) }
    },
  }
}
