import type pg from 'pg'
import { readText } from './hosts.ts'

const migrations = [
  // "C" compares bytes: the order of code points, as in SQLite. With one count for each resource,
  // concurrent creates would wait for each other.
  `CREATE TABLE IF NOT EXISTS records (
     resource text COLLATE "C" NOT NULL,
     id text COLLATE "C" NOT NULL,
     document text NOT NULL,
     keys jsonb NOT NULL,
     version bigint NOT NULL,
     created_at text COLLATE "C" NOT NULL,
     updated_at text COLLATE "C" NOT NULL,
     PRIMARY KEY (resource, id)
   );
   CREATE INDEX IF NOT EXISTS records_oldest_first ON records (resource, created_at, id);
   CREATE TABLE IF NOT EXISTS record_counts (
     resource text COLLATE "C" NOT NULL,
     shard integer NOT NULL,
     count bigint NOT NULL,
     PRIMARY KEY (resource, shard)
   )`,
  // Earlier indexes had other names and expressions, and earlier keys escaped U+0001 to U+0003.
  `DO $$
   DECLARE name text;
   BEGIN
     FOR name IN SELECT indexname FROM pg_indexes WHERE schemaname = current_schema()
       AND tablename = 'records' AND (indexname LIKE 'records\\_of\\_%' OR indexname = 'records_by_name')
     LOOP EXECUTE format('DROP INDEX %I', name);
     END LOOP;
   END $$;
   UPDATE records SET keys = replace(replace(replace(replace(keys::text,
     '\\u0001\\u0002\\u0002', ''), '\\u0001\\u0002\\u0003', '\\u0001'),
     '\\u0001\\u0003\\u0002', '\\u0002'), '\\u0001\\u0003\\u0003', '\\u0003')::jsonb
   WHERE strpos(keys::text, '\\u0001') > 0`,
  `CREATE TABLE IF NOT EXISTS change_numbers (
     resource text COLLATE "C" PRIMARY KEY,
     last bigint NOT NULL
   );
   CREATE TABLE IF NOT EXISTS changes (
     resource text COLLATE "C" NOT NULL,
     number bigint NOT NULL,
     kind text NOT NULL,
     id text NOT NULL,
     document text,
     version bigint,
     created_at text,
     updated_at text,
     PRIMARY KEY (resource, number)
   )`,
  `UPDATE changes SET document = NULL WHERE resource LIKE '~%'`,
]

const lock = 8_427_963_501

/** After an error the caller closes the connection, which undoes the changes. */
export async function alter(client: pg.Client, change: () => Promise<unknown>): Promise<void> {
  // The changes that another process made while this one waited for the lock must be visible.
  await client.query('BEGIN ISOLATION LEVEL READ COMMITTED')
  await client.query(`SELECT pg_advisory_xact_lock(${String(lock)})`)
  await change()
  await client.query('COMMIT')
}

export async function migrate(client: pg.Client): Promise<void> {
  const encoding = await readText(client, 'SHOW server_encoding')
  if (encoding !== 'UTF8') throw new Error(`its encoding is ${encoding} and not UTF8`)
  await alter(client, async () => {
    await client.query('CREATE TABLE IF NOT EXISTS vitrine_schema (version integer PRIMARY KEY)')
    const select = 'SELECT coalesce(max(version), 0) FROM vitrine_schema'
    const version = Number(await readText(client, select))
    if (version > migrations.length) {
      throw new Error(`it was made by a newer Vitrine (schema ${String(version)})`)
    }
    for (let next = version + 1; next <= migrations.length; next += 1) {
      await client.query(migrations[next - 1] ?? '')
      await client.query(`INSERT INTO vitrine_schema VALUES (${String(next)})`)
    }
  })
}
