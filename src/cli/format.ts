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

/** Throws unless the database is a SQLite file; `postgresCommand` does the same for PostgreSQL. */
export function parseDatabasePath({ databaseUrl: url }: Config, postgresCommand: string): string {
  if (url.startsWith('postgres')) throw new Error(`for PostgreSQL, use ${postgresCommand}`)
  assertNotInMemory(url)
  return toDatabasePath(url) ?? ''
}

export function assertNotInMemory(url: string): void {
  if (url === 'sqlite::memory:') {
    throw new Error(
      'sqlite::memory: (--fresh) is in the memory of the service, which other processes cannot access',
    )
  }
}
