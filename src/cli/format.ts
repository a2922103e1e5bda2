import type { Config } from '../config/config.ts'
import type { BackupTotals } from '../stores/sqlite/backup.ts'
import { toDatabasePath } from '../stores/sqlite/database.ts'

export function formatNumber(count: number): string {
  return count.toLocaleString('en')
}

export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`
}

export function formatSums({ records, files, bytes }: BackupTotals): string {
  const counts = `${formatCount(records, 'record')} and ${formatCount(files, 'upload')}`
  return `${counts} (${formatCount(bytes, 'byte')})`
}

/** Throws unless the database is a SQLite file. */
export function parseDatabasePath({ databaseUrl: url }: Config): string {
  if (url.startsWith('postgres'))
    throw new Error('for PostgreSQL, use pg_dump --format=custom --file=FILE "$DATABASE_URL"')
  assertNotInMemory(url)
  return toDatabasePath(url) ?? ''
}

export function assertNotInMemory(url: string): void {
  if (url === 'sqlite::memory:') {
    throw new Error(
      'sqlite::memory: (--fresh) is in the memory of the service, which other processes cannot access: start the service without it',
    )
  }
}
