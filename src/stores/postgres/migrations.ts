import type pg from 'pg'
import { assertKnownSchema } from '../store-failure.ts'
import { readText } from './hosts.ts'

/** The number of this schema. The earlier ones were those of version 0.1. */
const schemaVersion = 4

// "C" compares bytes: the order of code points, as in SQLite. With one count for each resource,
// concurrent creates would wait for each other.
const schema = `CREATE TABLE records (
     resource text COLLATE "C" NOT NULL,
     id text COLLATE "C" NOT NULL,
     document text NOT NULL,
     keys jsonb NOT NULL,
     version bigint NOT NULL,
     created_at text COLLATE "C" NOT NULL,
     updated_at text COLLATE "C" NOT NULL,
     PRIMARY KEY (resource, id)
   );
   CREATE INDEX records_oldest_first ON records (resource, created_at, id);
   CREATE TABLE record_counts (
     resource text COLLATE "C" NOT NULL,
     shard integer NOT NULL,
     count bigint NOT NULL,
     PRIMARY KEY (resource, shard)
   );
   CREATE TABLE change_numbers (
     resource text COLLATE "C" PRIMARY KEY,
     last bigint NOT NULL
   );
   CREATE TABLE changes (
     resource text COLLATE "C" NOT NULL,
     number bigint NOT NULL,
     kind text NOT NULL,
     id text NOT NULL,
     document text,
     version bigint,
     created_at text,
     updated_at text,
     PRIMARY KEY (resource, number)
   );
   INSERT INTO vitrine_schema VALUES (${String(schemaVersion)})`

const lock = 8_427_963_501

/** After an error the caller closes the connection, which undoes the changes. */
export async function alter(client: pg.Client, change: () => Promise<unknown>): Promise<void> {
  // The changes that another process made while this one waited for the lock must be visible.
  await client.query('BEGIN ISOLATION LEVEL READ COMMITTED')
  // A restore saves files in between.
  await client.query('SET LOCAL idle_in_transaction_session_timeout = 0')
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
    if (version === 0) await client.query(schema)
    else assertKnownSchema(version, schemaVersion)
  })
}
