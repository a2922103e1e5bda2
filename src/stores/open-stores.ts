import { dirname, resolve } from 'node:path'
import { createSqliteArchive } from './archive/sqlite.ts'
import { findFreshFolder, type Config } from '../config/config.ts'
import { collectionNames, toKind } from './collection-names.ts'
import { windowSeconds, type CounterSet } from './counters/counters.ts'
import { createMemoryCounters } from './counters/memory.ts'
import { findWideModes } from './file-modes.ts'
import { openDiskFiles } from './files/disk.ts'
import type { Files } from './files/files.ts'
import { createIdempotencyEntries, type IdempotencyEntries } from './idempotency/idempotency.ts'
import type { Records } from './records/records.ts'
import type { PlacedRecords } from './sandboxes/lifecycle.ts'
import { openSandboxes } from './sandboxes/open-sandboxes.ts'
import type { Sandboxes } from './sandboxes/sandboxes.ts'
import type { OpenReplicas } from './replicas/replicas.ts'
import { createSqliteRecords } from './records/sqlite/records.ts'
import { createDatabaseSessions } from './sessions/database.ts'
import type { Sessions } from './sessions/sessions.ts'
import { createStates, type States } from './states/states.ts'
import { removeDatabaseFiles } from './sqlite/open-alone.ts'
import type { Warn } from './redis/database.ts'
import { openSqliteDatabase, setReadOnly, toDatabasePath } from './sqlite/database.ts'

export interface Stores {
  records: Records
  files: Files
  sandboxes: Sandboxes
  /** For what requests of every sandbox use, such as bins. */
  shared: { records: Records; files: Files; states: States }
  sessions: Sessions
  idempotencyEntries: IdempotencyEntries
  states: States
  counters: CounterSet | undefined
  openReplicas: OpenReplicas | undefined
  checks: Record<'database', () => unknown> & Record<string, () => unknown>
  /** The kinds are in plain words. */
  countRecords: () => Promise<(readonly [kind: string, count: number])[]>
  /** Empty without limits that need them. Clients are those of the last minute that this process counts itself. */
  measure: (fileCollections: readonly string[]) => Promise<[used: string, amount: number][]>
  setReadOnly?: ((isReadOnly: boolean) => void) | undefined
  close: () => Promise<void>
}

/** Passes a problem that may be temporary to `warn`; throws for others. */
export async function openStores(config: Config, warn: Warn = () => undefined): Promise<Stores> {
  const opened = await openFiles(config, warn)
  const { records: base, assertInPlace, setReadOnly, close } = await openRecords(config)
  const scoped = openSandboxes({ records: base, files: opened.files }, config)
  const { records, files, sandboxes } = scoped
  if (config.sandboxes !== 'off') await scoped.index()
  const redis = await openRedisStores(config, warn)
  const savedSessions = records.collection(collectionNames.sessions)
  const savedEntries = records.collection(collectionNames.idempotencyEntries)
  const own = createMemoryCounters(windowSeconds * 1000)
  let closing: Promise<void> | undefined
  const closeAll = async () => {
    opened.close()
    redis?.close()
    await close()
  }
  const isCounting = config.rateLimit !== undefined || config.loginRateLimit !== undefined
  return {
    records,
    files,
    sandboxes,
    shared: {
      records: base,
      files: opened.files,
      states: createStates(base.collection(collectionNames.states)),
    },
    sessions: redis?.sessions ?? createDatabaseSessions(savedSessions),
    idempotencyEntries: createIdempotencyEntries(savedEntries),
    states: createStates(records.collection(collectionNames.states)),
    counters: isCounting ? { own, shared: redis?.counters } : undefined,
    openReplicas: redis?.openReplicas,
    checks: {
      // This record does not exist, so that no cache can respond.
      database: () => {
        assertInPlace?.()
        return records.collection('health').find('ready')
      },
      files: files.check,
      ...(redis && { redis: redis.ping }),
    },
    countRecords: async () =>
      (await records.counts()).map(([name, count]) => [toKind(name), count] as const),
    measure: async (fileCollections) => {
      const sizes = config.maxFilesBytes ? fileCollections.map(records.measureFiles) : []
      const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
      return [
        ['database_bytes', await records.measureDatabase()],
        ...(config.maxFilesBytes ? [['files_bytes', bytes] as [string, number]] : []),
        ...(config.rateLimit ? [['clients', own.count('default ')] as [string, number]] : []),
      ]
    },
    setReadOnly,
    close: () => (closing ??= closeAll()),
  }
}

