import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import { StoreFailure } from '../store-failure.ts'
import { createPrivately, folderMode } from '../file-modes.ts'

/** Each brings the schema from its index to the next version; `user_version` counts them. */
const migrations = [
  `CREATE TABLE records (
     resource TEXT NOT NULL,
     id TEXT NOT NULL,
     document TEXT NOT NULL,
     version INTEGER NOT NULL,
     created_at TEXT NOT NULL,
     updated_at TEXT NOT NULL,
     PRIMARY KEY (resource, id)
   ) STRICT;
   CREATE INDEX records_oldest_first ON records (resource, created_at, id);`,
  `CREATE INDEX records_by_name ON records (resource, document ->> '$.name', created_at);`,
  // Counting a million records takes too long to be done for every page of a list.
  `CREATE TABLE record_counts (resource TEXT PRIMARY KEY, count INTEGER NOT NULL) STRICT;
   INSERT INTO record_counts SELECT resource, count(*) FROM records GROUP BY resource;
   CREATE TRIGGER count_created AFTER INSERT ON records BEGIN
     INSERT OR IGNORE INTO record_counts VALUES (new.resource, 0);
     UPDATE record_counts SET count = count + 1 WHERE resource = new.resource;
   END;
   CREATE TRIGGER count_removed AFTER DELETE ON records BEGIN
     UPDATE record_counts SET count = count - 1 WHERE resource = old.resource;
   END;`,
  // Whoever writes keeps the counts: see sqlite-commits.ts. Names are found by a resource's own index.
  `DROP TRIGGER count_created;
   DROP TRIGGER count_removed;
   DROP INDEX records_by_name;`,
]

/** What a write survives once it is answered: the end of the process, or that of the machine too. */
export type Durability = 'process' | 'full'

/** How long a statement waits while another process has the database: a response takes two seconds at most. */
const maxBusyMs = 1500

/**
 * Opens the database of `sqlite:path` or `sqlite::memory:`, creating file and folder, and brings
 * its schema up to date. The caller closes it. Throws an Error that names the URL when it cannot be
 * reached, is no database, or was made by a newer Vitrine. A write that would make the file larger
 * than `maxBytes` fails like one for which the disk has no room; the log beside it does not count.
 */
export function openSqliteDatabase(
  url: string,
  durability: Durability = 'process',
  maxBytes?: number,
): DatabaseSync {
  try {
    const database = open(url.slice('sqlite:'.length), durability)
    if (maxBytes !== undefined) limitSize(database, maxBytes)
    return database
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`${url} cannot be opened: ${reason}`, { cause: error })
  }
}

function open(path: string, durability: Durability): DatabaseSync {
  if (path !== ':memory:') makeFile(path)
  const database = new DatabaseSync(path)
  try {
    useWriteAheadLog(database)
    database.exec('PRAGMA busy_timeout = 1000')
    // NORMAL: a commit is in the log file, so it survives the process but not the machine. FULL: the
    // file has been synchronized by then too (https://sqlite.org/pragma.html#pragma_synchronous).
    database.exec(`PRAGMA synchronous = ${durability === 'full' ? 'FULL' : 'NORMAL'}`)
    // 16 MiB of log, not 4: pages that are written again and again go into the file a quarter as
    // often, and a create beside others waits for a third less.
    database.exec('PRAGMA wal_autocheckpoint = 4000')
    migrate(database)
    database.exec('PRAGMA busy_timeout = 0')
  } catch (error) {
    database.close()
    throw error
  }
  return database
}

/** Of a file that is larger already, SQLite makes its size the limit, so that it can be opened. */
function limitSize(database: DatabaseSync, maxBytes: number): void {
  const pageBytes = Number(database.prepare('PRAGMA page_size').get()?.page_size)
  database.exec(`PRAGMA max_page_count = ${String(Math.floor(maxBytes / pageBytes))}`)
}

/** The path of a database that is a file; undefined of one in the memory of a process. */
export function toDatabasePath(url: string): string | undefined {
  const path = url.slice('sqlite:'.length)
  return path === ':memory:' ? undefined : path
}

