import type { DatabaseSync } from 'node:sqlite'

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
  `CREATE TABLE record_counts (resource TEXT PRIMARY KEY, count INTEGER NOT NULL) STRICT;
   INSERT INTO record_counts SELECT resource, count(*) FROM records GROUP BY resource;
   CREATE TRIGGER count_created AFTER INSERT ON records BEGIN
     INSERT OR IGNORE INTO record_counts VALUES (new.resource, 0);
     UPDATE record_counts SET count = count + 1 WHERE resource = new.resource;
   END;
   CREATE TRIGGER count_removed AFTER DELETE ON records BEGIN
     UPDATE record_counts SET count = count - 1 WHERE resource = old.resource;
   END;`,
  `DROP TRIGGER count_created;
   DROP TRIGGER count_removed;
   DROP INDEX records_by_name;`,
  `CREATE TABLE change_numbers (resource TEXT PRIMARY KEY, last INTEGER NOT NULL) STRICT;
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
   ) STRICT;`,
  `UPDATE changes SET document = NULL WHERE resource LIKE '~%'`,
]

export function readSchemaVersion(database: DatabaseSync): number {
  const version = Number(database.prepare('PRAGMA user_version').get()?.user_version)
  if (version <= migrations.length) return version
  throw new Error(`it was made by a newer Vitrine (schema ${String(version)})`)
}

export function migrate(database: DatabaseSync): void {
  const version = readSchemaVersion(database)
  // On a full disk, a database that needs no migration can still be read.
  if (version < migrations.length) applyMigrations(database, version)
}

export function applyMigrations(database: DatabaseSync, from: number, to = migrations.length) {
  for (const migration of migrations.slice(from, to)) database.exec(migration)
  database.exec(`PRAGMA user_version = ${String(to)}`)
}
