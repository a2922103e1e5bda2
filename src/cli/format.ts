import type { Config } from '../config/config.ts'
import type { Sums } from '../stores/sqlite/backup.ts'
import { toDatabasePath } from '../stores/sqlite/database.ts'

/** `1 user`, `1,000 users` */
export function toCount(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`
}

export function toErrorText({ records, files, bytes }: Sums): string {
  const known = `${toCount(records, 'record')} and ${toCount(files, 'upload')}`
  return `${known} (${toCount(bytes, 'byte')})`
}

/** The file of the database; throws where there is none. `instead` does the same for PostgreSQL. */
export function parseDatabasePath({ databaseUrl: url }: Config, instead: string): string {
  if (url.startsWith('postgres')) throw new Error(`PostgreSQL has its own for this: ${instead}`)
  assertOnDisk(url)
  return toDatabasePath(url) ?? ''
}

export function assertOnDisk(url: string): void {
  if (url === 'sqlite::memory:') {
    throw new Error('the database is in the memory of the service, which nobody else can reach')
  }
}
