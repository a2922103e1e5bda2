import { hash } from 'node:crypto'
import { fieldToColumn, joinAnd, toCondition, toLater, toMarks, toOperand } from './conditions.ts'
import { columns, oldestFirst, toStoredRecord } from './dialect.ts'
import type { Condition, SqlDialect, Row, Term, Value } from './dialect.ts'
import { allRecords, isOfText, toPositionFields } from './records.ts'
import type {
  Collection,
  FieldPath,
  Filter,
  RecordPages,
  Position,
  SortTerm,
  RecordQuery,
} from './records.ts'
import { isOfPlace } from '../sandboxes/places.ts'
import { nextTurn } from '../../timers.ts'

interface ListSource {
  dialect: SqlDialect
  resource: Condition
  indexes: Map<string, string>
}

interface Scan extends ListSource {
  query: RecordQuery
  condition: Condition | undefined
  order: readonly Term[]
  /** Whether an index has this order. */
  isOrdered: boolean
}

export function createLists(dialect: SqlDialect, name: string) {
  const indexes = new Map([
    ['id', dialect.idIndex],
    ['created_at', oldestFirst],
  ])
  // The name is not a parameter, because a partial index is used for a constant only. Sandboxes have no such index,
  // and statements that all of them share.
  const isConstant = !isOfPlace(name)
  const resource = isConstant
    ? { sql: `resource = ${dialect.quote(name)}`, values: [] }
    : { sql: 'resource = ?', values: [name] }
  const source = { dialect, resource, indexes }
  return {
    index: async (fields) => (isConstant ? createIndexes(source, fields) : undefined),
    /** SQL that finds a record that matches, if there is one. */
    toMatch: (filters: readonly Filter[]): Condition => {
      const scan = toScan(source, { filters, sort: [] })
      const { sql, values } = joinAnd(resource, scan.condition)
      const from = dialect.toSource(findIndexes(scan)[0] ?? oldestFirst)
      return { sql: `SELECT 1 FROM ${from} WHERE ${sql} LIMIT 1`, values }
    },
    list: async (query, part) => {
      const scan = toScan(source, query)
      const from = part.after && toOperands(scan, part.after)
      return (await select(scan, { ...part, from })).map(toStoredRecord)
    },
    count: async (query = allRecords) => {
      const scan = toScan(source, query)
      const text = 'SELECT coalesce(sum(count), 0) FROM record_counts WHERE resource = ?'
      const rows = scan.condition
        ? await read(scan, {
            toStatement: (rest) => `SELECT count(*) FROM ${rest}`,
            isTested: true,
          })
        : await dialect.run(text, [name])
      return Number(rows[0]?.[0])
    },
    pages: (query = allRecords) => {
      const scan = toScan(source, query)
      return scan.condition || !scan.isOrdered ? readIdsFirst(scan) : readInOrder(scan)
    },
  } satisfies Partial<Collection> & Record<'toMatch', unknown>
}

async function createIndexes(
  { dialect, indexes, resource }: ListSource,
  fields: readonly FieldPath[],
) {
  for (const column of fields.map((field) => fieldToColumn(dialect, field))) {
    if (indexes.has(column)) continue
    const definition = `(${column}, created_at, id) WHERE ${resource.sql}`
    const name = `records_by_${hash('sha256', definition).slice(0, 16)}`
    if (await dialect.createIndex(name, definition)) indexes.set(column, name)
  }
}

function toScan(source: ListSource, query: RecordQuery): Scan {
  const { dialect, indexes } = source
  const order = toOrder(dialect, query.sort)
  const [first] = order
  const isOrdered = toOrderBy(order) === toOrderBy(toOrder(dialect, query.sort.slice(0, 1)))
  const hasIndex = first !== undefined && indexes.has(first.column)
  const condition = toCondition(dialect, query)
  return { ...source, query, condition, order, isOrdered: isOrdered && hasIndex }
}

