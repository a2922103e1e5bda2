import type pg from 'pg'

const migrations: readonly (readonly string[])[] = [
  [
    // "C" compares bytes, which in UTF-8 is the order of code points, as in SQLite.
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
    // Several rows for each resource, so that concurrent creates do not wait for each other.
    `CREATE TABLE IF NOT EXISTS record_counts (
       resource text COLLATE "C" NOT NULL,
       shard integer NOT NULL,
       count bigint NOT NULL,
       PRIMARY KEY (resource, shard)
     )`,
  ],
  [
    // Indexes have other names and another expression.
    `DO $$
     DECLARE name text;
     BEGIN
       FOR name IN SELECT indexname FROM pg_indexes WHERE schemaname = current_schema()
         AND tablename = 'records' AND (indexname LIKE 'records\\_of\\_%' OR indexname = 'records_by_name')
       LOOP EXECUTE format('DROP INDEX %I', name);
       END LOOP;
     END $$`,
    // Before, U+0001 to U+0003 had spellings that left room for U+0000.
    `UPDATE records SET keys = replace(replace(replace(replace(keys::text,
       '\\u0001\\u0002\\u0002', ''), '\\u0001\\u0002\\u0003', '\\u0001'),
       '\\u0001\\u0003\\u0002', '\\u0002'), '\\u0001\\u0003\\u0003', '\\u0003')::jsonb
     WHERE strpos(keys::text, '\\u0001') > 0`,
  ],
]

/** An arbitrary number for the advisory lock. */
const lock = 8_427_963_501

export async function alter(client: pg.Client, change: () => Promise<void>): Promise<void> {
  try {
    // The changes that another process made while this one waited for the lock must be visible.
    await client.query('BEGIN ISOLATION LEVEL READ COMMITTED')
    await client.query(`SELECT pg_advisory_xact_lock(${String(lock)})`)
    await change()
    await client.query('COMMIT')
  } catch (error) {
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

async function assertUtf8(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ encoding: string }>(
    `SELECT current_setting('server_encoding') AS encoding`,
  )
  const { encoding = '' } = rows[0] ?? {}
  if (encoding !== 'UTF8') throw new Error(`its encoding is ${encoding} and not UTF8`)
}
