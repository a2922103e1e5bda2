import { accessSync, constants, statfsSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { makeFile } from '../made.ts'
import { hasCode } from '../../config/has-code.ts'
import { failToOpen, limitReached, StoreFailure, toReason } from '../store-failure.ts'
import { isOutdated, migrate } from './migrations.ts'
import { delay, performance } from '../../timers.ts'

/** With `none`, SQLite never waits for the disk: for a file that its process removes at the end. */
export type Durability = 'none' | 'process' | 'full'

const synchronous = { none: 'OFF', process: 'NORMAL', full: 'FULL' }

const maxBusyMs = 1500
/** On a slow disk, processes that create one file at once need more than a second. */
const maxOpenMs = 5000

export function openSqliteDatabase(
  url: string,
  durability: Durability = 'process',
  maxBytes?: number,
): DatabaseSync {
  let database: DatabaseSync | undefined
  const path = toDatabasePath(url)
  try {
    if (path !== undefined) makeFile(path)
    database = new DatabaseSync(path ?? ':memory:')
    configure(database, durability)
    if (maxBytes !== undefined) {
      // SQLite raises the limit to the size of a larger file, so that it can be opened.
      const pageBytes = Number(database.prepare('PRAGMA page_size').get()?.page_size)
      database.exec(`PRAGMA max_page_count = ${String(Math.floor(maxBytes / pageBytes))}`)
    }
    return database
  } catch (error) {
    database?.close()
    const locked = path === undefined ? undefined : findLockedFile(path)
    if (locked === undefined) return failToOpen(url, error)
    return failToOpen(
      url,
      `this user cannot read and write the file ${locked}. Change its owner or its mode`,
    )
  }
}

/** SQLite does not say which of its files it cannot open. */
function findLockedFile(path: string): string | undefined {
  const isLocked = (file: string) => {
    try {
      accessSync(file, constants.R_OK | constants.W_OK)
      return false
    } catch (error) {
      return hasCode(error, 'EACCES', 'EPERM')
    }
  }
  return [path, `${path}-wal`, `${path}-shm`].find(isLocked)
}

/** SQLite itself does not wait for each lock of a process that is creating the file too, or closing it. */
function configure(database: DatabaseSync, durability: Durability): void {
  const giveUpAt = performance.now() + maxOpenMs
  for (;;) {
    try {
      migrateWithLog(database, durability)
      return
    } catch (error) {
      if (!isBusy(error) || performance.now() > giveUpAt) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)
    }
  }
}

function migrateWithLog(database: DatabaseSync, durability: Durability): void {
  database.exec(`PRAGMA synchronous = ${synchronous[durability]}; PRAGMA journal_mode = WAL`)
  // The log is copied into the file at 16 MiB instead of 4: a quarter as often.
  database.exec(
    `PRAGMA busy_timeout = ${String(isOutdated(database) ? 60_000 : 1000)};
     PRAGMA wal_autocheckpoint = 4000`,
  )
  transact(database, () => {
    migrate(database)
  })
  database.exec('PRAGMA busy_timeout = 0')
}

/**
 * Returns a function that throws if the file, or its log, is no longer where it was opened: on Linux and
 * macOS, SQLite would continue to write into a removed file. A call takes a few microseconds.
 */
export function watchPlace(database: DatabaseSync): () => void {
  const path = database.location()
  if (path === null) return () => undefined
  const find = (file: string) => {
    const stats = statSync(file, { bigint: true, throwIfNoEntry: false })
    return stats && `${String(stats.dev)} ${String(stats.ino)}`
  }
  const opened = [path, `${path}-wal`].flatMap((file) => {
    const found = find(file)
    return found === undefined ? [] : [{ file, found }]
  })
  return () => {
    const moved = opened.find(({ file, found }) => find(file) !== found)
    if (!moved) return
    const problem = `${moved.file} was removed or replaced while the service runs: put it back, or restart`
    throw new StoreFailure('unavailable', problem)
  }
}

/** Other processes can still write. */
export function setReadOnly(database: DatabaseSync, isReadOnly: boolean): void {
  database.exec(`PRAGMA query_only = ${isReadOnly ? 'ON' : 'OFF'}`)
}

export function toDatabasePath(url: string): string | undefined {
  const path = url.slice('sqlite:'.length)
  return path === ':memory:' ? undefined : path
}

/** Waiting in SQLite while another process has locked the database would block this one. */
export async function retryBusy<Result>(run: () => Result, askedAt = performance.now()) {
  const giveUpAt = askedAt + maxBusyMs
  for (let waitMs = 1; ; waitMs = Math.min(waitMs * 2, 50)) {
    try {
      return run()
    } catch (error) {
      if (!isBusy(error) || performance.now() > giveUpAt) throw toStoreFailure(error)
      await delay(waitMs)
    }
  }
}

export function tryNowOrRetry<Result>(run: () => Result): Result | Promise<Result> {
  try {
    return run()
  } catch (error) {
    if (!isBusy(error)) throw toStoreFailure(error)
    return retryBusy(run)
  }
}

// https://sqlite.org/rescode.html: locked, read-only, I/O error, corrupt, cannot open, no database.
const unavailable = [5, 6, 8, 10, 11, 14, 26]
const full = 13

export function toStoreFailure(error: unknown): unknown {
  const code = toResultCode(error)
  if (code === full) return new StoreFailure('full', error)
  if (unavailable.includes(code) || isDamage(error)) return new StoreFailure('unavailable', error)
  return error
}

/** Whether it is an error of SQLite, of a write, or of `openSqliteDatabase`, which needs 32 KiB for the `-shm` file. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return [error, error.cause].some((one) => [full, 10].includes(toResultCode(one)))
}

/** With less free space, a write can fail because the disk is full. */
const maxWriteBytes = 16 * 1024 ** 2

/** SQLite reports a full disk for its maximum size too. */
export function explainFull(database: DatabaseSync, error: unknown): unknown {
  if (!(error instanceof StoreFailure) || toResultCode(error.cause) !== full) return error
  const maxPages = Number(database.prepare('PRAGMA max_page_count').get()?.max_page_count)
  const path = database.location()
  const { bavail, bsize } = statfsSync(path ?? '.')
  const isDiskFull = path !== null && bavail * bsize < maxWriteBytes
  // Its default, which is higher in later versions.
  if (maxPages >= 2 ** 30 - 1 || isDiskFull) return error
  const sentence = 'The database has the maximum size, MAX_DATABASE_BYTES of this service.'
  return limitReached(sentence, error.cause)
}

export function readPragma(database: DatabaseSync, name: string): string {
  return String(Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0])
}

export function isDamage(error: unknown): boolean {
  return toResultCode(error) === 11 || toReason(error) === 'malformed JSON'
}

export function isLocked(error: unknown): boolean {
  return error instanceof StoreFailure && isBusy(error.cause)
}

export const isBusy = (error: unknown): boolean => toResultCode(error) === 5

function toResultCode(error: unknown): number {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : 0
}

export function transact<Result>(database: DatabaseSync, run: () => Result): Result {
  database.exec('BEGIN IMMEDIATE')
  try {
    const result = run()
    database.exec('COMMIT')
    return result
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
}
