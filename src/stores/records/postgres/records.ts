import { openPostgresDatabase, type PostgresDatabase } from '../../postgres/database.ts'
import { StoreFailure } from '../../store-failure.ts'
import { columns, toStoredRecord } from '../dialect.ts'
import { createLists } from '../lists.ts'
import { clearInSteps, createRecords, isStorable, recordsPerStep } from '../records.ts'
import type { Collection, Document } from '../records.ts'
import { createPostgresDialect } from './dialect.ts'
import { toKeys } from './keys.ts'

// Few server processes run at once, so two rarely wait for the same row.
const shard = 'abs(pg_backend_pid() % 64)'

const statements = {
  find: `SELECT ${columns} FROM records WHERE resource = $1 AND id = $2`,
  // Concurrent creates do not see each other, so the limit may be exceeded by a few records.
  create: `WITH created AS (
      INSERT INTO records (resource, id, document, keys, version, created_at, updated_at)
      SELECT $1::text, $2::text, $3::text, $4::jsonb, 1, $5::text, $5::text
      WHERE $6::bigint IS NULL
        OR (SELECT coalesce(sum(count), 0) FROM record_counts WHERE resource = $1) < $6
      ON CONFLICT DO NOTHING RETURNING resource
    )
    INSERT INTO record_counts (resource, shard, count) SELECT resource, ${shard}, 1 FROM created
    ON CONFLICT (resource, shard) DO UPDATE SET count = record_counts.count + 1`,
  change: `UPDATE records SET document = $3, keys = $4, version = version + 1, updated_at = $5
    WHERE resource = $1 AND id = $2 AND version = $6`,
  remove: `WITH removed AS (
      DELETE FROM records WHERE resource = $1 AND id = $2 AND version = coalesce($3, version)
      RETURNING resource
    )
    INSERT INTO record_counts (resource, shard, count) SELECT resource, ${shard}, -1 FROM removed
    ON CONFLICT (resource, shard) DO UPDATE SET count = record_counts.count - 1`,
  clear: `WITH removed AS (
      DELETE FROM records WHERE resource = $1 AND id IN (
        SELECT id FROM records WHERE resource = $1
        ORDER BY created_at, id LIMIT ${String(recordsPerStep)}
      )
      RETURNING resource
    ), counted AS (
      INSERT INTO record_counts (resource, shard, count)
      SELECT resource, ${shard}, -count(*) FROM removed GROUP BY resource
      ON CONFLICT (resource, shard) DO UPDATE SET count = record_counts.count + excluded.count
    )
    SELECT count(*) FROM removed`,
}

export async function openPostgresRecords(url: string, maxRecords?: number) {
  const database = await openPostgresDatabase(url)
  const dialect = createPostgresDialect(database)
  const records = createRecords((resource) => ({
    ...openCollection(database, resource, maxRecords),
    ...createLists(dialect, resource),
  }))
  return { records, close: database.close }
}

function openCollection(database: PostgresDatabase, resource: string, maxRecords?: number) {
  const run = (name: keyof typeof statements, ...values: unknown[]) =>
    database.run({ name, text: statements[name], values: [resource, ...values] })
  const find = async (id: string) => {
    const [row] = (await run('find', toId(id))).rows
    return row && toStoredRecord(row)
  }
  return {
    find,
    create: async ({ id, document, createdAt }) => {
      const { rowCount } = await run('create', id, ...toCells(document), createdAt, maxRecords)
      if (rowCount === 1) return true
      if (maxRecords === undefined || (await find(id))) return false
      throw new StoreFailure('full', `no more ${resource}`)
    },
    change: async ({ id, version, document, updatedAt }) =>
      (await run('change', toId(id), ...toCells(document), updatedAt, version)).rowCount === 1,
    remove: async (id, version) => (await run('remove', toId(id), version)).rowCount === 1,
    clear: () => clearInSteps(async () => Number((await run('clear')).rows[0]?.[0])),
  } satisfies Partial<Collection>
}

const toId = (id: string) => (isStorable(id) ? id : '')
const toCells = (document: Document) => [JSON.stringify(document), JSON.stringify(toKeys(document))]
