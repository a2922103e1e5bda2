import pg from 'pg'
import { setTimeout } from 'node:timers/promises'

/**
 * Each brings the schema from its index to the next version; `vitrine_schema` has a row for each that
 * was made. Any of them may be begun again, or by several processes at once, where no lock keeps them
 * apart.
 */
const migrations: readonly (readonly string[])[] = [
  [
    // "C" compares by bytes, which in UTF-8 is by code points, as SQLite does.
    `CREATE TABLE IF NOT EXISTS records (
       resource text COLLATE "C" NOT NULL,
       id text COLLATE "C" NOT NULL,
       document text NOT NULL,
       keys jsonb NOT NULL,
       version bigint NOT NULL,
       created_at text COLLATE "C" NOT NULL,
       updated_at text COLLATE "C" NOT NULL,
       PRIMARY KEY (resource, id)
     )`,
    `CREATE INDEX IF NOT EXISTS records_oldest_first ON records (resource, created_at, id)`,
    // Only the beginning: an entry of an index may not be longer than a third of a page.
    `CREATE INDEX IF NOT EXISTS records_by_name
       ON records (resource, (left(keys ->> 'name', 100) COLLATE "C"), created_at, id)`,
    // In many rows, so that those who create at once do not wait for each other.
    `CREATE TABLE IF NOT EXISTS record_counts (
       resource text COLLATE "C" NOT NULL,
       shard integer NOT NULL,
       count bigint NOT NULL,
       PRIMARY KEY (resource, shard)
     )`,
  ],
]

/** Any number that other users of the database are unlikely to have taken. */
const lock = 8_427_963_501

/**
 * Changes the schema in a transaction of its own, of which there is one at a time. An engine without
 * advisory locks goes without: then two may meet, and the one that lost begins again.
 */
export async function alter(client: pg.Client, change: () => Promise<void>): Promise<void> {
  let hasLocks = true
  for (let attempt = 1; ; attempt += 1) {
    try {
      // What another has made while this one waited for the lock has to be seen.
      await client.query('BEGIN ISOLATION LEVEL READ COMMITTED')
      if (hasLocks) await client.query(`SELECT pg_advisory_xact_lock(${String(lock)})`)
      await change()
      await client.query('COMMIT')
      return
    } catch (error) {
      // Of a connection that is gone there is nothing to take back.
      await client.query('ROLLBACK').catch(() => undefined)
      if (hasLocks && isMissing(error)) hasLocks = false
      else if (attempt >= 30 || !isMeeting(error)) throw error
      else await setTimeout(Math.random() * 20 * attempt)
    }
  }
}

export async function migrate(client: pg.Client): Promise<void> {
  const isCockroach = await refuseOtherServers(client)
  await alter(client, async () => {
    await client.query('CREATE TABLE IF NOT EXISTS vitrine_schema (version integer PRIMARY KEY)')
    const { rows } = await client.query<{ version: string }>(
      'SELECT coalesce(max(version), 0) AS version FROM vitrine_schema',
    )
    const version = Number(rows[0]?.version)
    if (version > migrations.length) {
      throw new Error(`it was made by a newer Vitrine (schema ${String(version)})`)
    }
    for (const [index, statements] of migrations.entries()) {
      if (index < version) continue
      for (const statement of statements) {
        // CockroachDB compares by bytes anyway, and has no columns that say so.
        await client.query(
          isCockroach ? statement.replaceAll('text COLLATE "C"', 'text') : statement,
        )
      }
      await client.query('INSERT INTO vitrine_schema VALUES ($1) ON CONFLICT DO NOTHING', [
        index + 1,
      ])
    }
  })
}

/** Throws when the database cannot hold every text. */
async function refuseOtherServers(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ version: string; encoding: string }>(
    `SELECT version() AS version, current_setting('server_encoding') AS encoding`,
  )
  const { version = '', encoding = '' } = rows[0] ?? {}
  if (!/^utf-?8$/i.test(encoding)) throw new Error(`its encoding is ${encoding} and not UTF8`)
  return version.startsWith('CockroachDB')
}

/** Not supported; no such function. */
function isMissing(error: unknown): boolean {
  return error instanceof pg.DatabaseError && ['0A000', '42883'].includes(error.code ?? '')
}

// Serialization, deadlock, and what PostgreSQL and YugabyteDB say when two make one thing at once.
const meetings = ['40001', '40P01', '23505', '42P07', '42710', 'XX000']

function isMeeting(error: unknown): boolean {
  return error instanceof pg.DatabaseError && meetings.includes(error.code ?? '')
}
