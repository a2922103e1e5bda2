import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

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
]

/**
 * Opens the database of `sqlite:path` or `sqlite::memory:`, creating file and folder, and brings
 * its schema up to date. The caller closes it. Throws an Error that names the URL when it cannot be
 * reached, is no database, or was made by a newer Vitrine.
 */
export function openSqliteDatabase(url: string): DatabaseSync {
  try {
    return open(url.slice('sqlite:'.length))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`${url} cannot be opened: ${reason}`, { cause: error })
  }
}

function open(path: string): DatabaseSync {
  if (path !== ':memory:') makeFolder(dirname(path))
  const database = new DatabaseSync(path)
  try {
    database.exec('PRAGMA busy_timeout = 1000')
    useWriteAheadLog(database)
    // NORMAL: a commit is in the log file, so it survives the process but not the machine.
    database.exec('PRAGMA synchronous = NORMAL')
    migrate(database)
  } catch (error) {
    database.close()
    throw error
  }
  return database
}

/** Not `recursive`, which goes round for ever where the file system refuses a folder with ENOENT. */
function makeFolder(path: string): void {
  if (existsSync(path)) return
  makeFolder(dirname(path))
  try {
    mkdirSync(path)
  } catch (error) {
    // Another process was quicker.
    if (!existsSync(path)) throw error
  }
}

/** Another process may be turning the log on too, and SQLite does not wait for that by itself. */
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

function isBusy(error: unknown): boolean {
  // SQLITE_BUSY; the higher bits say more.
  return error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === 5
}

function migrate(database: DatabaseSync): void {
  // IMMEDIATE: of several processes that start at once, one migrates and the others find it done.
  database.exec('BEGIN IMMEDIATE')
  try {
    const row = database.prepare('PRAGMA user_version').get()
    const version = Number(row?.user_version)
    if (version > migrations.length) {
      throw new Error(`it was made by a newer Vitrine (schema ${String(version)})`)
    }
    migrations.slice(version).forEach((migration) => {
      database.exec(migration)
    })
    database.exec(`PRAGMA user_version = ${String(migrations.length)}`)
    database.exec('COMMIT')
  } catch (error) {
    database.exec('ROLLBACK')
    throw error
  }
}
