import type { Redis } from 'ioredis'
import { findJson } from '../../config/find-json.ts'
import { runInRedis } from '../redis/database.ts'
import { findScope } from '../sandboxes/sandboxes.ts'
import { toReason } from '../store-failure.ts'
import { isSession, type Session, type Sessions } from './sessions.ts'

export function createRedisSessions(redis: Redis): Sessions {
  const find = async (idHash: string) => {
    const text = await runInRedis(redis.get(toKey(idHash)).catch(ignoreOtherType))
    // Another client of Redis can store anything under the key. Without the check, every request with the cookie
    // would fail until the cookie ends.
    const session = findJson(text ?? '')
    return isSession(session) ? session : undefined
  }
  return {
    create: async (idHash, session) => {
      const value = JSON.stringify(session)
      const done = await runInRedis(redis.set(toKey(idHash), value, 'PXAT', toEnd(session), 'NX'))
      if (done === null) throw new Error('the new session id already exists')
    },
    find,
    touch: async (idHash, idleUntil) => {
      const session = await find(idHash)
      if (session === undefined) return
      const touched = { ...session, idleUntil }
      const value = JSON.stringify(touched)
      // XX: a removed session is not created again. No other field of a session ever changes.
      await runInRedis(redis.set(toKey(idHash), value, 'PXAT', toEnd(touched), 'XX'))
    },
    remove: async (idHash) => (await runInRedis(redis.del(toKey(idHash)))) > 0,
    clear: async () => {
      let total = 0
      let cursor = '0'
      do {
        const [next, keys] = await runInRedis(redis.scan(cursor, 'MATCH', toKey('*'), 'COUNT', 500))
        if (keys.length > 0) total += await runInRedis(redis.unlink(keys))
        cursor = next
      } while (cursor !== '0')
      return total
    },
    sweep: async () => undefined,
  }
}

function ignoreOtherType(error: unknown): null {
  if (toReason(error).startsWith('WRONGTYPE')) return null
  throw error
}

/** The pattern of the shared ones matches no session of a sandbox. */
function toKey(idHash: string): string {
  const { sandbox } = findScope() ?? {}
  return sandbox ? `vitrine:sandbox:${sandbox.id}:${idHash}` : `vitrine:session:${idHash}`
}

function toEnd({ expiresAt, idleUntil }: Session): number {
  return Math.min(Date.parse(expiresAt), Date.parse(idleUntil))
}
