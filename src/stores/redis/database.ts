import { Redis, ReplyError } from 'ioredis'
import { toConnectionReason } from '../connection-reason.ts'
import { StoreFailure, toReason } from '../store-failure.ts'
import { delay } from '../../timers.ts'

/** A route whose first command fails responds within a second, also after hashing a password. */
const commandMs = 700
const connectMs = 1000
const maxPauseMs = 1000

const redisOptions = {
  lazyConnect: true,
  connectTimeout: connectMs,
  disconnectTimeout: 100,
  commandTimeout: commandMs,
  socketTimeout: commandMs,
  enableOfflineQueue: false,
  // These commands were already reported as failed.
  autoResendUnfulfilledCommands: false,
  retryStrategy: (attempt: number) => Math.min(2 ** attempt * 25, maxPauseMs),
  // After a failover the name leads to the new primary.
  reconnectOnError: ({ message }: Error) => message.startsWith('READONLY'),
}

export type Warn = (problem: string) => void

export async function openRedisDatabase(url: string, warn: Warn = () => undefined) {
  const redis = new Redis(url.replace(/^valkey/, 'redis'), redisOptions)
  const close = redis.disconnect.bind(redis, false)
  let lastError: Error | undefined
  redis.on('error', (error: Error) => {
    lastError = error
  })
  try {
    await Promise.race([redis.connect(), giveUp()])
    // If the database number does not exist, ioredis only emits an error, and uses another one.
    if (lastError !== undefined) throw lastError
    warnOfLosses(redis, false, warn)
    return { redis, close }
  } catch (error) {
    const cause = lastError ?? error
    if (!isRejected(cause)) {
      warn(`${unavailable}: ${toConnectionReason(cause)}`)
      warnOfLosses(redis, true, warn)
      return { redis, close }
    }
    close()
    const reason = toReason(cause)
    const problem = reason.startsWith('NOAUTH') ? 'Redis requires a password (NOAUTH)' : reason
    throw new Error(`REDIS_URL cannot be used: ${problem}`, { cause: error })
  }
}

const sessionsUnavailable = 'The session storage (Redis) is temporarily unavailable.'

const unavailable =
  'Redis is unavailable, so that sessions get 503 and rate limits are counted per process'

function warnOfLosses(redis: Redis, isLost: boolean, warn: Warn): void {
  let reason: string | undefined
  redis
    .on('error', (error: Error) => (reason = toConnectionReason(error)))
    .on('reconnecting', () => {
      if (!isLost) warn(`${unavailable}: ${reason ?? 'it closed the connection'}`)
      isLost = true
    })
    .on('ready', () => {
      if (isLost) warn('Redis is available again')
      isLost = false
      reason = undefined
    })
}

async function giveUp(): Promise<never> {
  await delay(2 * connectMs, undefined, { ref: false })
  throw new Error('it does not respond')
}

function isRejected(error: unknown): boolean {
  return error instanceof ReplyError && /^(WRONGPASS|NOAUTH|NOPERM|ERR)\b/.test(toReason(error))
}

export function runInRedis<Result>(response: Promise<Result>): Promise<Result> {
  return response.catch((error: unknown) => {
    const isFull = error instanceof ReplyError && toReason(error).startsWith('OOM')
    // A reply error has the command, whose arguments must not be logged.
    // ioredis describes its queue.
    const cause = toReason(error).startsWith('Stream isn') ? 'Redis is not connected' : error
    throw new StoreFailure(
      isFull ? 'full' : 'unavailable',
      cause,
      isFull ? undefined : sessionsUnavailable,
    )
  })
}