/** Makes an empty database where there is none, and its folder. */
export function makeFile(path: string): void {
  makeFolder(dirname(path))
  if (!existsSync(path)) createPrivately(path)
}

/** Not `recursive`, which goes round for ever where the file system refuses a folder with ENOENT. */
function makeFolder(path: string): void {
  if (existsSync(path)) return
  makeFolder(dirname(path))
  try {
    mkdirSync(path, folderMode)
  } catch (error) {
    // Another process was quicker.
    if (!existsSync(path)) throw error
  }
}

/** For a second: another process may be turning the log on too, and SQLite itself would not wait. */
function useWriteAheadLog(database: DatabaseSync): void {
  for (let attempt = 1; ; attempt += 1) {
    try {
      database.exec('PRAGMA journal_mode = WAL')
      return
    } catch (error) {
      if (attempt === 100 || !isBusy(error)) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)
    }
  }
}

/**
 * Runs statements, and again while another process has the database locked. SQLite would wait by
 * blocking the whole process, so it is told not to. Throws a {@link StoreFailure} for what is not
 * the statements' fault. `askedAt` is since when the caller waits.
 */
export async function retryWhileBusy<Result>(
  run: () => Result,
  askedAt = performance.now(),
): Promise<Result> {
  const giveUpAt = askedAt + maxBusyMs
  for (let waitMs = 1; ; waitMs = Math.min(waitMs * 2, 50)) {
    try {
      return run()
    } catch (error) {
      if (!isBusy(error) || performance.now() > giveUpAt) throw toStoreFailure(error)
      await setTimeout(waitMs)
    }
  }
}

/** {@link retryWhileBusy} without a promise where nothing has to be waited for. */
export function tryNowOrRetry<Result>(run: () => Result): Result | Promise<Result> {
  try {
    return run()
  } catch (error) {
    if (!isBusy(error)) throw toStoreFailure(error)
    return retryWhileBusy(run)
  }
}

// https://sqlite.org/rescode.html: locked, read-only, failing, damaged, not to be opened, no database.
const unavailable = [5, 6, 8, 10, 11, 14, 26]
const full = 13

function toStoreFailure(error: unknown): unknown {
  const code = toResultCode(error)
  if (code === full) return new StoreFailure('full', error)
  const isUnavailable = unavailable.includes(code) || isDamage(error)
  return isUnavailable ? new StoreFailure('unavailable', error) : error
}

/** Whether SQLite has met what it never wrote. A document that is no JSON has no code of its own. */
export function isDamage(error: unknown): boolean {
  return (
    toResultCode(error) === 11 || (error instanceof Error && error.message === 'malformed JSON')
  )
}

/** Whether {@link retryWhileBusy} has given up because another process had the database locked. */
export function isLocked(error: unknown): boolean {
  return error instanceof StoreFailure && isBusy(error.cause)
}

export function isBusy(error: unknown): boolean {
  return toResultCode(error) === 5
}

/** The primary result code; 0 for what SQLite has not said. */
function toResultCode(error: unknown): number {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : 0
}

/** Throws when this is the schema of a newer Vitrine. */
export function readSchemaVersion(database: DatabaseSync): number {
  const version = Number(database.prepare('PRAGMA user_version').get()?.user_version)
  if (version <= migrations.length) return version
  throw new Error(`it was made by a newer Vitrine (schema ${String(version)})`)
}

/** Brings the schema from one version to another, within a transaction of the caller's. */
export function applyMigrations(
  database: DatabaseSync,
  from: number,
  to = migrations.length,
): void {
  for (const migration of migrations.slice(from, to)) database.exec(migration)
  database.exec(`PRAGMA user_version = ${String(to)}`)
}

function migrate(database: DatabaseSync): void {
  // IMMEDIATE: of several processes that start at once, one migrates and the others find it done.
  database.exec('BEGIN IMMEDIATE')
  try {
    const version = readSchemaVersion(database)
    applyMigrations(database, version)
    database.exec('COMMIT')
  } catch (error) {
    // Some errors have ended it already, and then this would hide what they were.
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
}
