import { and, inResource, toColumn, toEnds, toFilterCondition } from './conditions.ts'
import type { Condition, Dialect } from './dialect.ts'
import type { Term } from './order.ts'
import { isOfText, type Filter, type RecordQuery } from './records.ts'

/** The index of every resource on `created_at` and `id`. */
export const oldestFirst = 'records_oldest_first'

/** What a plan is made for. */
export interface Scan {
  dialect: Dialect
  resource: string
  /** The indexes by the column that they are on. */
  indexes: ReadonlyMap<string, string>
  /** How many records are looked at in one step. */
  size: number
  /** How many of the first records are wanted at most; undefined for all. */
  wanted?: number
}

/** A part of an index, in its order. */
export interface IndexRange {
  index: string
  /** What the index is by before `ties`; undefined where it is by `ties` alone. */
  key?: string
  /** The columns that distinguish the records of one key. */
  ties: readonly string[]
  isDescending: boolean
  where: Condition
  /** Where along the index to begin and to end. */
  from?: Condition | undefined
  to?: Condition | undefined
}

/** Records that come before all those of the next chunk. */
export interface Chunk {
  index: string
  where: Condition
  /** Whether all records are of one key; then there may be any number of them. */
  isOneKey?: boolean
}

/** The whole range at once. */
export function toChunk({ index, where, from, to }: IndexRange): Chunk {
  // SQLite may seek by the wrong one of two ends on one side, so there is never more than one.
  return { index, where: and(where, from, to) }
}

/** The records of these ids. */
export function toIdChunk({ dialect, resource }: Scan, ids: readonly string[]): Chunk {
  const isOne = { sql: `id IN (${ids.map(() => '?').join(', ')})`, values: ids }
  return { index: dialect.idIndex, where: and(inResource(dialect, resource), isOne) }
}

/** The columns of a range in their order. */
export function toColumns({ key, ties }: IndexRange): readonly string[] {
  return key === undefined ? ties : [key, ...ties]
}

/** The index on a column, through the whole resource. */
export function findRange(
  { dialect, resource, indexes }: Scan,
  column: string,
  isDescending = false,
): IndexRange | undefined {
  const index = indexes.get(column)
  if (index === undefined) return undefined
  const where = inResource(dialect, resource)
  if (column === 'id') return { index, ties: ['id'], isDescending, where }
  const range = { index, ties: ['created_at', 'id'], isDescending, where }
  return column === 'created_at' ? range : { ...range, key: column }
}

/** The part of a range that has one key. */
export function toOneKey({ index, ties, isDescending }: IndexRange, where: Condition): IndexRange {
  return { index, ties, isDescending, where }
}

/** Whether a range has this order: its columns, all in one direction. */
export function isOrderedBy(range: IndexRange, order: readonly Term[]): boolean {
  const columns = toColumns(range)
  return (
    columns.length === order.length &&
    order.every(
      (term, index) => term.column === columns[index] && term.isDescending === range.isDescending,
    )
  )
}

/** The records that an index leads to, if there are few. */
export async function findFew(scan: Scan, { filters }: RecordQuery): Promise<Chunk | undefined> {
  for (const filter of filters) {
    const range = findFilterRange(scan, filter)
    if (!range) continue
    const where = and(range.where, toFilterCondition(scan.dialect, filter))
    const chunk = { index: range.index, where }
    if (await isFew(scan.dialect, chunk)) return chunk
  }
  return undefined
}

/** The index that a filter can be looked up in. */
function findFilterRange(
  scan: Scan,
  { field, operator }: Filter,
  isDescending?: boolean,
): IndexRange | undefined {
  if (operator === 'ne' || isOfText(operator)) return undefined
  return findRange(scan, toColumn(scan.dialect, field), isDescending)
}

/** A range with as few records as possible, or with all of them. */
export function findNarrowRange(
  scan: Scan,
  { filters }: RecordQuery,
  isDescending = false,
): IndexRange {
  for (const filter of filters) {
    const range = findFilterRange(scan, filter, isDescending)
    const [value, ...more] = filter.values
    if (range && value !== undefined && more.length === 0) {
      return narrow(scan.dialect, range, { ...filter, value })
    }
  }
  const where = inResource(scan.dialect, scan.resource)
  return { index: oldestFirst, ties: ['created_at', 'id'], isDescending, where }
}

function narrow(
  dialect: Dialect,
  range: IndexRange,
  comparison: Parameters<typeof toEnds>[1],
): IndexRange {
  const [own, other] = toEnds(dialect, comparison)
  if (comparison.operator === 'eq') return toOneKey(range, and(range.where, own))
  const isUpper = comparison.operator.startsWith('l') !== range.isDescending
  return isUpper ? { ...range, from: other, to: own } : { ...range, from: own, to: other }
}

/** So many records may be looked at, or sorted, in one step. */
const few = 5000

export async function isFew(dialect: Dialect, { index, where }: Chunk): Promise<boolean> {
  const source = dialect.toSource(index)
  const text = `SELECT 1 FROM ${source} WHERE ${where.sql} LIMIT 1 OFFSET ${String(few)}`
  return (await dialect.run(text, where.values)).length === 0
}
