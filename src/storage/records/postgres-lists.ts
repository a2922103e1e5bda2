import type { PostgresDatabase } from '../postgres-database.ts'
import { and } from './conditions.ts'
import { toOrder, toOrderBy } from './order.ts'
import { inResource, toColumn, toCondition, toStatement } from './postgres-conditions.ts'
import { partIds } from './part-ids.ts'
import { toIndexName, type Terrain } from './postgres-paths.ts'
import { findAnyOrder, findStretches } from './postgres-plan.ts'
import { columns, toStoredRecord } from './postgres-rows.ts'
import type { Stretch } from './postgres-stretches.ts'
import { refuseAbandoned, type Part, type RecordQuery, type Records } from './records.ts'
import { takePart } from './take-part.ts'

/** So many records are held against a filter, or counted, in a small part of a second. */
const recordsToTest = 10_000
/** So many fit into memory, whatever is in them. */
const recordsPerPage = 100
const recordsPerTestedPage = 1000

const countAll = {
  name: 'count-all',
  text: 'SELECT coalesce(sum(count), 0) AS count FROM record_counts WHERE resource = $1',
}
const findIndex = {
  name: 'find-index',
  text: 'SELECT 1 FROM pg_indexes WHERE schemaname = current_schema() AND indexname = $1',
}

type Lists = Pick<Records, 'index' | 'list' | 'count' | 'pages'>

/** The part of the records that answers queries, step by step: see `postgres-plan.ts`. */
export function createPostgresLists(database: PostgresDatabase): Lists {
  const indexed = new Map<string, ReadonlySet<string>>()

  function toTerrain(resource: string, size: number): Terrain {
    return { database, resource, indexed: indexed.get(resource) ?? new Set(), size }
  }

  async function countIn(query: RecordQuery, stretch: Stretch): Promise<number> {
    refuseAbandoned(query)
    const { sql, values } = and(stretch.where, toCondition(query))
    const text = `SELECT count(*) AS count FROM records WHERE ${sql}`
    const { rows } = await database.run(toStatement(text, values))
    return Number(rows[0]?.count)
  }

  async function listIn(query: RecordQuery, stretch: Stretch, part?: Part) {
    refuseAbandoned(query)
    const { sql, values } = and(stretch.where, toCondition(query))
    const order = toOrderBy(toOrder(query.sort, toColumn))
    const text = `SELECT ${columns} FROM records WHERE ${sql} ORDER BY ${order} LIMIT ? OFFSET ?`
    const paged = toStatement(text, [...values, part?.limit, part?.offset])
    return (await database.run(paged)).rows.map(toStoredRecord)
  }

  /** The same records in stretches that are short: one that an index leads to may have thousands. */
  async function* shorten(resource: string, query: RecordQuery, stretch: Stretch) {
    refuseAbandoned(query)
    const { sql, values } = and(stretch.where, toCondition(query))
    const order = toOrderBy(toOrder(query.sort, toColumn))
    const text = `SELECT id FROM records WHERE ${sql} ORDER BY ${order}`
    const { rows } = await database.run(toStatement(text, values))
    for (const isOne of partIds(rows.map(({ id }) => id as string))) {
      yield { where: and(inResource(resource), isOne) }
    }
  }

  /** The statement that makes an index, unless it is there. */
  async function toMissingIndex(resource: string, field: string): Promise<string[]> {
    const on = `${toColumn(field)}, created_at, id`
    const name = toIndexName(resource, field)
    if ((await database.run({ ...findIndex, values: [name] })).rows.length > 0) return []
    const { sql } = inResource(resource)
    return [`CREATE INDEX IF NOT EXISTS ${name} ON records (${on}) WHERE ${sql}`]
  }

  return {
    index: async (resource, fields) => {
      const missing: string[] = []
      for (const field of fields) missing.push(...(await toMissingIndex(resource, field)))
      if (missing.length > 0) await database.alter(missing)
      indexed.set(resource, new Set([...(indexed.get(resource) ?? []), ...fields]))
    },
    list: async (resource, query, { offset, limit }) => {
      const terrain = { ...toTerrain(resource, recordsToTest), wanted: offset + limit }
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
        const { rows } = await database.run({ ...countAll, values: [resource] })
        return Number(rows[0]?.count)
      }
      let count = 0
      for await (const stretch of findAnyOrder(toTerrain(resource, recordsToTest), query)) {
        count += await countIn(query, stretch)
      }
      return count
    },
    pages: async function* (resource, query) {
      const isPlain = toCondition(query) === undefined
      const terrain = toTerrain(resource, isPlain ? recordsPerPage : recordsPerTestedPage)
      const isShort = isPlain && query.sort.length === 0
      for await (const stretch of findStretches(terrain, query)) {
        for await (const part of isShort ? [stretch] : shorten(resource, query, stretch)) {
          const page = await listIn(query, part)
          if (page.length > 0) yield page
        }
      }
    },
  }
}