/** Ends with the id, so that no two records are equal. */
function toOrder(dialect: SqlDialect, sort: readonly SortTerm[]): Term[] {
  const isDescending = sort[0]?.isDescending ?? false
  const terms = sort.map((term) => ({ ...term, column: fieldToColumn(dialect, term.field) }))
  const order = new Map<string, Term>()
  for (const term of [
    ...terms,
    ...['created_at', 'id'].map((column) => ({ column, isDescending })),
  ])
    if (!order.has('id') && !order.has(term.column)) order.set(term.column, term)
  return [...order.values()]
}

function toOrderBy(order: readonly Term[]): string {
  return order.map(({ column, isDescending }) => `${column}${isDescending ? ' DESC' : ''}`).join()
}

function toOperands({ dialect, query, order }: Scan, position: Position): Row {
  const entries = toPositionFields(query).map((field, index) => {
    const operand = toOperand(dialect, field, position[index] ?? null)
    return [fieldToColumn(dialect, field), operand] as const
  })
  const operands = new Map<string, Value>(entries)
  return order.map(({ column }) => operands.get(column) ?? null)
}

interface RowSlice {
  offset: number
  limit: number
  /** The values of the order, of a record: only later records are wanted. */
  from?: Row | undefined
}

async function select(
  scan: Scan,
  { offset, limit, from }: RowSlice,
  toStatement: (rest: string, limit: number) => string = (rest) => `SELECT ${columns} FROM ${rest}`,
): Promise<Row[]> {
  const { order, isOrdered, indexes, condition } = scan
  const isTested = condition !== undefined || !isOrdered || (!from && offset > maxSkipped)
  const rows: Row[] = []
  const hasIndex = indexes.has(order[0]?.column ?? '')
  for (const later of from ? toLater(order, from, hasIndex) : [undefined]) {
    const missing = limit - rows.length
    const values = [missing, from ? 0 : offset]
    const tail = { sql: `ORDER BY ${toOrderBy(order)} LIMIT ? OFFSET ?`, values }
    const toOne = (rest: string) => toStatement(rest, missing)
    rows.push(...(await read(scan, { toStatement: toOne, isTested, later, tail })))
    if (rows.length >= limit) break
  }
  return rows
}

/** With an index, so many records are skipped in less than a millisecond. */
const maxSkipped = 10_000

interface ListStatement {
  toStatement: (rest: string) => string
  /** Whether it can take long. */
  isTested: boolean
  later?: Condition | undefined
  tail?: Condition
}

async function read(scan: Scan, statement: ListStatement) {
  const { dialect, query } = scan
  const queries = toQueries(scan, statement)
  return statement.isTested ? dialect.read(queries, query.isCancelled) : runFirst(dialect, queries)
}

/** The same query for each index: all find the same rows. */
function toQueries(scan: Scan, { toStatement, isTested, later, tail }: ListStatement): Condition[] {
  const { dialect, resource, condition } = scan
  const limit = isTested ? dialect.limit : undefined
  const { sql, values } = joinAnd(resource, limit, later, condition)
  const end = tail ?? { sql: '', values: [] }
  return findIndexes(scan).map((index) => ({
    sql: toStatement(`${dialect.toSource(index)} WHERE ${sql} ${end.sql}`),
    values: [...values, ...end.values],
  }))
}

async function runFirst(dialect: SqlDialect, [query]: readonly Condition[]) {
  return query ? dialect.run(query.sql, query.values) : []
}

/** The indexes of the filters are first, since they may find few records, and that of the order is last. */
function findIndexes({ dialect, indexes, order, query }: Scan): string[] {
  const ofFilters = query.filters.flatMap(({ field, operator }) => {
    const index = indexes.get(fieldToColumn(dialect, field))
    return index === undefined || operator === 'ne' || isOfText(operator) ? [] : [index]
  })
  const ofOrder = indexes.get(order[0]?.column ?? '')
  const last = ofOrder ?? (ofFilters.length === 0 ? oldestFirst : undefined)
  return [...new Set([...ofFilters, ...(last === undefined ? [] : [last])])]
}

/** The length of the documents of one page: a client that reads slowly keeps a page in memory. */
const maxPageChars = 16 * 1024

