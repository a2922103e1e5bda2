import { and, inResource, toColumn, toEnds, toFilterCondition } from './conditions.ts'
import type { Condition, Dialect } from './dialect.ts'
import type { Term } from './order.ts'
import { isOfText, type Filter, type RecordQuery } from './records.ts'

export const oldestFirst = 'records_oldest_first'

export interface Scan {
  dialect: Dialect
  resource: string
  /** By column. */
  indexes: ReadonlyMap<string, string>
  /** The number of records of one step. */
  size: number
  /** The number of first records that are wanted; undefined for all. */
  wanted?: number
}

export interface IndexRange {
  index: string
  /** The first column of the index; undefined where the index has only `ties`. */
  key?: string
  /** The columns that distinguish the records of one key. */
  ties: readonly string[]
  isDescending: boolean
  where: Condition
  from?: Condition | undefined
  to?: Condition | undefined
}

export interface Chunk {
  index: string
  where: Condition
  /** Whether all records have the same key; then there may be any number of them. */
  isOneKey?: boolean
}

export function toChunk({ index, where, from, to }: IndexRange): Chunk {
  // At most one limit on each side: of two, SQLite may seek by the wrong one.
  return { index, where: and(where, from, to) }
}

export function toIdChunk({ dialect, resource }: Scan, ids: readonly string[]): Chunk {
  const isOne = { sql: `id IN (${ids.map(() => '?').join(', ')})`, values: ids }
  return { index: dialect.idIndex, where: and(inResource(dialect, resource), isOne) }
}

export function toColumns({ key, ties }: IndexRange): readonly string[] {
  return key === undefined ? ties : [key, ...ties]
}

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

export function toOneKey({ index, ties, isDescending }: IndexRange, where: Condition): IndexRange {
  return { index, ties, isDescending, where }
}

export function isOrderedBy(range: IndexRange, order: readonly Term[]): boolean {
  const columns = toColumns(range)
  return (
    columns.length === order.length &&
    order.every(
      (term, index) => term.column === columns[index] && term.isDescending === range.isDescending,
    )
  )
}

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

function findFilterRange(
  scan: Scan,
  { field, operator }: Filter,
  isDescending?: boolean,
): IndexRange | undefined {
  if (operator === 'ne' || isOfText(operator)) return undefined
  return findRange(scan, toColumn(scan.dialect, field), isDescending)
}

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

/** The number of records that one step may read or sort. */
const few = 5000

export async function isFew(dialect: Dialect, { index, where }: Chunk): Promise<boolean> {
  const source = dialect.toSource(index)
  const text = `SELECT 1 FROM ${source} WHERE ${where.sql} LIMIT 1 OFFSET ${String(few)}`
  return (await dialect.run(text, where.values)).length === 0
}
