import type { DatabaseSync } from 'node:sqlite'
import { tryNowOrRetry } from '../../sqlite/database.ts'
import type { Value } from '../dialect.ts'
import { createLists } from '../lists.ts'
import { clearInSteps, openOnce, recordsPerStep } from '../records.ts'
import type { ChangedRecord, ChangeKind, Collection, NewRecord } from '../records.ts'
import type { Records, RecordStep, RecordVersion, Step } from '../records.ts'
import { createChangeLog, prepareLog, type OwnLog } from './changes.ts'
import { createCommits, type Commits, type Part, type Write } from './commits.ts'
import { createSqliteDialect } from './dialect.ts'
import { createRecordCache, type RecordCache } from './record-cache.ts'
import { createStatements, type Prepare } from './statements.ts'

export function createSqliteRecords(
  database: DatabaseSync,
  maxRecords?: number,
): Records & Pick<Commits, 'settle'> {
  const prepare = createStatements(database)
  const dialect = createSqliteDialect(database, prepare)
  const cache = createRecordCache(database, prepare)
  const statements = prepareWrites(prepare)
  const log = prepareLog(prepare)
  const { write, settle } = createCommits(database, { cache, log }, maxRecords)
  const open = (resource: string) => ({
    ...openCollection(resource, { statements, cache, write, log }),
    ...createLists(dialect, resource),
  })
  const collection = openOnce(open)
  const toParts = (step: Step) => {
    const { toWrites, toMatch } = collection(step.collection)
    if (step.kind !== 'none') return toWrites(step)
    const { sql, values } = toMatch(step.filters)
    return [() => (prepare(sql).get(...values) === undefined ? 1 : 0)]
  }
  const commit = async (steps: readonly Step[]) => {
    const parts = steps.map(toParts)
    let done = await write(...parts.flat())
    const failed = parts.findIndex(({ length }) => (done -= length) < 0)
    return failed === -1 ? undefined : failed
  }
  const changes = createChangeLog(log, { dialect, prepare, cache, write })
  return { collection, commit, changes, settle }
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
    removeAll: prepare('DELETE FROM records WHERE resource = ?'),
    clear: prepare(
      `DELETE FROM records WHERE rowid IN (
         SELECT rowid FROM records WHERE resource = ? LIMIT ${String(recordsPerStep)}
       )`,
    ),
  }
}

type Statements = ReturnType<typeof prepareWrites>
type Backend = { statements: Statements; cache: RecordCache; log: OwnLog } & Pick<Commits, 'write'>

const changes: Partial<Record<keyof Statements, ChangeKind>> = {
  create: 'created',
  change: 'changed',
  remove: 'deleted',
}

function openCollection(resource: string, { statements, cache, write, log }: Backend) {
  const toWrite = (growth: Write['growth'], name: keyof Statements, ...values: Value[]): Write => ({
    resource,
    growth,
    change: changes[name],
    statement: statements[name],
    values,
  })
  const toCreate = ({ id, document, createdAt }: NewRecord) =>
    toWrite(1, 'create', id, JSON.stringify(document), createdAt)
  const toChange = ({ id, document, updatedAt, version }: ChangedRecord) =>
    toWrite(0, 'change', id, JSON.stringify(document), updatedAt, version)
  const toRemove = ({ id, version }: RecordVersion) => toWrite(-1, 'remove', id, version ?? null)
  const skip = () => log.skip(resource)
  return {
    find: (id) => tryNowOrRetry(() => cache.find(resource, id)),
    state: () => tryNowOrRetry(cache.state),
    create: async (record) => (await write(toCreate(record))) === 1,
    change: async (record) => (await write(toChange(record))) === 1,
    remove: async (id, version) => (await write(toRemove({ id, version }))) === 1,
    clear: async () => {
      const count = await clearInSteps(() => write(toWrite(-1, 'clear')))
      await write(skip)
      return count
    },
    toWrites: (step: RecordStep): readonly Part[] => {
      switch (step.kind) {
        case 'create':
          return step.records.map(toCreate)
        case 'change':
          return step.records.map(toChange)
        case 'remove':
          return step.records.map(toRemove)
        case 'exist':
          return step.ids.map((id) => () => Number(cache.isStored(resource, id)))
        case 'replace': {
          const created = step.records.map((record) => ({ ...toCreate(record), change: undefined }))
          return [{ ...toWrite(-1, 'removeAll'), mayBeNone: true }, ...created, skip]
        }
      }
    },
  } satisfies Partial<Collection> & Record<'toWrites', unknown>
}
