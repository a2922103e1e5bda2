import type { Config } from './config.ts'
import { loadDriver } from './load-driver.ts'
import type { Answers } from './storage/answers/answers.ts'
import { createDatabaseAnswers } from './storage/answers/database.ts'
import { openDiskFiles } from './storage/files/disk.ts'
import type { Files } from './storage/files/files.ts'
import type { Records } from './storage/records/records.ts'
import { createSqliteRecords } from './storage/records/sqlite.ts'
import { createDatabaseSessions } from './storage/sessions/database.ts'
import type { Sessions } from './storage/sessions/sessions.ts'
import { openSqliteDatabase } from './storage/sqlite-database.ts'

/** Everything that outlives a request. */
export interface Backends {
  records: Records
  files: Files
  sessions: Sessions
  answers: Answers
  close: () => Promise<void>
}

/** Told in one line what cannot be reached and may come. */
type Warn = (problem: string) => void

/**
 * Opens what the settings name; the caller closes it. Throws when the records cannot be reached, or
 * when something else that is set refuses us; what may come later is told to `warn`.
 */
export async function openBackends(
  config: Config,
  warn: Warn = () => undefined,
): Promise<Backends> {
  const { files, ...bucket } = await openFiles(config, warn)
  const { records, close } = await openRecords(config)
  const redis = await openRedisSessions(config, warn)
  return {
    records,
    files,
    sessions: redis?.sessions ?? createDatabaseSessions(records),
    answers: createDatabaseAnswers(records),
    close: async () => {
      bucket.close?.()
      redis?.close()
      await close()
    },
  }
}

async function openRecords({
  databaseUrl: url,
  durability,
}: Config): Promise<Pick<Backends, 'records' | 'close'>> {
  if (url.startsWith('postgres')) {
    const { openPostgresRecords } = await loadDriver(
      'DATABASE_URL',
      'pg',
      () => import('./storage/records/postgres.ts'),
    )
    return openPostgresRecords(url)
  }
  const database = openSqliteDatabase(url, durability)
  const records = createSqliteRecords(database)
  const close = async () => {
    await records.settle()
    database.close()
  }
  return { records, close }
}

async function openFiles(
  config: Config,
  warn: Warn,
): Promise<{ files: Files; close?: () => void }> {
  const { filesUrl: url, awsAccessKeyId: accessKeyId, awsSecretAccessKey: secretAccessKey } = config
  // No upload takes as long, and the hour is for what comes after its content.
  const abandonedSeconds = config.requestSeconds + 3600
  if (!url.startsWith('s3:')) return { files: await openDiskFiles(url, abandonedSeconds) }
  const { openS3Files } = await loadDriver(
    'FILES_URL',
    'aws4fetch',
    () => import('./storage/files/s3.ts'),
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

/** Undefined when the sessions are among the records. */
async function openRedisSessions({ redisUrl }: Config, warn: Warn) {
  if (redisUrl === undefined) return undefined
  const [{ openRedis }, { createRedisSessions }] = await loadDriver('REDIS_URL', 'ioredis', () =>
    Promise.all([import('./storage/redis-connection.ts'), import('./storage/sessions/redis.ts')]),
  )
  const { redis, problem, close } = await openRedis(redisUrl)
  if (problem) warn(`REDIS_URL cannot be reached yet, and until then sessions get 503: ${problem}`)
  return { sessions: createRedisSessions({ redis }), close }
}
