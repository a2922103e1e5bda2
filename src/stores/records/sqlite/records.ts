import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { tryNowOrRetry } from '../../sqlite/database.ts'
import type { Value } from '../dialect.ts'
import { createLists } from '../lists.ts'
import { clearInSteps, createRecords, recordsPerStep } from '../records.ts'
import type { Collection, Records } from '../records.ts'
import { createCommits, type Commits, type Write } from './commits.ts'
import { createSqliteDialect } from './dialect.ts'
import { createRecordCache } from './record-cache.ts'
import { createStatements } from './statements.ts'

/** The caller closes the database after `settle`; at most `maxRecords` in each collection. */
export function createSqliteRecords(
  database: DatabaseSync,
  maxRecords?: number,
): Records & Pick<Commits, 'settle'> {
  const prepare = createStatements(database)
  const dialect = createSqliteDialect(database, prepare)
  const cache = createRecordCache(prepare)
  const { write, settle } = createCommits(database, maxRecords)
  const backend = { statements: prepareWrites(database), cache, write }
  const records = createRecords((resource) => ({
    ...openCollection(resource, backend),
    ...createLists(dialect, resource),
  }))
  return { ...records, settle }
}

function prepareWrites(database: DatabaseSync) {
  return {
    create: database.prepare(
      `INSERT INTO records (resource, id, document, version, created_at, updated_at)
       VALUES (?1, ?2, ?3, 1, ?4, ?4) ON CONFLICT DO NOTHING`,
    ),
    change: database.prepare(
      `UPDATE records SET document = ?3, version = version + 1, updated_at = ?4
       WHERE resource = ?1 AND id = ?2 AND version = ?5`,
    ),
    remove: database.prepare(
      'DELETE FROM records WHERE resource = ?1 AND id = ?2 AND version = coalesce(?3, version)',
    ),
    clear: database.prepare(
      `DELETE FROM records WHERE rowid IN (
         SELECT rowid FROM records WHERE resource = ? LIMIT ${String(recordsPerStep)}
       )`,
    ),
  }
}

interface Backend {
  statements: ReturnType<typeof prepareWrites>
  cache: ReturnType<typeof createRecordCache>
  write: Commits['write']
}

function openCollection(resource: string, { statements, cache, write }: Backend) {
  const { create, change, remove, clear } = statements
  const apply = (growth: Write['growth'], statement: StatementSync, ...values: Value[]) => {
    const [id] = values
    const isStored = () => cache.isStored(resource, id)
    const run = () => {
      cache.forget(resource, id)
      return Number(statement.run(resource, ...values).changes)
    }
    return write({ resource, growth, run, isStored })
  }
  return {
    state: cache.state,
    find: (id) => tryNowOrRetry(() => cache.find(resource, id)),
    create: async ({ id, document, createdAt }) =>
      (await apply(1, create, id, JSON.stringify(document), createdAt)) === 1,
    change: async ({ id, version, document, updatedAt }) =>
      (await apply(0, change, id, JSON.stringify(document), updatedAt, version)) === 1,
    remove: async (id, version) => (await apply(-1, remove, id, version ?? null)) === 1,
    clear: () => clearInSteps(() => apply(-1, clear)),
  } satisfies Partial<Collection>
}
