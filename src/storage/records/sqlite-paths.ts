import { whenFree } from '../sqlite-database.ts'
import type { Filter, Operator, RecordQuery, SortTerm } from './records.ts'
import { and, findNarrowFilters } from './conditions.ts'
import { inResource, toColumn, toFilterCondition } from './sqlite-conditions.ts'
import type { Prepare } from './sqlite-statements.ts'
import type { Path, Stretch } from './sqlite-stretches.ts'

/** So many records may be looked at, or sorted, in one step. */
const few = 5000

/** What a plan is made for: the fields that have an index, and how much is looked at in one step. */
export interface Terrain {
  prepare: Prepare
  resource: string
  indexed: ReadonlySet<string>
  size: number
  /** How many of the first records are wanted at most; undefined for all. */
  wanted?: number
}

/** The index of the ids, which is that of the primary key. */
export const byId = 'sqlite_autoindex_records_1'

/** The path that an index on a field gives, through the whole resource. */
export function toPath(
  { resource, indexed }: Terrain,
  { field, isDescending }: SortTerm,
): Path | undefined {
  const where = inResource(resource)
  if (field === 'createdAt') return toDefaultPath(resource, isDescending)
  if (field === '_id') return { index: byId, ties: ['id'], isDescending, where }
  if (!indexed.has(field)) return undefined
  const ties = ['created_at', 'id']
  return { index: toIndexName(resource, field), key: toColumn(field), ties, isDescending, where }
}

function toDefaultPath(resource: string, isDescending: boolean): Path {
  const ties = ['created_at', 'id']
  return { index: 'records_oldest_first', ties, isDescending, where: inResource(resource) }
}

export function toIndexName(resource: string, field: string): string {
  const name = `records_of_${resource}_by_${field}`
  if (!/^\w+$/.test(name)) throw new Error(`${name} cannot be the name of an index`)
  return name
}

/** The path through those of one key. */
export function toTies({ index, ties, isDescending }: Path, { where }: Stretch): Path {
  return { index, ties, isDescending, where }
}

/** What an index leads to, if one does and it is little. */
export async function findFew(
  terrain: Terrain,
  { filters }: RecordQuery,
): Promise<Stretch | undefined> {
  for (const filter of findNarrowFilters(terrain.indexed, filters)) {
    const path = toPath(terrain, { field: filter.field, isDescending: false })
    const condition = toFilterCondition(filter, toColumn(filter.field))
    const stretch = path && { index: path.index, where: and(path.where, condition) }
    if (stretch && (await isFew(terrain.prepare, stretch))) return stretch
  }
  return undefined
}

/** A path past as few records as possible, or past all of them. */
export function findNarrowPath(terrain: Terrain, { filters }: RecordQuery): Path {
  const [filter] = findNarrowFilters(
    terrain.indexed,
    filters.filter(({ values }) => values.length === 1),
  )
  const path = filter && toPath(terrain, { field: filter.field, isDescending: false })
  return path ? narrow(path, filter) : toDefaultPath(terrain.resource, false)
}

const signs: Partial<Record<Operator, string>> = { lt: '<', lte: '<=', gt: '>', gte: '>=' }

/** The part of a path that a filter on its first column leaves. */
function narrow(path: Path, { field, operator, values }: Filter): Path {
  const end = { sql: `${toColumn(field)} ${signs[operator] ?? '='} ?`, values }
  if (operator === 'eq') return toTies(path, { index: path.index, where: and(path.where, end) })
  return operator.startsWith('l') ? { ...path, to: end } : { ...path, from: end }
}

export async function isFew(prepare: Prepare, { index, where }: Stretch): Promise<boolean> {
  const statement = prepare(
    `SELECT 1 FROM records INDEXED BY ${index} WHERE ${where.sql} LIMIT 1 OFFSET ${String(few)}`,
  )
  return (await whenFree(() => statement.get(...where.values))) === undefined
}
