import { dirname, resolve } from 'node:path'
import type { Config } from '../config/config.ts'
import { collectionNames } from './collection-names.ts'
import { loadDriver } from './load-driver.ts'
import type { IdempotencyEntries } from './idempotency/idempotency-entries.ts'
import { createDatabaseIdempotencyEntries } from './idempotency/database.ts'
import { openDiskFiles } from './files/disk.ts'
import type { CountingPlaces } from './counters/counters.ts'
import type { createRedisCounters } from './counters/redis.ts'
import type { Files } from './files/files.ts'
import type { Records } from './records/records.ts'
import { createSqliteRecords } from './records/sqlite/records.ts'
import { createDatabaseSessions } from './sessions/database.ts'
import type { Sessions } from './sessions/sessions.ts'
import { findWideModes } from './file-modes.ts'
import { openSqliteDatabase, toDatabasePath } from './sqlite/database.ts'

export interface Stores {
  records: Records
  files: Files
  sessions: Sessions
  idempotencyEntries: IdempotencyEntries
  /** Unset where no requests are counted. */
  counters?: CountingPlaces
  close: () => Promise<void>
}

type Warn = (problem: string) => void

/**
 * Opens the stores of the settings; the caller closes them. Throws when the records cannot be
 * reached or a store rejects the credentials; passes a problem that may be temporary to `warn`.
 */
export async function openStores(config: Config, warn: Warn = () => undefined): Promise<Stores> {
  const { files, ...bucket } = await openFiles(config, warn)
  const { records, close } = await openRecords(config)
  const redis = await openRedisSessions(config, warn)
  const counters = await openCounters(config, redis)
  return {
    records,
    files,
    sessions:
      redis?.sessions ?? createDatabaseSessions(records.collection(collectionNames.sessions)),
    idempotencyEntries: createDatabaseIdempotencyEntries(
      records.collection(collectionNames.idempotencyEntries),
    ),
    ...(counters && { counters }),
    close: async () => {
      bucket.close?.()
      redis?.close()
      await close()
    },
  }
}

/** A line for each local file and folder of the stores that other users may open. */
export function findOpenToOthers({ filesUrl, databaseUrl }: Config): string[] {
  const folder = filesUrl.startsWith('file:') ? [filesUrl.slice('file:'.length)] : []
  const database = databaseUrl.startsWith('sqlite:') ? toDatabasePath(databaseUrl) : undefined
  if (database === undefined) return findWideModes(folder)
  const beside = dirname(database)
  // The working directory contains more than the data of Vitrine.
  const own = resolve(beside) === process.cwd() ? [] : [beside]
  return findWideModes([...folder, ...own, database, `${database}-wal`, `${database}-shm`])
}

export async function openRecords({
  databaseUrl: url,
  durability,
  maxRecords,
  maxDatabaseBytes,
}: Config): Promise<Pick<Stores, 'records' | 'close'>> {
  if (url.startsWith('postgres')) {
    const { openPostgresRecords } = await loadDriver(
      'DATABASE_URL',
      'pg',
      () => import('./records/postgres/records.ts'),
    )
    return openPostgresRecords(url, maxRecords)
  }
  const database = openSqliteDatabase(url, durability, maxDatabaseBytes)
  const records = createSqliteRecords(database, maxRecords)
  const close = async () => {
    await records.settle()
    database.close()
  }
  return { records, close }
}

export async function openFiles(
  config: Config,
  warn: Warn = () => undefined,
): Promise<{ files: Files; close?: () => void }> {
  const { filesUrl: url, awsAccessKeyId: accessKeyId, awsSecretAccessKey: secretAccessKey } = config
  // No upload takes longer; the hour is for the steps after its content.
  const abandonedSeconds = config.requestSeconds + 3600
  if (!url.startsWith('s3:')) return { files: await openDiskFiles(url, abandonedSeconds) }
  const { openS3Files } = await loadDriver(
    'FILES_URL',
    'aws4fetch',
    () => import('./files/s3/s3.ts'),
  )
  const { files, problem, close } = await openS3Files({
    url,
    accessKeyId,
    secretAccessKey,
    maxBytes: config.maxUploadBytes,
    abandonedSeconds,
  })
  if (problem) warn(`FILES_URL cannot be reached yet, and until then uploads get 503: ${problem}`)
  return { files, close }
}

async function openRedisSessions({ redisUrl }: Config, warn: Warn) {
  if (redisUrl === undefined) return undefined
  const [{ openRedis }, { createRedisSessions }] = await loadDriver('REDIS_URL', 'ioredis', () =>
    Promise.all([import('./redis/connection.ts'), import('./sessions/redis.ts')]),
  )
  const { redis, problem, close } = await openRedis(redisUrl)
  if (problem) warn(`REDIS_URL cannot be reached yet, and until then sessions get 503: ${problem}`)
  return { redis, sessions: createRedisSessions({ redis }), close }
}

async function openCounters(
  { rateLimit, loginRateLimit }: Config,
  connection: Parameters<typeof createRedisCounters>[0] | undefined,
): Promise<CountingPlaces | undefined> {
  if (rateLimit === undefined && loginRateLimit === undefined) return undefined
  const [{ windowSeconds }, { createMemoryCounters }] = await Promise.all([
    import('./counters/counters.ts'),
    import('./counters/memory.ts'),
  ])
  const windowMs = windowSeconds * 1000
  const own = createMemoryCounters(windowMs)
  if (connection === undefined) return { own }
  const { createRedisCounters } = await import('./counters/redis.ts')
  return { own, shared: createRedisCounters(connection, windowMs) }
}
