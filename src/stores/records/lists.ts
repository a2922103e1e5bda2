import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { compareRows } from './chunks.ts'
import { and, inResource, toColumn, toCondition } from './conditions.ts'
import type { Dialect } from './dialect.ts'
import { oldestFirst, toIdChunk, type Chunk, type Scan } from './index-ranges.ts'
import { toOrder, toOrderBy } from './order.ts'
import { findAnyOrder, findChunks, findWhole } from './plan.ts'
import {
  allRecords,
  assertNotAborted,
  isOfText,
  type Collection,
  type Pages,
  type Part,
  type RecordQuery,
  type StoredRecord,
} from './records.ts'
import { createPageSize } from './page-size.ts'
import { columns, toStoredRecord } from './rows.ts'

function countTexts({ filters, search }: RecordQuery): number {
  const ofText = filters.filter(({ operator }) => isOfText(operator))
  const count = ofText.reduce((sum, { values }) => sum + values.length, search ? 1 : 0)
  return Math.max(count, 1)
}

type Lists = Pick<Collection, 'index' | 'list' | 'count' | 'pages'>

/** The methods of a collection that run queries, in small steps: see `plan.ts`. */
export function createLists(dialect: Dialect, resource: string): Lists {
  const { sizes } = dialect
  const indexes = new Map([
    ['id', dialect.idIndex],
    ['created_at', oldestFirst],
  ])

  function toScan(query: RecordQuery, [size, testedSize]: readonly [number, number]): Scan {
    const isPlain = toCondition(dialect, query) === undefined
    const divided = Math.ceil(testedSize / countTexts(query))
    return { dialect, resource, indexes, size: isPlain ? size : divided }
  }

  function toSelect(what: string, query: RecordQuery, { index, where }: Chunk) {
    assertNotAborted(query)
    const { sql, values } = and(where, toCondition(dialect, query))
    return { text: `SELECT ${what} FROM ${dialect.toSource(index)} WHERE ${sql}`, values }
  }

  async function countIn(query: RecordQuery, chunk: Chunk): Promise<number> {
    const { text, values } = toSelect('count(*)', query, chunk)
    const [row] = await dialect.run(text, values)
    return Number(row?.[0])
  }

  function toOrdered(what: string, query: RecordQuery, chunk: Chunk) {
    const { text, values } = toSelect(what, query, chunk)
    return { ordered: `${text} ORDER BY ${toOrderBy(toOrder(dialect, query.sort))}`, values }
  }

  async function readRows(query: RecordQuery, chunk: Chunk, part?: Part) {
    const { ordered, values } = toOrdered(columns, query, chunk)
    if (part === undefined) return dialect.run(ordered, values)
    return dialect.run(`${ordered} LIMIT ? OFFSET ?`, [...values, part.limit, part.offset])
  }

  /** Oldest first: each page begins after the last record of the page before. */
  async function* readOldestFirst(query: RecordQuery): Pages {
    const pageSize = createPageSize(sizes.page)
    const where = inResource(dialect, resource)
    let chunk: Chunk = { index: oldestFirst, where }
    for (;;) {
      await setImmediate()
      const rows = await readRows(query, chunk, { offset: 0, limit: pageSize.next() })
      const page = pageSize.cut(rows).map(toStoredRecord)
      const last = page.at(-1)
      if (last === undefined) return
      yield page
      const after = compareRows(dialect, ['created_at', 'id'], '>', [last.createdAt, last.id])
      chunk = { index: oldestFirst, where: and(where, after) }
    }
  }

  /** A chunk of an index may have thousands of records: only their ids are read at once. */
  async function* readByIds(query: RecordQuery, scan: Scan): Pages {
    const pageSize = createPageSize(sizes.page)
    for await (const chunk of findChunks(scan, query)) {
      const { ordered, values } = toOrdered('id', query, chunk)
      const ids = (await dialect.run(ordered, values)).map(([id]) => String(id))
      while (ids.length > 0) {
        const some = ids.slice(0, pageSize.next())
        const rows = await readRows(query, toIdChunk(scan, some))
        const page = pageSize.cut(rows).map(toStoredRecord)
        const last = page.length < rows.length ? page.at(-1)?.id : some.at(-1)
        ids.splice(0, some.indexOf(last ?? '') + 1)
        if (page.length > 0) yield page
      }
    }
  }

  async function listIn(query: RecordQuery, chunk: Chunk, part: Part) {
    return (await readRows(query, chunk, part)).map(toStoredRecord)
  }

  /** The records before the part are counted, not read. */
  async function listPart(chunks: AsyncIterable<Chunk>, query: RecordQuery, part: Part) {
    const found: StoredRecord[] = []
    let skipped = 0
    for await (const chunk of chunks) {
      if (skipped < part.offset) {
        const size = await countIn(query, chunk)
        if (skipped + size <= part.offset) {
          skipped += size
          continue
        }
      }
      const rest = { offset: part.offset - skipped, limit: part.limit - found.length }
      found.push(...(await listIn(query, chunk, rest)))
      skipped = part.offset
      if (found.length === part.limit) break
    }
    return found
  }

  return {
    index: async (fields) => {
      for (const column of fields.map((field) => toColumn(dialect, field))) {
        if (indexes.has(column)) continue
        const { sql } = inResource(dialect, resource)
        const definition = `(${column}, created_at, id) WHERE ${sql}`
        // Names of resources and fields may have any length and characters.
        const name = `records_by_${createHash('sha256').update(definition).digest('hex').slice(0, 16)}`
        if (await dialect.createIndex(name, definition)) indexes.set(column, name)
      }
    },
    list: async (query, part) => {
      const wanted = part.offset + part.limit
      const plainSize = query.sort.length <= 1 ? sizes.count : sizes.test
      const scan = { ...toScan(query, [plainSize, sizes.test]), wanted }
      const whole = wanted <= sizes.count ? findWhole(scan, query) : undefined
      return whole ? listIn(query, whole, part) : listPart(findChunks(scan, query), query, part)
    },
    count: async (query = allRecords) => {
      if (toCondition(dialect, query) === undefined) {
        const text = 'SELECT coalesce(sum(count), 0) FROM record_counts WHERE resource = ?'
        return Number((await dialect.run(text, [resource]))[0]?.[0])
      }
      let count = 0
      const scan = toScan(query, [sizes.count, sizes.test])
      for await (const chunk of findAnyOrder(scan, query)) count += await countIn(query, chunk)
      return count
    },
    pages: (query = allRecords) => {
      const isPlain = toCondition(dialect, query) === undefined && query.sort.length === 0
      if (isPlain) return readOldestFirst(query)
      return readByIds(query, toScan(query, [sizes.page, sizes.testedPage]))
    },
  }
}
