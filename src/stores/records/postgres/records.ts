import { openPostgresDatabase, type PostgresDatabase } from '../../postgres/database.ts'
import { StoreFailure } from '../../store-failure.ts'
import { isStorable } from '../conditions.ts'
import { createLists } from '../lists.ts'
import type { Dialect } from '../dialect.ts'
import { createPostgresDialect, toRow } from './dialect.ts'
import { toKeys } from './keys.ts'
import { createRecords, type Collection, type Document, type Records } from '../records.ts'
import { columns, toStoredRecord } from '../rows.ts'

const find = {
  name: 'find',
  text: `SELECT ${columns} FROM records WHERE resource = $1 AND id = $2`,
}
// Few server processes run at once, so two rarely wait for the same row.
const shard = 'abs(pg_backend_pid() % 64)'
// Concurrent creates do not see each other, so the limit may be exceeded by a few records.
const create = {
  name: 'create',
  text: `WITH created AS (
      INSERT INTO records (resource, id, document, keys, version, created_at, updated_at)
      SELECT $1::text, $2::text, $3::text, $4::jsonb, 1, $5::text, $5::text
      WHERE $6::bigint IS NULL
        OR (SELECT coalesce(sum(count), 0) FROM record_counts WHERE resource = $1) < $6
      ON CONFLICT DO NOTHING RETURNING resource
    )
    INSERT INTO record_counts (resource, shard, count) SELECT resource, ${shard}, 1 FROM created
    ON CONFLICT (resource, shard) DO UPDATE SET count = record_counts.count + 1`,
}
const change = {
  name: 'change',
  text: `UPDATE records SET document = $1, keys = $2, version = version + 1, updated_at = $3
    WHERE resource = $4 AND id = $5 AND version = $6`,
}
const remove = {
  name: 'remove',
  text: `WITH removed AS (
      DELETE FROM records WHERE resource = $1 AND id = $2 AND version = coalesce($3, version)
      RETURNING resource
    )
    INSERT INTO record_counts (resource, shard, count) SELECT resource, ${shard}, -1 FROM removed
    ON CONFLICT (resource, shard) DO UPDATE SET count = record_counts.count - 1`,
}
/** Well within the time limit of a statement. */
const recordsPerStep = 500
const clear = {
  name: 'clear',
  text: `WITH removed AS (
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
    SELECT count(*) AS count FROM removed`,
}

function toId(id: string): string {
  return isStorable(id) ? id : ''
}

function toTexts(document: Document): [document: string, keys: string] {
  return [JSON.stringify(document), JSON.stringify(toKeys(document))]
}

export async function openPostgresRecords(url: string, maxRecords?: number) {
  const database = await openPostgresDatabase(url)
  return { records: createPostgresRecords(database, maxRecords), close: () => database.close() }
}

export function createPostgresRecords(database: PostgresDatabase, maxRecords?: number): Records {
  const dialect = createPostgresDialect(database)
  return createRecords((resource) => openCollection(resource, { database, dialect, maxRecords }))
}

interface Backend {
  database: PostgresDatabase
  dialect: Dialect
  maxRecords: number | undefined
}

function openCollection(resource: string, { database, dialect, maxRecords }: Backend): Collection {
  async function findRecord(id: string) {
    const { rows } = await database.run({ ...find, values: [resource, toId(id)] })
    return rows[0] && toStoredRecord(toRow(rows[0]))
  }
  return {
    // Asking the server takes as long as reading.
    state: () => undefined,
    find: findRecord,
    create: async ({ id, document, createdAt }) => {
      const values = [resource, id, ...toTexts(document), createdAt, maxRecords]
      if ((await database.run({ ...create, values })).rowCount === 1) return true
      if (maxRecords === undefined || (await findRecord(id))) return false
      throw new StoreFailure('full', `no more ${resource}`)
    },
    change: async ({ id, version, document, updatedAt }) => {
      const values = [...toTexts(document), updatedAt, resource, toId(id), version]
      return (await database.run({ ...change, values })).rowCount === 1
    },
    remove: async (id, version) => {
      const values = [resource, toId(id), version]
      return (await database.run({ ...remove, values })).rowCount === 1
    },
    clear: async () => {
      let total = 0
      for (;;) {
        const { rows } = await database.run({ ...clear, values: [resource] })
        const removed = Number(rows[0]?.count)
        total += removed
        if (removed < recordsPerStep) return total
      }
    },
    ...createLists(dialect, resource),
  }
}
