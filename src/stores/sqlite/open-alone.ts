import { rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { failToOpen } from '../store-failure.ts'
import { makeFile } from '../made.ts'
import { isBusy } from './database.ts'
import { readSchemaVersion } from './migrations.ts'

/** Throws if another process has opened the database. */
export function openAlone(path: string): DatabaseSync {
  makeFile(path)
  const database = new DatabaseSync(path, { timeout: 1000 })
  try {
    // Every connection to a database with a log holds a lock, and this mode is exclusive.
    database.exec('PRAGMA main.locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL')
    database.exec('BEGIN EXCLUSIVE; COMMIT')
    readSchemaVersion(database)
    return database
  } catch (error) {
    database.close()
    if (!isBusy(error)) failToOpen(path, error)
    throw new Error(`${path} is in use: stop the service first`, { cause: error })
  }
}

/** The log is removed first: without its database, it could become that of the next one. */
export function removeDatabaseFiles(path: string): void {
  for (const end of ['-wal', '-shm', '']) rmSync(`${path}${end}`, { force: true })
}

export function isInUse(path: string): boolean {
  try {
    openAlone(path).close()
    return false
  } catch (error) {
    return error instanceof Error && isBusy(error.cause)
  }
}
