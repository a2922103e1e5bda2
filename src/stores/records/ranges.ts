import { StoreFailure } from '../store-failure.ts'
import {
  fieldToColumn,
  joinAnd,
  joinOr,
  toBounds,
  toFilterCondition,
  toMarks,
} from './conditions.ts'
import type { Condition, Dialect, Row, Value } from './dialect.ts'
import { isOfText, type Filter, type RecordQuery, type SortTerm } from './records.ts'
import { nextTurn, performance } from '../../timers.ts'

export const oldestFirst = 'records_oldest_first'

export interface Term {
  column: string
  isDescending: boolean
}

export interface Source {
  dialect: Dialect
  resource: Condition
  indexes: Map<string, string>
}

export interface Scan extends Source {
  query: RecordQuery
  condition: Condition | undefined
  order: readonly Term[]
  recordsPerRange: number
  wantedRecords?: number
  /** The values of a record, by column: only later records are wanted. */
  after?: ReadonlyMap<string, Value> | undefined
}

export interface IndexRange {
  index: string
  order: readonly Term[]
  where: Condition
  // There is at most one limit on each side: of two, SQLite may seek by the wrong one.
  from?: Condition | undefined
  to?: Condition | undefined
}

export function toOrder(dialect: Dialect, sort: readonly SortTerm[]): Term[] {
  const terms = sort.map((term) => ({ ...term, column: fieldToColumn(dialect, term.field) }))
  return completeOrder(terms)
}

/** Ends with the id, so that no two records are equal. */
function completeOrder(terms: readonly Term[]): Term[] {
  const isDescending = terms[0]?.isDescending ?? false
  const last = ['created_at', 'id'].map((column) => ({ column, isDescending }))
  const order = new Map<string, Term>()
  for (const term of [...terms, ...last]) {
    if (!order.has('id') && !order.has(term.column)) order.set(term.column, term)
  }
  return [...order.values()]
}

export function toOrderBy(order: readonly Term[]): string {
  return order.map((term) => `${term.column}${term.isDescending ? ' DESC' : ''}`).join(', ')
}

interface Selection {
  what: string
  tail?: string
  values?: Row
}

export function selectRows(scan: Scan, range: IndexRange, selection: Selection) {
  if (scan.query.isCancelled?.() === true)
    throw new StoreFailure('unavailable', 'the response is no longer needed')
  const { sql, values } = toStatement(scan, range, selection)
  return scan.dialect.run(sql, values)
}

export function toStatement(
  { dialect, condition }: Scan,
  { index, where, from, to }: IndexRange,
  { what, tail = '', values: more = [] }: Selection,
): Condition {
  const { sql, values } = joinAnd(where, from, to, condition)
  const text = `SELECT ${what} FROM ${dialect.toSource(index)} WHERE ${sql} ${tail}`
  return { sql: text, values: [...values, ...more] }
}

export function toIdRange({ dialect, resource }: Scan, ids: readonly string[]): IndexRange {
  const idCondition = { sql: `id IN (${toMarks(ids)})`, values: ids }
  return { index: dialect.idIndex, order: [], where: joinAnd(resource, idCondition) }
}

export function findRange({ indexes, resource }: Scan, term: Term): IndexRange | undefined {
  const index = indexes.get(term.column)
  return index === undefined ? undefined : { index, order: completeOrder([term]), where: resource }
}

function narrowToKey({ index, order, where }: IndexRange, keyCondition: Condition): IndexRange {
  return { index, order: order.slice(1), where: joinAnd(where, keyCondition) }
}

export async function findFew(scan: Scan): Promise<IndexRange | undefined> {
  for (const matching of findKeyRanges(scan)) if (await isFew(scan, matching)) return matching
  return undefined
}

/** Returns a range whose records are in any order. */
export function findMatching(scan: Scan): IndexRange {
  return findKeyRanges(scan)[0] ?? findNarrowRange(scan)
}

function findKeyRanges(scan: Scan): IndexRange[] {
  return scan.query.filters.flatMap((filter) => {
    const range = findFilterRange(scan, filter)
    return range ? [narrowToKey(range, toFilterCondition(scan.dialect, filter))] : []
  })
}

function findFilterRange(scan: Scan, { field, operator }: Filter, isDescending = false) {
  if (operator === 'ne' || isOfText(operator)) return undefined
  return findRange(scan, { column: fieldToColumn(scan.dialect, field), isDescending })
}

