import type { PostgresDatabase } from '../postgres-database.ts'
import { and, findNarrowFilters } from './conditions.ts'
import { inResource, toColumn, toFilterCondition, toStatement } from './postgres-conditions.ts'
import type { Path, Stretch } from './postgres-stretches.ts'
import type { RecordQuery, SortTerm } from './records.ts'

/** So many records may be looked at, or sorted, in one step. */
const few = 5000

/** What a plan is made for: the fields that have an index, and how much is looked at in one step. */
export interface Terrain {
  database: PostgresDatabase
  resource: string
  indexed: ReadonlySet<string>
  size: number
  /** How many of the first records are wanted at most; undefined for all. */
  wanted?: number
}

/** The path that an index on a field gives, through the whole resource. */
export function toPath(
  { resource, indexed }: Terrain,
  { field, isDescending }: SortTerm,
): Path | undefined {
  const where = inResource(resource)
  if (field === 'createdAt') return toDefaultPath(resource, isDescending)
  if (field === '_id') return { ties: ['id'], isDescending, where }
  if (!indexed.has(field)) return undefined
  return { key: toColumn(field), ties: ['created_at', 'id'], isDescending, where }
}

function toDefaultPath(resource: string, isDescending: boolean): Path {
  return { ties: ['created_at', 'id'], isDescending, where: inResource(resource) }
}

export function toIndexName(resource: string, field: string): string {
  const name = `records_of_${resource}_by_${field}`
  if (!/^\w+$/.test(name)) throw new Error(`${name} cannot be the name of an index`)
  return name.toLowerCase()
}

/** The path through those of one key. */
export function toTies({ ties, isDescending }: Path, { where }: Stretch): Path {
  return { ties, isDescending, where }
}

/** What an index leads to, if one does and it is little. */
export async function findFew(
  terrain: Terrain,
  { filters }: RecordQuery,
): Promise<Stretch | undefined> {
  for (const filter of findNarrowFilters(terrain.indexed, filters)) {
    const stretch = { where: and(inResource(terrain.resource), toFilterCondition(filter)) }
    if (await isFew(terrain.database, stretch)) return stretch
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
  if (!path) return toDefaultPath(terrain.resource, false)
  return { ...path, where: and(path.where, toFilterCondition(filter)) }
}

export async function isFew(database: PostgresDatabase, { where }: Stretch): Promise<boolean> {
  const { rows } = await database.run(
    toStatement(
      `SELECT 1 FROM records WHERE ${where.sql} LIMIT 1 OFFSET ${String(few)}`,
      where.values,
    ),
  )
  return rows.length === 0
}
