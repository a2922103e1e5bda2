import { hash } from 'node:crypto'
import { fieldToColumn, toCondition, toOperand } from './conditions.ts'
import { columns, toStoredRecord, type Dialect, type Row } from './dialect.ts'
import { findOrdered, findRanges } from './plan.ts'
import { compareRows, findMatching, findNarrowRange, oldestFirst, selectRows } from './ranges.ts'
import { toIdRange, toOrder, toOrderBy, toStatement } from './ranges.ts'
import type { IndexRange, Scan, Source } from './ranges.ts'
import { allRecords, isOfText, toPositionFields } from './records.ts'
import type { Collection, FieldPath, Filter, Pages } from './records.ts'
import type { Slice, RecordQuery, StoredRecord } from './records.ts'
import { nextTurn } from '../../timers.ts'

const countedPerStep = 10_000
const testedPerPage = 1000

export function createLists(dialect: Dialect, name: string) {
  const { page, test } = dialect.sizes
  const indexes = new Map([
    ['id', dialect.idIndex],
    ['created_at', oldestFirst],
  ])
  // The name is not a parameter, because a partial index is used for a constant only.
  const resource = { sql: `resource = ${dialect.quote(name)}`, values: [] }
  const source = { dialect, resource, indexes }
  return {
    index: (fields) => createIndexes(source, fields),
    /** SQL that finds a record that matches, if there is one. */
    toMatch: (filters: readonly Filter[]) => {
      const scan = toScan(source, { filters, sort: [] }, [test, test])
      return toStatement(scan, findMatching(scan), { what: '1', tail: 'LIMIT 1' })
    },
    list: async (query, part) => {
      const plainSize = query.sort.length > 1 ? test : countedPerStep
      return listRecords(toScan(source, query, [plainSize, test]), part)
    },
    count: async (query = allRecords) => {
      const scan = toScan(source, query, [test, test])
      if (scan.condition) return countTested(scan)
      const text = 'SELECT coalesce(sum(count), 0) FROM record_counts WHERE resource = ?'
      return Number((await dialect.run(text, [name]))[0]?.[0])
    },
    pages: (query = allRecords) => {
      const scan = toScan(source, query, [page, testedPerPage])
      return scan.condition || query.sort.length > 0 ? readByIds(scan) : readOldestFirst(scan)
    },
  } satisfies Partial<Collection> & Record<'toMatch', unknown>
}

function toScan(source: Source, query: RecordQuery, sizes: [plain: number, tested: number]): Scan {
  const { filters, search, sort } = query
  const ofText = filters.filter(({ operator }) => isOfText(operator))
  const texts = ofText.flatMap(({ values }) => values).length + (search ? 1 : 0)
  const condition = toCondition(source.dialect, query)
  const recordsPerRange = condition ? Math.ceil(sizes[1] / Math.max(texts, 1)) : sizes[0]
  return { ...source, query, condition, order: toOrder(source.dialect, sort), recordsPerRange }
}

async function createIndexes({ dialect, indexes, resource }: Source, fields: readonly FieldPath[]) {
  for (const column of fields.map((field) => fieldToColumn(dialect, field))) {
    if (indexes.has(column)) continue
    const definition = `(${column}, created_at, id) WHERE ${resource.sql}`
    const name = `records_by_${hash('sha256', definition).slice(0, 16)}`
    if (await dialect.createIndex(name, definition)) indexes.set(column, name)
  }
}

async function listRecords(plain: Scan, { limit, ...part }: Slice): Promise<StoredRecord[]> {
  const after = toAfter(plain, part)
  const offset = after ? 0 : part.offset
  const wantedRecords = offset + limit
  // One statement for a page near the start or a position, where few records are skipped.
  const isNear = !plain.condition && wantedRecords <= countedPerStep && findOrdered(plain)
  const recordsPerRange = isNear ? Infinity : plain.recordsPerRange
  const scan = { ...plain, wantedRecords, after, recordsPerRange }
  const found: StoredRecord[] = []
  let skipped = 0
  for await (const range of findRanges(scan)) {
    const size = skipped < offset && !isNear ? await countIn(scan, range) : Infinity
    if (skipped + size <= offset) {
      skipped += size
      continue
    }
    const rest = { offset: offset - skipped, limit: limit - found.length }
    found.push(...(await readRows(scan, range, rest)).map(toStoredRecord))
    skipped = offset
    if (found.length === limit) break
  }
  return found
}

function toAfter({ dialect, query }: Scan, { after }: Pick<Slice, 'after'>): Scan['after'] {
  if (!after) return undefined
  const toEntry = (field: FieldPath, index: number) =>
    [fieldToColumn(dialect, field), toOperand(dialect, field, after[index] ?? null)] as const
  return new Map(toPositionFields(query).map(toEntry))
}

async function countIn(scan: Scan, range: IndexRange): Promise<number> {
  const [row] = await selectRows(scan, range, { what: 'count(*)' })
  return Number(row?.[0])
}

async function countTested(scan: Scan): Promise<number> {
  let count = 0
  const { order } = findNarrowRange(scan)
  for await (const range of findRanges({ ...scan, order })) count += await countIn(scan, range)
  return count
}

function readRows(scan: Scan, range: IndexRange, part?: Slice): Promise<readonly Row[]> {
  const orderBy = `ORDER BY ${toOrderBy(scan.order)}`
  // A LIMIT makes SQLite sort more slowly, so it is added only for a part.
  const limits = part && { tail: `${orderBy} LIMIT ? OFFSET ?`, values: [part.limit, part.offset] }
  return selectRows(scan, range, { what: columns, tail: orderBy, ...limits })
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

async function* readOldestFirst(scan: Scan): Pages {
  const pageSize = createPageSize(scan.recordsPerRange)
  let range = findNarrowRange(scan)
  for (;;) {
    await nextTurn()
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
  const pageSize = createPageSize(scan.dialect.sizes.page)
  const tail = `ORDER BY ${toOrderBy(scan.order)}`
  for await (const range of findRanges(scan)) {
    const ids = (await selectRows(scan, range, { what: 'id', tail })).map(([id]) => String(id))
    while (ids.length > 0) {
      await nextTurn()
      const some = ids.slice(0, pageSize.next())
      const rows = await readRows(scan, toIdRange(scan, some))
      const page = pageSize.cut(rows).map(toStoredRecord)
      const last = page.length < rows.length ? page.at(-1)?.id : some.at(-1)
      ids.splice(0, some.indexOf(last ?? '') + 1)
      if (page.length > 0) yield page
    }
  }
}