export function findNarrowRange(scan: Scan, isDescending = false): IndexRange {
  for (const filter of scan.query.filters) {
    const range = findFilterRange(scan, filter, isDescending)
    const [value, ...more] = filter.values
    if (!range || value === undefined || more.length > 0) continue
    if (filter.operator === 'eq') return narrowToKey(range, toFilterCondition(scan.dialect, filter))
    const limits = toBounds(scan.dialect, { ...filter, value })
    const [from, to] = isDescending ? limits.toReversed() : limits
    return { ...range, from, to }
  }
  const order = completeOrder([{ column: 'created_at', isDescending }])
  return { index: oldestFirst, order, where: scan.resource }
}

export async function isFew(scan: Scan, range: IndexRange): Promise<boolean> {
  const all = { ...scan, condition: undefined }
  const few = isSlow(scan) ? fewSearched : 5000
  const selection = { what: '1', tail: `LIMIT 1 OFFSET ${String(few)}` }
  return (await selectRows(all, range, selection)).length === 0
}

/** Small: the texts of a record can be a thousand times as long as those of another. */
const fewSearched = 4

function isSlow({ dialect, query }: Scan): boolean {
  const isSearched = query.search ?? query.filters.find(({ operator }) => isOfText(operator))
  return dialect.isBlocking && isSearched !== undefined
}

/** Tests each record of a range that is in another order than the list. */
export function toLater({ dialect, order, after }: Scan, range: IndexRange): IndexRange {
  if (!after) return range
  const isLater = order.reduceRight<Condition>((rest, { column, isDescending }) => {
    const values = [after.get(column) ?? null]
    const tested = `${dialect.unindexed}${column}`
    const isBeyond = { sql: `${tested} ${isDescending ? '<' : '>'} ?`, values }
    return joinOr([isBeyond, joinAnd({ sql: `${tested} = ?`, values }, rest)])
  }, joinOr([]))
  return { ...range, where: joinAnd(range.where, isLater) }
}

/** Divides it into ranges of at most `recordsPerRange` records. `readKey` reads those of the last key of each range. */
export async function* divideRange(
  scan: Scan,
  range: IndexRange,
  readKey?: (scan: Scan, range: IndexRange) => AsyncIterable<IndexRange>,
): AsyncGenerator<IndexRange> {
  const { dialect, after } = scan
  const isByKey = readKey !== undefined || (range.order.length > 2 && !dialect.seeksRows)
  const order = isByKey ? range.order.slice(0, 1) : range.order
  const [earlier, later] = order[0]?.isDescending === true ? ['>', '<'] : ['<', '>']
  const columns = order.map(({ column }) => column)
  const rests = { ...scan, after: undefined }
  const size = createRangeSize(scan)
  let rest = range
  let values = after
    ? columns.map((column) => after.get(column) ?? null)
    : await findEnd(scan, range, { order, size: size.next() })
  for (let isStart = after !== undefined; values; isStart = false) {
    const row = values
    const compare = (sign: string) => compareRows(dialect, columns, { sign, values: row })
    if (!isStart) yield { ...rest, to: compare(isByKey ? earlier : `${earlier}=`) }
    if (isByKey)
      yield* (readKey ?? divideRange)(isStart ? scan : rests, narrowToKey(range, compare('=')))
    rest = { ...range, from: compare(later) }
    values = await findEnd(scan, rest, { order, size: size.next() })
  }
  yield rest
}

const shortMs = 10

/** The records of a range: starts small and grows while their texts are searched in a short time. */
function createRangeSize(scan: Scan) {
  const { recordsPerRange } = scan
  if (!isSlow(scan)) return { next: () => recordsPerRange }
  let size = fewSearched / 2
  let startedAt = -Infinity
  return {
    next: () => {
      const now = performance.now()
      const isShort = startedAt === -Infinity || now - startedAt < shortMs
      size = Math.ceil(Math.min(isShort ? size * 2 : size / 2, recordsPerRange))
      startedAt = now
      return size
    },
  }
}

interface RangeEnd {
  order: readonly Term[]
  size: number
}

async function findEnd(scan: Scan, range: IndexRange, { order, size }: RangeEnd) {
  await nextTurn()
  if (size === Infinity) return undefined
  const what = order.map(({ column }) => column).join(', ')
  const tail = `ORDER BY ${toOrderBy(order)} LIMIT 1 OFFSET ${String(size - 1)}`
  return (await selectRows({ ...scan, condition: undefined }, range, { what, tail }))[0]
}

export function compareRows(
  { seeksRows }: Dialect,
  columns: readonly string[],
  { sign, values }: { sign: string; values: Row },
): Condition {
  const rows = { sql: `(${columns.join(', ')}) ${sign} (${toMarks(columns)})`, values }
  const [first = '', ...others] = columns
  if (!seeksRows || others.length === 0) return rows
  return joinAnd({ sql: `${first} ${sign.slice(0, 1)}= ?`, values: values.slice(0, 1) }, rows)
}
