import { tryNowOrRetry } from '../../sqlite/database.ts'
import type { Value } from '../dialect.ts'
import { clearInSteps, recordsPerStep } from '../records.ts'
import type { ChangedRecord, ChangeKind, Collection, NewRecord } from '../records.ts'
import type { RecordStep, RecordVersion } from '../records.ts'
import type { OwnLog } from './changes.ts'
import type { Commits, Part, Write } from './commits.ts'
import type { RecordCache } from './record-cache.ts'
import type { Prepare } from './statements.ts'

type StatementName = 'create' | 'change' | 'remove' | 'removeAll' | 'clear'
type Statements = Record<StatementName, Write['statement']>

export function prepareWrites(prepare: Prepare): Statements {
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

type Backend = { statements: Statements; cache: RecordCache; log: OwnLog } & Pick<Commits, 'write'>

const changes: Partial<Record<StatementName, ChangeKind>> = {
  create: 'created',
  change: 'changed',
  remove: 'deleted',
}

export function openCollection(resource: string, { statements, cache, write, log }: Backend) {
  const writes = createWrites(resource, statements)
  const skip = () => log.skip(resource)
  return {
    find: (id) => tryNowOrRetry(() => cache.find(resource, id)),
    create: async (record) => (await write(writes.create(record))) === 1,
    change: async (record) => (await write(writes.change(record))) === 1,
    remove: async (id, version) => (await write(writes.remove({ id, version }))) === 1,
    clear: async () => {
      const count = await clearInSteps(() => write(writes.clear()))
      await write(skip)
      return count
    },
    state: () => tryNowOrRetry(cache.state),
    toWrites: (step: RecordStep): readonly Part[] => {
      if (step.kind === 'exist')
        return step.ids.map((id) => () => Number(cache.isStored(resource, id)))
      return step.kind === 'replace' ? [...writes.replace(step.records), skip] : writes.step(step)
    },
  } satisfies Partial<Collection> & Record<'toWrites', unknown>
}

function createWrites(resource: string, statements: Statements) {
  const toWrite = (growth: Write['growth'], name: StatementName, ...values: Value[]): Write => ({
    resource,
    growth,
    change: changes[name],
    statement: statements[name],
    values,
  })
  const create = ({ id, document, createdAt }: NewRecord) =>
    toWrite(1, 'create', id, JSON.stringify(document), createdAt)
  const change = ({ id, document, updatedAt, version }: ChangedRecord) =>
    toWrite(0, 'change', id, JSON.stringify(document), updatedAt, version)
  const remove = ({ id, version }: RecordVersion) => toWrite(-1, 'remove', id, version ?? null)
  return {
    create,
    change,
    remove,
    clear: () => toWrite(-1, 'clear'),
    replace: (records: readonly NewRecord[]) => [
      { ...toWrite(-1, 'removeAll'), mayBeNone: true as const },
      ...records.map((record) => ({ ...create(record), change: undefined })),
    ],
    step: (step: Exclude<RecordStep, { kind: 'exist' | 'replace' }>) => {
      if (step.kind === 'create') return step.records.map(create)
      return step.kind === 'change' ? step.records.map(change) : step.records.map(remove)
    },
  }
}
