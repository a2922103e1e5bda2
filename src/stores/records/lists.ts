import { createHash } from 'node:crypto'
import { and, inResource, toColumn, toCondition } from './conditions.ts'
import type { Dialect } from './dialect.ts'
import { oldestFirst, toIdChunk, type Chunk, type Scan } from './index-ranges.ts'
import { toOrder, toOrderBy } from './order.ts'
import { findAnyOrder, findChunks, findWhole } from './plan.ts'
import {
  allRecords,
  assertWanted,
  isOfText,
  type Collection,
  type Part,
  type RecordQuery,
  type StoredRecord,
} from './records.ts'
import { columns, toStoredRecord } from './rows.ts'

/** How many texts every record is folded and tested for; at least one. */
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
    assertWanted(query)
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

  /** The same records in short chunks: one that an index leads to may have thousands. */
  async function* shorten(scan: Scan, query: RecordQuery, chunk: Chunk): AsyncGenerator<Chunk> {
    const { ordered, values } = toOrdered('id', query, chunk)
    const ids = (await dialect.run(ordered, values)).map(([id]) => String(id))
    for (let start = 0; start < ids.length; start += sizes.page) {
      yield toIdChunk(scan, ids.slice(start, start + sizes.page))
    }
  }

  async function listIn(query: RecordQuery, chunk: Chunk, part?: Part) {
    const { ordered, values } = toOrdered(columns, query, chunk)
    const rows = part
      ? await dialect.run(`${ordered} LIMIT ? OFFSET ?`, [...values, part.limit, part.offset])
      : await dialect.run(ordered, values)
    return rows.map(toStoredRecord)
  }

  /** The records before the part are counted, and not read. */
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
        // Names of resources and fields are of any length and characters.
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
    pages: async function* (query = allRecords) {
      const scan = toScan(query, [sizes.page, sizes.testedPage])
      const isShort = toCondition(dialect, query) === undefined && query.sort.length === 0
      for await (const chunk of findChunks(scan, query)) {
        for await (const part of isShort ? [chunk] : shorten(scan, query, chunk)) {
          const page = await listIn(query, part)
          if (page.length > 0) yield page
        }
      }
    },
  }
}
