import { formatCount, formatNumber } from '../../config/format-count.ts'
import { maxRemovedRecords } from '../../config/limits.ts'
import { conflict, HttpError } from '../../http/errors/http-error.ts'
import { html, type Html } from '../../site/html.ts'
import type {
  Document,
  RecordVersion,
  WriteStep,
  StoredRecord,
} from '../../stores/records/records.ts'
import type { Relation, ResourceContext } from '../context.ts'
import type { Resource } from '../definition.ts'
import { toLower } from '../field-values.ts'
import { toHref } from '../../lists/parameters.ts'
import { toChildFilter } from './relations.ts'

interface ReferenceChange {
  resource: Resource
  record: StoredRecord
  document: Document
}

interface Plan {
  removed: Set<string>
  changes: Map<string, ReferenceChange>
  conditions: WriteStep[]
  restricts: Restrict[]
  maxRecords: number
}

interface Restrict {
  relation: Relation
  count: number
  /** Of the records that are referenced. */
  ids: readonly string[]
}

/** What is deleted with a record, or with several, for a confirmation. */
export function renderRemoved(context: ResourceContext, what: 'it' | 'them'): Html {
  const others = listRemoved(context)
    .join(', ')
    .replace(/, ([^,]*)$/, ' and $1')
  return others
    ? html`<p>Deleted with ${what}: the ${others} that reference ${what}.</p>\n`
    : html``
}

/** The titles of the lists of which records are deleted with those of this one. */
function listRemoved({ resource, config, relations }: ResourceContext): readonly string[] {
  const lists = new Map<Resource, readonly Relation[]>([[resource, relations]])
  const removed = new Set<string>()
  // The map grows. json-server 0.17 deletes what references a record, and nothing that references that.
  for (const [, each] of lists) {
    for (const { isToParent, onDelete, other } of each) {
      const isRemoved = resource.hasDialect ? config.jsonServer === '0.17' : onDelete === 'cascade'
      if (isToParent || !isRemoved) continue
      removed.add(toLower(other.resource.title))
      if (!resource.hasDialect) lists.set(other.resource, other.relations)
    }
  }
  return [...removed]
}

interface Level {
  context: ResourceContext
  records: readonly RecordVersion[]
}

/**
 * The removal of a record with all that its children require, in the order of the locks: parents first.
 * Throws 409 if a child forbids it.
 */
export async function planRemoval(
  context: ResourceContext,
  record: StoredRecord,
): Promise<WriteStep[]> {
  const plan: Plan = {
    removed: new Set(),
    changes: new Map(),
    conditions: [],
    restricts: [],
    maxRecords: maxRemovedRecords[context.resource.hasDialect ? 'jsonServer' : 'usual'],
  }
  plan.removed.add(toRecordKey(context.resource, record.id))
  const levels: Level[] = [{ context, records: [record] }]
  // The array grows: each level adds the children that are removed with it.
  for (const level of levels) {
    for (const relation of level.context.relations.filter(({ isToParent }) => !isToParent)) {
      const records = await planChildren(plan, level, relation)
      if (records.length > 0) levels.push({ context: relation.other, records })
      if (plan.restricts.length === maxNamed) break
    }
    if (plan.restricts.length > 0) throw toConflict(level.context.resource, plan.restricts)
  }
  const updatedAt = new Date().toISOString()
  const changes = [...plan.changes].filter(([key]) => !plan.removed.has(key))
  return [
    ...levels.map(({ context: { resource }, records }): WriteStep => {
      return { collection: resource.name, kind: 'remove', records }
    }),
    ...changes.map(([, { resource, record, document }]): WriteStep => {
      const { id, version } = record
      const records = [{ id, version, document, updatedAt }]
      return { collection: resource.name, kind: 'change', records }
    }),
    ...plan.conditions,
  ]
}

async function planChildren(plan: Plan, { records }: Level, relation: Relation) {
  const { field, onDelete, other } = relation
  const { maxRecords } = plan
  const ids = records.map(({ id }) => id)
  const filters = [toChildFilter(relation, ids)]
  plan.conditions.push({ collection: other.resource.name, kind: 'none', filters })
  const children: StoredRecord[] = []
  const isOver = () => children.length + plan.removed.size + plan.changes.size > maxRecords
  for await (const page of other.collection.pages({ filters, sort: [] })) {
    const kept = page.filter(({ id }) => !plan.removed.has(toRecordKey(other.resource, id)))
    // The documents of records to remove are not needed, and may be large.
    const isShort = onDelete !== 'set null'
    children.push(...(isShort ? kept.map((record) => ({ ...record, document: {} })) : kept))
    if (isOver()) break
  }
  if (onDelete === 'restrict' && children.length > 0) {
    const count = isOver() ? await other.collection.count({ filters, sort: [] }) : children.length
    plan.restricts.push({ relation, count, ids })
    return []
  }
  if (isOver())
    throw conflict(`More than ${formatNumber(maxRecords)} records would be changed or deleted.`)
  for (const record of children) {
    const key = toRecordKey(other.resource, record.id)
    const { document } = plan.changes.get(key) ?? record
    const change = { resource: other.resource, record, document: { ...document, [field]: null } }
    if (onDelete === 'cascade') plan.removed.add(key)
    else plan.changes.set(key, change)
  }
  return onDelete === 'cascade' ? children.map(({ id, version }) => ({ id, version })) : []
}

/** One response names no more references. */
const maxNamed = 10

/** A URL has no more ids. */
const maxLinkedIds = 20

function toConflict({ singular }: Resource, restricts: readonly Restrict[]): HttpError {
  const named = restricts.map(({ relation: { field, other }, count, ids }) => {
    const { name, path, singular: one, title } = other.resource
    const many = toLower(title)
    const url = toHref({ path, parameters: new Map([[field, ids]]) })
    return {
      text: `${formatCount(count, `${one} references`, `${many} reference`)} it in ${field}`,
      these: count === 1 ? `this ${one}` : `these ${many}`,
      link: [url, `Show the ${count === 1 ? one : formatCount(count, one, many)}`] as const,
      isLinked: ids.length <= maxLinkedIds,
      reference: { resource: name, field, count },
    }
  })
  const references = named.map(({ reference, isLinked, link: [url] }) => {
    return isLinked ? { ...reference, url } : reference
  })
  const links = named.filter(({ isLinked }) => isLinked).map(({ link }) => link)
  const [first, ...others] = named
  const which = first && others.length === 0 ? first.these : 'these records'
  const texts = named.map(({ text }) => text).join(', ')
  const detail = `The ${singular} cannot be deleted: ${texts}. Delete or change ${which} first.`
  return new HttpError('conflict', detail, { members: { references }, links })
}

const toRecordKey = ({ name }: Resource, id: string) => `${name}/${id}`
