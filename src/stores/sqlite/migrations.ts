import type { DatabaseSync } from 'node:sqlite'
import { assertKnownSchema } from '../store-failure.ts'

/** The number of this schema. The earlier ones were those of version 0.1. */
const schemaVersion = 6

// A backup must have these statements, letter by letter.
const schema = `CREATE TABLE records (
     resource TEXT NOT NULL,
     id TEXT NOT NULL,
     document TEXT NOT NULL,
     version INTEGER NOT NULL,
     created_at TEXT NOT NULL,
     updated_at TEXT NOT NULL,
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
  if (version !== 0) assertKnownSchema(version, schemaVersion)
  return version
}

export function migrate(database: DatabaseSync): void {
  // On a full disk, a database that needs no migration can still be read.
  if (readSchemaVersion(database) === 0) database.exec(schema)
}
