import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { toColumn, toCondition } from './conditions.ts'
import { columns, toStoredRecord, type Condition, type Dialect } from './dialect.ts'
import { createPageSize } from './page-size.ts'
import { findAnyOrder, findOrdered, findRanges } from './plan.ts'
import {
  compareRows,
  oldestFirst,
  select,
  toIdRange,
  toOldestFirst,
  toOrder,
  toOrderBy,
  type Range,
  type Scan,
} from './ranges.ts'
import {
  allRecords,
  isOfText,
  type Collection,
  type Field,
  type Pages,
  type Part,
  type RecordQuery,
  type StoredRecord,
} from './records.ts'

const countedPerStep = 10_000
const testedPerPage = 1000

/** The methods of a collection that run queries, in small steps: see `plan.ts`. */
export function createLists(
  dialect: Dialect,
  name: string,
): Pick<Collection, 'index' | 'list' | 'count' | 'pages'> {
  const { page, test } = dialect.sizes
  // Not a parameter: a partial index is used for a constant only.
  const resource = { sql: `resource = ${dialect.quote(name)}`, values: [] }
  const indexes = new Map([
    ['id', dialect.idIndex],
    ['created_at', oldestFirst],
  ])
  const toScan = (query: RecordQuery, plainSize: number, testedSize: number): Scan => {
    const condition = toCondition(dialect, query)
    const size = condition ? Math.ceil(testedSize / countTexts(query)) : plainSize
    const order = toOrder(dialect, query.sort)
    return { dialect, resource, indexes, query, condition, order, size }
  }
  return {
    index: (fields) => createIndexes(dialect, { indexes, resource, fields }),
    list: async (query, part) =>
      list(toScan(query, query.sort.length > 1 ? test : countedPerStep, test), part),
    count: async (query = allRecords) => {
      const scan = toScan(query, test, test)
      if (scan.condition) return countTested(scan)
      const text = 'SELECT coalesce(sum(count), 0) FROM record_counts WHERE resource = ?'
      return Number((await dialect.run(text, [name]))[0]?.[0])
    },
    pages: (query = allRecords) => {
      const scan = toScan(query, page, testedPerPage)
      return scan.condition || query.sort.length > 0 ? readByIds(scan) : readOldestFirst(scan)
    },
  }
}

function countTexts({ filters, search }: RecordQuery): number {
  const ofText = filters.filter(({ operator }) => isOfText(operator))
  const count = ofText.reduce((sum, { values }) => sum + values.length, search ? 1 : 0)
  return Math.max(count, 1)
}

interface Indexes {
  indexes: Map<string, string>
  resource: Condition
  fields: readonly Field[]
}

async function createIndexes(dialect: Dialect, { indexes, resource, fields }: Indexes) {
  for (const column of fields.map((field) => toColumn(dialect, field))) {
    if (indexes.has(column)) continue
    const definition = `(${column}, created_at, id) WHERE ${resource.sql}`
    // Names of resources and fields may have any length and characters.
    const name = `records_by_${createHash('sha256').update(definition).digest('hex').slice(0, 16)}`
    if (await dialect.createIndex(name, definition)) indexes.set(column, name)
  }
}

async function list(scan: Scan, part: Part): Promise<StoredRecord[]> {
  const wanted = part.offset + part.limit
  // One statement for a page near the start, where no record is skipped.
  const isNear = scan.condition === undefined && wanted <= countedPerStep
  const whole = isNear ? findOrdered(scan) : undefined
  if (whole) return (await readRows(scan, whole, part)).map(toStoredRecord)
  return listFar({ ...scan, wanted }, part)
}

/** The records before the part are counted, not read. */
async function listFar(scan: Scan, part: Part): Promise<StoredRecord[]> {
  const found: StoredRecord[] = []
  let skipped = 0
  for await (const range of findRanges(scan)) {
    if (skipped < part.offset) {
      const size = await countIn(scan, range)
      if (skipped + size <= part.offset) {
        skipped += size
        continue
      }
    }
    const rest = { offset: part.offset - skipped, limit: part.limit - found.length }
    found.push(...(await readRows(scan, range, rest)).map(toStoredRecord))
    skipped = part.offset
    if (found.length === part.limit) break
  }
  return found
}

async function countIn(scan: Scan, range: Range): Promise<number> {
  const [row] = await select(scan, range, { what: 'count(*)', condition: scan.condition })
  return Number(row?.[0])
}

async function countTested(scan: Scan): Promise<number> {
  let count = 0
  for await (const range of findAnyOrder(scan)) count += await countIn(scan, range)
  return count
}

function readRows(scan: Scan, range: Range, { limit, offset }: Part) {
  const { condition, order } = scan
  const tail = `ORDER BY ${toOrderBy(order)} LIMIT ? OFFSET ?`
  return select(scan, range, { what: columns, condition, tail, values: [limit, offset] })
}

/** Each page begins after the last record of the page before. */
async function* readOldestFirst(scan: Scan): Pages {
  const pageSize = createPageSize(scan.size)
  let range = toOldestFirst(scan)
  for (;;) {
    await setImmediate()
    const rows = await readRows(scan, range, { offset: 0, limit: pageSize.next() })
    const page = pageSize.cut(rows).map(toStoredRecord)
    const last = page.at(-1)
    if (last === undefined) return
    yield page
    const values = [last.createdAt, last.id]
    const from = compareRows(scan.dialect, ['created_at', 'id'], { sign: '>', values })
    range = { ...range, from }
  }
}

/** A range of an index may have thousands of records: only their ids are read at once. */
async function* readByIds(scan: Scan): Pages {
  const { condition, order, dialect } = scan
  const pageSize = createPageSize(dialect.sizes.page)
  const tail = `ORDER BY ${toOrderBy(order)}`
  for await (const range of findRanges(scan)) {
    const ids = (await select(scan, range, { what: 'id', condition, tail })).map(([id]) =>
      String(id),
    )
    while (ids.length > 0) {
      const some = ids.slice(0, pageSize.next())
      const rows = await readRows(scan, toIdRange(scan, some), { offset: 0, limit: some.length })
      const page = pageSize.cut(rows).map(toStoredRecord)
      const last = page.length < rows.length ? page.at(-1)?.id : some.at(-1)
      ids.splice(0, some.indexOf(last ?? '') + 1)
      if (page.length > 0) yield page
    }
  }
}