function createPageSize(maxRecords: number) {
  let averageLength = maxPageChars / 16
  return {
    next: () => Math.max(1, Math.min(maxRecords, Math.floor(maxPageChars / averageLength))),
    cut: (rows: readonly Row[]) => {
      let length = 0
      const isOver = ([, text]: Row) => (length += 100 + String(text).length) > maxPageChars
      const count = rows.findIndex(isOver)
      if (rows.length > 0) averageLength = length / (count === -1 ? rows.length : count + 1)
      return count === -1 ? rows : rows.slice(0, Math.max(count, 1))
    },
  }
}

async function* readInOrder(scan: Scan): RecordPages {
  const pageSize = createPageSize(maxPageRecords)
  const keys = scan.order.map(({ column }) => column)
  const toStatement = (rest: string) => `SELECT ${columns}, ${keys.join()} FROM ${rest}`
  for (let from: Row | undefined; ;) {
    await nextTurn()
    const rows = await select(scan, { offset: 0, limit: pageSize.next(), from }, toStatement)
    const page = pageSize.cut(rows)
    if (page.length === 0) return
    yield page.map(toStoredRecord)
    from = page.at(-1)?.slice(-keys.length)
  }
}

const maxPageRecords = 250

async function readSome(scan: Scan, ids: readonly string[]): Promise<readonly Row[]> {
  const { dialect, resource, condition, order } = scan
  const { sql, values } = joinAnd(resource, toIdCondition(ids), condition)
  const source = dialect.toSource(dialect.idIndex)
  const text = `SELECT ${columns} FROM ${source} WHERE ${sql} ORDER BY ${toOrderBy(order)}`
  return dialect.run(text, values)
}

const toIdCondition = (ids: readonly string[]) => ({ sql: `id IN (${toMarks(ids)})`, values: ids })

async function* readIdsFirst(scan: Scan): RecordPages {
  const pageSize = createPageSize(maxPageRecords)
  for await (const ids of readIds(scan)) {
    while (ids.length > 0) {
      await nextTurn()
      const some = ids.slice(0, pageSize.next())
      const rows = await readSome(scan, some)
      const page = pageSize.cut(rows).map(toStoredRecord)
      const last = page.length < rows.length ? page.at(-1)?.id : some.at(-1)
      ids.splice(0, some.indexOf(last ?? '') + 1)
      if (page.length > 0) yield page
    }
  }
}

const firstIds = 1000
const idsPerPart = 100_000

/** All ids are sorted before the first is returned: a failure of the sort comes before the head of a response. */
async function* readIds(scan: Scan): AsyncGenerator<string[]> {
  const first = await readKeys(scan, firstIds)
  const { dialect, query, order } = scan
  const tail = { sql: `ORDER BY ${toOrderBy(order)}`, values: [] }
  const toStatement = (rest: string) => `SELECT id FROM ${rest}`
  const queries = toQueries(scan, { toStatement, isTested: true, tail })
  const isAll = first.length < firstIds
  const parts = isAll ? undefined : dialect.readIds?.(queries, query.isCancelled)
  if (!parts) {
    yield first.map(toId)
    if (!isAll) yield* readParts(scan, first)
    return
  }
  for await (const rows of parts) yield rows.map(toId)
}

const toId = ([id]: Row) => String(id)

/** Without an index, all records are sorted again for each part. */
async function* readParts(scan: Scan, first: readonly Row[]): AsyncGenerator<string[]> {
  for (let rows = first; rows.length > 0; yield rows.map(toId))
    rows = await readKeys(scan, idsPerPart, rows.at(-1)?.slice(1))
}

/** Ids, and the keys of the last record only: those of all could be too long for the memory. */
function readKeys(scan: Scan, limit: number, from?: Row): Promise<readonly Row[]> {
  const names = scan.order.map((_, index) => `k${String(index)}`)
  const keys = scan.order.map(({ column }, index) => `${column} AS ${names[index] ?? ''}`)
  const toStatement = (rest: string, missing: number) => {
    const last = `CASE WHEN row_number() OVER () = ${String(missing)} THEN`
    const ofLast = names.map((name) => `${last} ${name} END`)
    return `SELECT part_id, ${ofLast.join()} FROM (SELECT id AS part_id, ${keys.join()} FROM ${rest}) AS part`
  }
  return select(scan, { offset: 0, limit, from }, toStatement)
}