export function findOpenToOthers({ filesUrl, databaseUrl }: Config): string[] {
  const folder = filesUrl.startsWith('file:') ? [filesUrl.slice('file:'.length)] : []
  const database = databaseUrl.startsWith('sqlite:') ? toDatabasePath(databaseUrl) : undefined
  if (database === undefined) return findWideModes(folder)
  const beside = dirname(database)
  // The working directory contains more than the data of Vitrine.
  const own = resolve(beside) === process.cwd() ? [] : [beside]
  return findWideModes([...folder, ...own, database, `${database}-wal`, `${database}-shm`])
}

export async function openRecords(
  config: Config,
): Promise<
  Pick<Stores, 'setReadOnly' | 'close'> & { records: PlacedRecords; assertInPlace?: () => void }
> {
  const { databaseUrl: url, durability, maxDatabaseBytes } = config
  if (url.startsWith('postgres')) {
    const { openPostgresRecords } = await import('./records/postgres/records.ts')
    return openPostgresRecords(url, config)
  }
  const isFresh = findFreshFolder(url) !== undefined
  const database = openSqliteDatabase(url, isFresh ? 'none' : durability, maxDatabaseBytes)
  const records = createSqliteRecords(database, config)
  const close = async () => {
    await records.settle()
    await records.close()
    database.close()
    if (isFresh) removeDatabaseFiles(toDatabasePath(url) ?? '')
  }
  const { assertInPlace } = records
  return { records, assertInPlace, setReadOnly: setReadOnly.bind(undefined, database), close }
}

export async function toArchivable(
  { databaseUrl: url }: Config,
  fileCollections: readonly string[],
) {
  if (url.startsWith('postgres')) {
    const { createPostgresArchive } = await import('./archive/postgres.ts')
    return createPostgresArchive(url, fileCollections)
  }
  return createSqliteArchive(toDatabasePath(url) ?? '', fileCollections)
}

export async function openFiles(config: Config, warn: Warn = () => undefined) {
  // No upload takes longer; the hour is for the steps after its content.
  const abandonedSeconds = config.requestSeconds + 3600
  if (!config.filesUrl.startsWith('s3:'))
    return { files: await openDiskFiles(config.filesUrl, abandonedSeconds), close: () => undefined }
  const { openS3Files } = await import('./files/s3/files.ts')
  const { problem, ...opened } = await openS3Files({ ...config, abandonedSeconds })
  if (problem) warn(`FILES_URL cannot be reached, so uploads get 503 for now: ${problem}`)
  return opened
}

async function openRedisStores({ redisUrl }: Config, warn: Warn) {
  if (redisUrl === undefined) return undefined
  const [{ openRedisDatabase }, sessions, counters, replicas] = await Promise.all([
    import('./redis/database.ts'),
    import('./sessions/redis.ts'),
    import('./counters/redis.ts'),
    import('./replicas/redis.ts'),
  ])
  const { redis, close } = await openRedisDatabase(redisUrl, warn)
  return {
    sessions: sessions.createRedisSessions(redis),
    counters: counters.createRedisCounters(redis, windowSeconds * 1000),
    openReplicas: replicas.createOpenReplicas(redis),
    ping: () => redis.ping(),
    close,
  }
}
