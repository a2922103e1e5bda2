import type { DatabaseSync } from 'node:sqlite'
import { tryNowOrRetry } from '../../sqlite/database.ts'
import type { Value } from '../dialect.ts'
import { createLists } from '../lists.ts'
import { clearInSteps, createRecords, recordsPerStep, type Collection } from '../records.ts'
import { createCommits, type Commits, type Write } from './commits.ts'
import { createSqliteDialect } from './dialect.ts'
import { createRecordCache, type RecordCache } from './record-cache.ts'
import { createStatements, type Prepare } from './statements.ts'

export function createSqliteRecords(database: DatabaseSync, maxRecords?: number) {
  const prepare = createStatements(database)
  const dialect = createSqliteDialect(database, prepare)
  const cache = createRecordCache(database, prepare)
  const statements = prepareWrites(prepare)
  const { write, settle } = createCommits(database, cache, maxRecords)
  const records = createRecords((resource) => ({
    ...openCollection(resource, { statements, cache, write }),
    ...createLists(dialect, resource),
  }))
  return { ...records, settle }
}

function prepareWrites(prepare: Prepare) {
  return {
    create: prepare(
      `INSERT INTO records (resource, id, document, version, created_at, updated_at)
       VALUES (?1, ?2, ?3, 1, ?4, ?4) ON CONFLICT DO NOTHING`,
    ),
    change: prepare(
      `UPDATE records SET document = ?3, version = version + 1, updated_at = ?4
       WHERE resource = ?1 AND id = ?2 AND version = ?5`,
    ),
    remove: prepare(
      'DELETE FROM records WHERE resource = ?1 AND id = ?2 AND version = coalesce(?3, version)',
    ),
    clear: prepare(
      `DELETE FROM records WHERE rowid IN (
         SELECT rowid FROM records WHERE resource = ? LIMIT ${String(recordsPerStep)}
       )`,
    ),
  }
}

type Statements = ReturnType<typeof prepareWrites>
type Backend = { statements: Statements; cache: RecordCache } & Pick<Commits, 'write'>

function openCollection(resource: string, { statements, cache, write }: Backend) {
  const run = (growth: Write['growth'], name: keyof Statements, ...values: Value[]) =>
    write({ resource, growth, statement: statements[name], values })
  return {
    find: (id) => tryNowOrRetry(() => cache.find(resource, id)),
    state: () => tryNowOrRetry(cache.state),
    create: async ({ id, document, createdAt }) =>
      (await run(1, 'create', id, JSON.stringify(document), createdAt)) === 1,
    change: async ({ id, version, document, updatedAt }) =>
      (await run(0, 'change', id, JSON.stringify(document), updatedAt, version)) === 1,
    remove: async (id, version) => (await run(-1, 'remove', id, version ?? null)) === 1,
    clear: () => clearInSteps(() => run(-1, 'clear')),
  } satisfies Partial<Collection>
}
