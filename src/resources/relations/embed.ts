import { formatMebibytes, formatNumber } from '../../config/format-count.ts'
import { maxEmbedLevels, maxEmbeds, maxRecordsAtOnce, maxLoadLength } from '../../config/limits.ts'
import { badRequest } from '../../http/errors/http-error.ts'
import { type Document, type StoredRecord } from '../../stores/records/records.ts'
import type { Relation, ResourceContext } from '../context.ts'
import type { Resource } from '../definition.ts'
import { badParameter, type ParameterTexts } from '../../lists/parameters.ts'
import { toRepresentation } from '../record/representations.ts'
import { findReferenced, loadParents, toChildFilter } from './relations.ts'

export type Embeds = ReadonlyMap<Relation, Embeds>

const limitsOfResponse = { records: maxRecordsAtOnce, length: maxLoadLength }
type Budget = typeof limitsOfResponse

const embedNames = ['embed', '_embed', '_expand']

export function isEmbed({ fields }: Resource, parameter: string): boolean {
  return embedNames.includes(parameter) && fields.every(({ name }) => name !== parameter)
}

/** `author,comments.author`. Undefined without a parameter. */
export function parseEmbeds(context: ResourceContext, parameters: ParameterTexts) {
  const names = [...parameters.keys()].filter((name) => isEmbed(context.resource, name))
  const embeds = new Map<Relation, Embeds>()
  let count = 0
  for (const name of names) {
    const paths = parameters.get(name)?.join().split(',') ?? []
    for (const path of paths.filter((text) => text !== '')) {
      count += add(context, embeds, { name, steps: path.split('.') })
      if (count > maxEmbeds)
        throw badParameter(name, `must name at most ${String(maxEmbeds)} relations`)
    }
  }
  return names.length === 0 ? undefined : embeds
}

export function withoutEmbeds(resource: Resource, parameters: ParameterTexts): ParameterTexts {
  return new Map([...parameters].filter(([name]) => !isEmbed(resource, name)))
}

function add(
  { relations, resource }: ResourceContext,
  embeds: Map<Relation, Embeds>,
  { name, steps }: { name: string; steps: readonly string[] },
): number {
  if (steps.length > maxEmbedLevels)
    throw badParameter(name, `must have at most ${String(maxEmbedLevels)} levels`)
  const [first = '', ...rest] = steps
  const relation = relations.find((known) => known.name === first)
  if (relation === undefined) {
    const known = relations.map((each) => each.name).join(', ') || 'none'
    throw badParameter(
      name,
      `has the unknown relation ${first} of ${resource.name}. Known: ${known}`,
    )
  }
  const inside = new Map(embeds.get(relation))
  const isNew = embeds.has(relation) ? 0 : 1
  embeds.set(relation, inside)
  return isNew + (rest.length > 0 ? add(relation.other, inside, { name, steps: rest }) : 0)
}

/** How often each record is in the response: two posts of one author have it twice. */
type Uses = ReadonlyMap<StoredRecord, number>

/** The embedded members of each record, with one query for each relation. Throws 400 for too many. */
export function loadEmbedded(records: readonly StoredRecord[], embeds: Embeds) {
  const uses = new Map(records.map((record) => [record, 1]))
  return loadMembers(uses, embeds, { ...limitsOfResponse })
}

async function loadMembers(uses: Uses, embeds: Embeds, budget: Budget) {
  const members: ((record: StoredRecord) => [string, unknown])[] = []
  for (const [relation, inside] of embeds) {
    const { name, isToParent, other } = relation
    const { groups, uses: inner } = await loadRelated(relation, uses, budget)
    const toInside = await loadMembers(inner, inside, budget)
    const toEmbedded = (record: StoredRecord) => ({
      ...toRepresentation(other.resource, record),
      ...toInside(record),
    })
    const toRelatedId = toParentId(relation, !isToParent)
    members.push((record) => {
      const shown = (groups.get(toRelatedId(record)) ?? []).map(toEmbedded)
      return [name, isToParent ? (shown[0] ?? null) : shown]
    })
  }
  return (record: StoredRecord): Document => {
    const embedded = members.map((toMember) => toMember(record))
    // A stored field of this name would be hidden.
    return Object.fromEntries(embedded.filter(([name]) => !Object.hasOwn(record.document, name)))
  }
}

const toParentId =
  ({ field }: Relation, isParent: boolean) =>
  (record: StoredRecord) =>
    isParent ? record.id : (findReferenced(record, field) ?? '')

async function loadRelated(relation: Relation, before: Uses, budget: Budget) {
  const { isToParent } = relation
  const records = [...before.keys()]
  const counts = new Map<string, number>()
  const toOwnKey = toParentId(relation, !isToParent)
  for (const [record, count] of before) {
    const key = toOwnKey(record)
    counts.set(key, (counts.get(key) ?? 0) + count)
  }
  const toRelatedId = toParentId(relation, isToParent)
  const uses = new Map<StoredRecord, number>()
  const pages = isToParent ? [loadParents(relation, records)] : loadChildren(relation, records)
  for await (const page of pages) {
    for (const record of page) {
      const count = counts.get(toRelatedId(record)) ?? 0
      uses.set(record, count)
      budget.records -= count
      budget.length -= count * JSON.stringify(record.document).length
    }
    if (budget.records < 0 || budget.length < 0) throw tooMany()
  }
  return { groups: Map.groupBy(uses.keys(), toRelatedId), uses }
}

function loadChildren(relation: Relation, records: readonly StoredRecord[]) {
  const ids = records.map(({ id }) => id)
  return relation.other.collection.pages({ filters: [toChildFilter(relation, ids)], sort: [] })
}

function tooMany() {
  const limit = `${formatNumber(limitsOfResponse.records)} records or ${formatMebibytes(limitsOfResponse.length)}`
  return badRequest(
    `More than ${limit} would be embedded. Request a shorter page, or the related list.`,
  )
}
