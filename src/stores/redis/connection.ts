import { Redis, ReplyError } from 'ioredis'
import { setTimeout } from 'node:timers/promises'
import { toConnectionReason } from '../connection-reason.ts'
import { StoreFailure } from '../store-failure.ts'

/** A route whose first command fails responds within a second, also after hashing a password. */
const commandMs = 700
const connectMs = 1000
const maxPauseMs = 1000

/** Reconnects by itself. Without a connection, commands fail at once. */
export interface RedisConnection {
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
  const redis = new Redis(url.replace(/^valkey/, 'redis'), {
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
    retryStrategy: (attempt) => Math.min(2 ** attempt * 25, maxPauseMs),
    // After a failover the name leads to the new primary.
    reconnectOnError: ({ message }) => message.startsWith('READONLY'),
  })
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
    const reason = lastError ?? (error as Error)
    if (!(reason instanceof ReplyError) || !isRefusal(reason)) {
      return { redis, close, problem: toConnectionReason(reason) }
    }
    close()
    throw new Error(`REDIS_URL cannot be used: ${reason.message}`, { cause: error })
  }
}

/** A frozen server accepts the connection and does not respond. */
async function giveUp(): Promise<never> {
  await setTimeout(2 * connectMs, undefined, { ref: false })
  throw new Error('it does not respond')
}

/** https://redis.io/docs/latest/operate/oss_and_stack/management/security/acl/ */
function isRefusal({ message }: Error): boolean {
  return /^(WRONGPASS|NOAUTH|NOPERM|ERR)\b/.test(message)
}

export async function inRedis<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    throw toStoreFailure(error as Error)
  }
}

function toStoreFailure(error: Error): Error {
  if (!(error instanceof ReplyError)) return new StoreFailure('unavailable', error)
  if (/^(ERR|WRONGTYPE)\b/.test(error.message)) return error
  return new StoreFailure(error.message.startsWith('OOM') ? 'full' : 'unavailable', error)
}
