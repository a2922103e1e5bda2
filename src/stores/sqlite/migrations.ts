import type { DatabaseSync } from 'node:sqlite'
import { findJson } from '../../config/find-json.ts'
import { isObject } from '../../config/is-object.ts'
import { toFolded } from '../records/sqlite/folded.ts'
import { assertKnownSchema } from '../store-failure.ts'

/** The number of this schema. The earlier ones were those of version 0.1. */
const schemaVersion = 7
/** That of version 0.2, without `folded`. */
const lastVersion = 6

const schema = `CREATE TABLE records (
     resource TEXT NOT NULL,
     id TEXT NOT NULL,
     document TEXT NOT NULL,
     version INTEGER NOT NULL,
     created_at TEXT NOT NULL,
     updated_at TEXT NOT NULL,
     folded TEXT,
     PRIMARY KEY (resource, id)
   ) STRICT;
   CREATE INDEX records_oldest_first ON records (resource, created_at, id);
   CREATE TABLE record_counts (resource TEXT PRIMARY KEY, count INTEGER NOT NULL) STRICT;
   CREATE TABLE change_numbers (resource TEXT PRIMARY KEY, last INTEGER NOT NULL) STRICT;
   CREATE TABLE changes (
     resource TEXT NOT NULL,
     number INTEGER NOT NULL,
     kind TEXT NOT NULL,
     id TEXT NOT NULL,
     document TEXT,
     version INTEGER,
     created_at TEXT,
     updated_at TEXT,
     PRIMARY KEY (resource, number)
   ) STRICT;
   PRAGMA user_version = ${String(schemaVersion)}`

/** 0 for an empty database. Throws for another schema. */
export function readSchemaVersion(database: DatabaseSync): number {
  const version = Number(database.prepare('PRAGMA user_version').get()?.user_version)
  if (version !== 0) assertKnownSchema(version, lastVersion, schemaVersion)
  return version
}

/** To migrate a large database takes longer than other writes, which other processes wait for. */
export const isOutdated = (database: DatabaseSync): boolean =>
  readSchemaVersion(database) === lastVersion

export function migrate(database: DatabaseSync): void {
  // On a full disk, a database that needs no migration can still be read.
  const version = readSchemaVersion(database)
  if (version === 0) database.exec(schema)
  if (version === lastVersion) addFolded(database)
}

/** Reads one record at a time, whatever the size of the database. */
function addFolded(database: DatabaseSync): void {
  database.exec('ALTER TABLE records ADD COLUMN folded TEXT')
  const update = database.prepare('UPDATE records SET folded = ? WHERE rowid = ?')
  // Texts of ASCII letters have as many bytes as characters.
  const notAscii = `SELECT rowid, id, document FROM records
    WHERE octet_length(document) > length(document) OR octet_length(id) > length(id)`
  for (const { rowid = null, id, document } of database.prepare(notAscii).iterate()) {
    const value = findJson(String(document))
    const folded = isObject(value) ? toFolded(String(id), value) : null
    if (folded !== null) update.run(folded, rowid)
  }
  database.exec(`PRAGMA user_version = ${String(schemaVersion)}`)
}
