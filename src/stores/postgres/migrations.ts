import type pg from 'pg'

/**
 * Each brings the schema from its index to the next version; `vitrine_schema` has a row for each that
 * was made.
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
    // In many rows, so that those who create at once do not wait for each other.
    `CREATE TABLE IF NOT EXISTS record_counts (
       resource text COLLATE "C" NOT NULL,
       shard integer NOT NULL,
       count bigint NOT NULL,
       PRIMARY KEY (resource, shard)
     )`,
  ],
  [
    // Indexes are named in another way, and on another expression.
    `DO $$
     DECLARE name text;
     BEGIN
       FOR name IN SELECT indexname FROM pg_indexes WHERE schemaname = current_schema()
         AND tablename = 'records' AND (indexname LIKE 'records\\_of\\_%' OR indexname = 'records_by_name')
       LOOP EXECUTE format('DROP INDEX %I', name);
       END LOOP;
     END $$`,
    // U+0001, U+0002 and U+0003 had spellings that left room for U+0000.
    `UPDATE records SET keys = replace(replace(replace(replace(keys::text,
       '\\u0001\\u0002\\u0002', ''), '\\u0001\\u0002\\u0003', '\\u0001'),
       '\\u0001\\u0003\\u0002', '\\u0002'), '\\u0001\\u0003\\u0003', '\\u0003')::jsonb
     WHERE strpos(keys::text, '\\u0001') > 0`,
  ],
]

/** Any number that other users of the database are unlikely to have taken. */
const lock = 8_427_963_501

/** Changes the schema in a transaction of its own, of which there is one at a time. */
export async function alter(client: pg.Client, change: () => Promise<void>): Promise<void> {
  try {
    // What another has made while this one waited for the lock has to be seen.
    await client.query('BEGIN ISOLATION LEVEL READ COMMITTED')
    await client.query(`SELECT pg_advisory_xact_lock(${String(lock)})`)
    await change()
    await client.query('COMMIT')
  } catch (error) {
    // Of a connection that is gone there is nothing to take back.
    await client.query('ROLLBACK').catch(() => undefined)
    throw error
  }
}

export async function migrate(client: pg.Client): Promise<void> {
  await assertUtf8(client)
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
      for (const statement of statements) await client.query(statement)
      await client.query('INSERT INTO vitrine_schema VALUES ($1) ON CONFLICT DO NOTHING', [
        index + 1,
      ])
    }
  })
}

/** Throws when the database cannot hold every text. */
async function assertUtf8(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ encoding: string }>(
    `SELECT current_setting('server_encoding') AS encoding`,
  )
  const { encoding = '' } = rows[0] ?? {}
  if (encoding !== 'UTF8') throw new Error(`its encoding is ${encoding} and not UTF8`)
}
