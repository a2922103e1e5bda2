import { Redis, ReplyError } from 'ioredis'
import { setTimeout } from 'node:timers/promises'
import { StoreFailure } from '../store-failure.ts'

/** So that a route whose first command fails says so within a second, with a password hashed before. */
const commandMs = 700
const connectMs = 1000
const maxPauseMs = 1000

/**
 * A connection that comes back by itself. While there is none, commands fail at once; where no
 * answer comes in time, it is given up and made anew.
 */
export interface RedisConnection {
  redis: Redis
  /** Unset when Redis could be reached at the start. */
  problem?: string
  close: () => void
}

/**
 * Connects to `redis:`, `rediss:`, `valkey:` or `valkeys:`; the caller closes it. A server that
 * cannot be reached is a `problem`; one that refuses us, for a wrong password, throws.
 */
export async function openRedis(url: string): Promise<RedisConnection> {
  const redis = new Redis(url.replace(/^valkey/, 'redis'), {
    lazyConnect: true,
    connectTimeout: connectMs,
    // Armed too for a connection that is closed already, and keeps the process so long.
    disconnectTimeout: 100,
    commandTimeout: commandMs,
    // A server that is frozen, or gone without a word, keeps its connections open.
    socketTimeout: commandMs,
    enableOfflineQueue: false,
    // Whoever has sent it was told that it failed.
    autoResendUnfulfilledCommands: false,
    retryStrategy: (attempt) => Math.min(2 ** attempt * 25, maxPauseMs),
    // After a failover the name leads to the new primary.
    reconnectOnError: ({ message }) => message.startsWith('READONLY'),
  })
  let lastError: Error | undefined
  // Without a listener each of these would be printed. A request that fails says it in the log.
  redis.on('error', (error: Error) => {
    lastError = error
  })
  const close = () => {
    redis.disconnect()
  }
  try {
    await Promise.race([redis.connect(), giveUp()])
    // A database that is not there is no more than told, and another one used.
    if (lastError !== undefined) throw lastError
    return { redis, close }
  } catch (error) {
    const reason = lastError ?? (error as Error)
    if (!(reason instanceof ReplyError) || !isRefusal(reason)) {
      return { redis, close, problem: toErrorText(reason) }
    }
    close()
    throw new Error(`REDIS_URL cannot be used: ${reason.message}`, { cause: error })
  }
}

/** A frozen server takes the connection and says nothing. */
async function giveUp(): Promise<never> {
  await setTimeout(2 * connectMs, undefined, { ref: false })
  throw new Error('it does not answer')
}

/** ioredis gives the errors of all addresses of a name as one, without a text. */
function toErrorText(error: Error & { code?: string }): string {
  return error.message || (error.code ?? error.name)
}

/** https://redis.io/docs/latest/operate/oss_and_stack/management/security/acl/ */
function isRefusal({ message }: Error): boolean {
  return /^(WRONGPASS|NOAUTH|NOPERM|ERR)\b/.test(message)
}

/** Runs commands; throws a {@link StoreFailure} for what is not their fault. */
export async function inRedis<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    throw toStoreFailure(error as Error)
  }
}

/** All but what a command of ours did wrong: no connection, no answer, loading, failing over, … */
function toStoreFailure(error: Error): Error {
  if (!(error instanceof ReplyError)) return new StoreFailure('unavailable', error)
  if (/^(ERR|WRONGTYPE)\b/.test(error.message)) return error
  return new StoreFailure(error.message.startsWith('OOM') ? 'full' : 'unavailable', error)
}
