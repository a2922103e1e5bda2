import { isDeepStrictEqual } from 'node:util'
import { conflict, unprocessable, type FieldProblem } from '../../http/errors/http-error.ts'
import { isFieldValue } from '../../stores/records/records.ts'
import type {
  Collection,
  Document,
  RecordStep,
  WriteStep,
  StoredRecord,
} from '../../stores/records/records.ts'
import type { ResourceContext } from '../context.ts'
import { findValue } from '../field-values.ts'
import { planRemoval } from './plan-removal.ts'
import { findReferenced } from './relations.ts'

interface ReferenceCheck {
  step: WriteStep
  problem: FieldProblem
}

const maxRemoveAttempts = 20

export function checkWrites(context: ResourceContext): Collection {
  const { collection, records, relations, resource } = context
  const write = async (checks: readonly ReferenceCheck[], step: RecordStep) => {
    const own = { collection: resource.name, ...step }
    const failed = await records.commit([...checks.map((check) => check.step), own])
    const problem = failed === undefined ? undefined : checks[failed]?.problem
    if (failed === undefined || !problem) return failed === undefined
    const others = checks.slice(failed + 1).map(async (check) => {
      const isFailed = (await records.commit([check.step])) !== undefined
      return isFailed ? [check.problem] : []
    })
    throw unprocessable([problem, ...(await Promise.all(others)).flat()])
  }
  return {
    ...collection,
    create: async (record) => {
      const checks = toChecks(context, record)
      if (checks.length === 0) return collection.create(record)
      return write(checks, { kind: 'create', records: [record] })
    },
    change: async (record) => {
      if (resource.references.length + resource.unique.length === 0)
        return collection.change(record)
      const current = await collection.find(record.id)
      if (current?.version !== record.version) return false
      const checks = toChecks(context, record, current.document)
      if (checks.length === 0) return collection.change(record)
      return write(checks, { kind: 'change', records: [record] })
    },
    remove: async (id, version) => {
      if (relations.every(({ isToParent }) => isToParent)) return collection.remove(id, version)
      for (let attempt = 1; attempt <= maxRemoveAttempts; attempt += 1) {
        const current = await collection.find(id)
        if (!current || current.version !== (version ?? current.version)) return false
        if ((await records.commit(await planRemoval(context, current))) === undefined) return true
      }
      throw conflict(`Too many requests are changing the records that reference ${id}.`)
    },
  }
}

function toChecks(
  { resource, relations }: ResourceContext,
  { id, document }: Pick<StoredRecord, 'id' | 'document'>,
  before: Document = {},
): ReferenceCheck[] {
  const toNew = (field: string) => {
    const value = findValue(document, field) ?? null
    return isDeepStrictEqual(value, findValue(before, field)) ? null : value
  }
  const parents = relations.flatMap(
    ({ isToParent, isInferred, field, other }): ReferenceCheck[] => {
      const value = toNew(field)
      const referenced = findReferenced({ document }, field) ?? ''
      const isOwn = other.resource === resource && referenced === id
      if (!isToParent || isInferred || value === null || isOwn || !resource.isChecked) return []
      const message = `must be the id of an existing ${other.resource.singular}`
      const step: WriteStep = { collection: other.resource.name, kind: 'exist', ids: [referenced] }
      return [{ step, problem: { field, message } }]
    },
  )
  const unique = resource.unique.flatMap((field): ReferenceCheck[] => {
    const value = toNew(field)
    if (value === null || !isFieldValue(value)) return []
    const filters = [
      { field: [field], operator: 'eq', values: [value] },
      { field: '_id', operator: 'ne', values: [id] },
    ] as const
    const problem = { field, message: `is that of another ${resource.singular}` }
    return [{ step: { collection: resource.name, kind: 'none', filters }, problem }]
  })
  return [...parents, ...unique]
}
