import { Redis, ReplyError } from 'ioredis'
import { setTimeout } from 'node:timers/promises'
import { toConnectionReason } from '../connection-reason.ts'
import { StoreFailure, toReason } from '../store-failure.ts'

/** A route whose first command fails responds within a second, also after hashing a password. */
const commandMs = 700
const connectMs = 1000
const maxPauseMs = 1000

const options = {
  lazyConnect: true,
  connectTimeout: connectMs,
  // Also set for a closed connection, and keeps the process alive for so long.
  disconnectTimeout: 100,
  commandTimeout: commandMs,
  // A frozen server keeps its connections open.
  socketTimeout: commandMs,
  enableOfflineQueue: false,
  // Their senders were told that they failed.
  autoResendUnfulfilledCommands: false,
  retryStrategy: (attempt: number) => Math.min(2 ** attempt * 25, maxPauseMs),
  // After a failover the name leads to the new primary.
  reconnectOnError: ({ message }: Error) => message.startsWith('READONLY'),
}

/** Reconnects by itself. Without a connection, commands fail at once. */
interface RedisConnection {
  redis: Redis
  /** Unset when Redis could be reached at the start. */
  problem?: string
  close: () => void
}

/**
 * Connects to `redis:`, `rediss:`, `valkey:` or `valkeys:`; the caller closes it. An unreachable
 * server is a `problem`; one that rejects the credentials throws.
 */
export async function openRedis(url: string): Promise<RedisConnection> {
  const redis = new Redis(url.replace(/^valkey/, 'redis'), options)
  let lastError: Error | undefined
  // Without a listener ioredis prints each error.
  redis.on('error', (error: Error) => {
    lastError = error
  })
  const close = () => {
    redis.disconnect()
  }
  try {
    await Promise.race([redis.connect(), giveUp()])
    // For a missing database number ioredis only emits an error, and uses another one.
    if (lastError !== undefined) throw lastError
    return { redis, close }
  } catch (error) {
    const cause = lastError ?? error
    if (!isRefusal(cause)) return { redis, close, problem: toConnectionReason(cause) }
    close()
    throw new Error(`REDIS_URL cannot be used: ${toReason(cause)}`, { cause: error })
  }
}

/** A frozen server accepts the connection and does not respond. */
async function giveUp(): Promise<never> {
  await setTimeout(2 * connectMs, undefined, { ref: false })
  throw new Error('it does not respond')
}

/** https://redis.io/docs/latest/operate/oss_and_stack/management/security/acl/ */
function isRefusal(error: unknown): boolean {
  return error instanceof ReplyError && /^(WRONGPASS|NOAUTH|NOPERM|ERR)\b/.test(toReason(error))
}

/** Throws a {@link StoreFailure} for what the command did not cause. */
export function inRedis<Result>(response: Promise<Result>): Promise<Result> {
  return response.catch((error: unknown) => {
    const reply = error instanceof ReplyError ? toReason(error) : ''
    if (/^(ERR|WRONGTYPE)\b/.test(reply)) throw error
    throw new StoreFailure(reply.startsWith('OOM') ? 'full' : 'unavailable', error)
  })
}
