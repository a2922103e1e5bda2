import type { DatabaseSync } from 'node:sqlite'
import { isFull, StoreFailure } from '../failure.ts'
import { isDamage, whenFree } from '../sqlite-database.ts'
import { isOfText, refuseAbandoned, type RecordQuery, type Records } from './records.ts'
import { and } from './conditions.ts'
import { toOrder, toOrderBy } from './order.ts'
import { addFunctions, inResource, toColumn, toCondition } from './sqlite-conditions.ts'
import { partIds } from './part-ids.ts'
import { byId, toIndexName, type Terrain } from './sqlite-paths.ts'
import { findAnyOrder, findStretches, findWhole } from './sqlite-plan.ts'
import { columns, fromList } from './sqlite-rows.ts'
import type { Prepare } from './sqlite-statements.ts'
import type { Stretch } from './sqlite-stretches.ts'
import { takePart } from './take-part.ts'

/** So many records take a few milliseconds to be read and held against a filter. */
const recordsToTest = 1000
/** So many take as long to be counted in an index. */
const recordsToCount = 10_000
/** Of a list that is streamed: in hundreds it takes a seventh longer, in thousands more memory. */
const recordsPerPage = 250

/** How many texts every record is folded for and held against; at least one. */
function countTexts({ filters, search }: RecordQuery): number {
  const ofText = filters.filter(({ operator }) => isOfText(operator))
  const count = ofText.reduce((sum, { values }) => sum + values.length, search ? 1 : 0)
  return Math.max(count, 1)
}

type Lists = Pick<Records, 'index' | 'list' | 'count' | 'pages'>

/** The part of the records that answers queries, step by step: see `sqlite-plan.ts`. */
export function createSqliteLists(database: DatabaseSync, prepare: Prepare): Lists {
  addFunctions(database)
  const countAll = database.prepare('SELECT count FROM record_counts WHERE resource = ?')
  const indexed = new Map<string, ReadonlySet<string>>()

  function toTerrain(resource: string, query: RecordQuery, sizeWithoutFilter: number): Terrain {
    const isPlain = toCondition(query) === undefined && query.sort.length <= 1
    const size = isPlain ? sizeWithoutFilter : Math.ceil(recordsToTest / countTexts(query))
    return { prepare, resource, indexed: indexed.get(resource) ?? new Set(), size }
  }

  function toSelect(what: string, query: RecordQuery, { index, where }: Stretch) {
    const { sql, values } = and(where, toCondition(query))
    return { text: `SELECT ${what} FROM records INDEXED BY ${index} WHERE ${sql}`, values }
  }

  async function countIn(query: RecordQuery, stretch: Stretch): Promise<number> {
    refuseAbandoned(query)
    const { text, values } = toSelect('count(*)', query, stretch)
    const row = await whenFree(() => prepare(text).get(...values))
    return Number(row?.[0])
  }

  async function listIn(query: RecordQuery, stretch: Stretch, { offset = 0, limit = -1 } = {}) {
    refuseAbandoned(query)
    const { text, values } = toSelect(columns, query, stretch)
    const paged = `${text} ORDER BY ${toOrderBy(toOrder(query.sort, toColumn))} LIMIT ? OFFSET ?`
    const rows = await whenFree(() => prepare(paged).all(...values, limit, offset))
    return rows.map(fromList)
  }

  /** The same records in stretches that are short: one that an index leads to may have thousands. */
  async function* shorten(resource: string, query: RecordQuery, stretch: Stretch) {
    refuseAbandoned(query)
    const { text, values } = toSelect('id', query, stretch)
    const ordered = `${text} ORDER BY ${toOrderBy(toOrder(query.sort, toColumn))}`
    const rows = await whenFree(() => prepare(ordered).all(...values))
    for (const isOne of partIds(rows.map(([id]) => String(id)))) {
      yield { index: byId, where: and(inResource(resource), isOne) }
    }
  }

  /**
   * False where a damaged record is in its way, which is to be refused only when it is read, or where
   * there is no room for it: what is full has to open, so that something can be deleted.
   */
  async function createIndex(resource: string, field: string): Promise<boolean> {
    const on = `${toColumn(field)}, created_at, id`
    const name = toIndexName(resource, field)
    const { sql } = inResource(resource)
    try {
      await whenFree(() => {
        database.exec(`CREATE INDEX IF NOT EXISTS ${name} ON records (${on}) WHERE ${sql}`)
      })
      return true
    } catch (error) {
      if (isFull(error) || (error instanceof StoreFailure && isDamage(error.cause))) return false
      throw error
    }
  }

  return {
    index: async (resource, fields) => {
      const usable = new Set<string>()
      for (const field of fields) {
        if (await createIndex(resource, field)) usable.add(field)
      }
      indexed.set(resource, new Set([...(indexed.get(resource) ?? []), ...usable]))
    },
    list: async (resource, query, { offset, limit }) => {
      const terrain = { ...toTerrain(resource, query, recordsToCount), wanted: offset + limit }
      const whole = offset + limit <= recordsToCount ? findWhole(terrain, query) : undefined
      if (whole) return listIn(query, whole, { offset, limit })
      return takePart(
        findStretches(terrain, query),
        { offset, limit },
        {
          count: (stretch) => countIn(query, stretch),
          list: (stretch, part) => listIn(query, stretch, part),
        },
      )
    },
    count: async (resource, query) => {
      if (toCondition(query) === undefined) {
        return whenFree(() => Number(countAll.get(resource)?.count ?? 0))
      }
      const terrain = toTerrain(resource, query, recordsToCount)
      let count = 0
      for await (const stretch of findAnyOrder(terrain, query)) {
        count += await countIn(query, stretch)
      }
      return count
    },
    pages: async function* (resource, query) {
      const terrain = toTerrain(resource, query, recordsPerPage)
      const isShort = toCondition(query) === undefined && query.sort.length === 0
      for await (const stretch of findStretches(terrain, query)) {
        for await (const part of isShort ? [stretch] : shorten(resource, query, stretch)) {
          const page = await listIn(query, part)
          if (page.length > 0) yield page
        }
      }
    },
  }
}
