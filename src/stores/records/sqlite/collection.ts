import { tryNowOrRetry } from '../../sqlite/database.ts'
import type { Value } from '../dialect.ts'
import { clearInSteps, recordsPerStep } from '../records.ts'
import type { ChangedRecord, Collection, NewRecord, RecordStep, RecordVersion } from '../records.ts'
import type { OwnLog } from './changes.ts'
import type { Commits, WritePart, Write } from './commits.ts'
import { toFolded } from './folded.ts'
import type { RecordCache } from './record-cache.ts'
import type { Prepare } from './statements.ts'

type WriteName = 'create' | 'change' | 'remove' | 'removeAll' | 'clear'
type Writes = Readonly<Record<WriteName, Omit<Write, 'resource' | 'values'>>>

export function prepareWrites(prepare: Prepare): Writes {
  return {
    create: {
      growth: 1,
      change: 'created',
      statement: prepare(
        `INSERT INTO records (resource, id, document, folded, version, created_at, updated_at)
         VALUES (?1, ?2, ?3, ?5, 1, ?4, ?4) ON CONFLICT DO NOTHING`,
      ),
    },
    change: {
      growth: 0,
      change: 'changed',
      statement: prepare(
        `UPDATE records SET document = ?3, folded = ?6, version = version + 1, updated_at = ?4
         WHERE resource = ?1 AND id = ?2 AND version = ?5`,
      ),
    },
    remove: {
      growth: -1,
      change: 'deleted',
      statement: prepare(
        'DELETE FROM records WHERE resource = ?1 AND id = ?2 AND version = coalesce(?3, version)',
      ),
    },
    removeAll: {
      growth: -1,
      mayBeNone: true,
      statement: prepare('DELETE FROM records WHERE resource = ?'),
    },
    clear: {
      growth: -1,
      statement: prepare(
        `DELETE FROM records WHERE rowid IN (
           SELECT rowid FROM records WHERE resource = ? LIMIT ${String(recordsPerStep)}
         )`,
      ),
    },
  }
}

type Backend = { writes: Writes; cache: RecordCache; log: OwnLog } & Pick<Commits, 'write'>

export function openCollection(resource: string, { writes, cache, write, log }: Backend) {
  const toWrite = (name: WriteName, ...values: Value[]): Write => {
    return { ...writes[name], resource, values }
  }
  const create = ({ id, document, createdAt }: NewRecord) =>
    toWrite('create', id, JSON.stringify(document), createdAt, toFolded(id, document))
  const change = ({ id, document, updatedAt, version }: ChangedRecord) => {
    const folded = toFolded(id, document)
    return toWrite('change', id, JSON.stringify(document), updatedAt, version, folded)
  }
  const remove = ({ id, version }: RecordVersion) => toWrite('remove', id, version ?? null)
  const skip = () => log.skip(resource)
  return {
    find: (id) => tryNowOrRetry(() => cache.find(resource, id)),
    create: async (record) => (await write(create(record))) === 1,
    change: async (record) => (await write(change(record))) === 1,
    remove: async (id, version) => (await write(remove({ id, version }))) === 1,
    clear: async () => {
      const count = await clearInSteps(() => write(toWrite('clear')))
      await write(skip)
      return count
    },
    state: () => tryNowOrRetry(() => cache.state(resource)),
    toParts: (step: RecordStep): readonly WritePart[] => {
      switch (step.kind) {
        case 'create':
          return step.records.map(create)
        case 'change':
          return step.records.map(change)
        case 'remove':
          return step.records.map(remove)
        case 'exist':
          return step.ids.map((id) => () => Number(cache.isStored(resource, id)))
        case 'replace': {
          const unlogged = (record: NewRecord) => ({ ...create(record), change: undefined })
          return [toWrite('removeAll'), ...step.records.map(unlogged), skip]
        }
      }
    },
  } satisfies Partial<Collection> & Record<'toParts', unknown>
}
