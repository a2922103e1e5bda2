import type { ResourceContext } from '../resources/context.ts'
import type { Document, Filter, RecordQuery, StoredRecord } from '../stores/records/records.ts'
import type { Conditions } from './conditions.ts'
import { createFindAt } from './values.ts'
import { compareKeys, toSortKeys, type Sort } from './sort.ts'

type Records = readonly StoredRecord[]

export interface Selection extends Conditions {
  sort: Sort
  /** Of the number of matching records: the first of the slice, and the one after its last. */
  toRange?: ((total: number) => readonly [from: number, to: number]) | undefined
  /** The documents that `test` and `sort` compare. */
  toDocuments: (records: Records) => readonly Document[] | Promise<readonly Document[]>
  isCancelled: () => boolean
}

interface Selected {
  /** Only with `toRange`. */
  total?: number
  pages: AsyncIterable<Records>
}

const listedAtOnce = 1000

/** Every record that the database finds is tested. Of a sorted list only ids and keys are in memory. */
export async function selectRecords(
  context: ResourceContext,
  selection: Selection,
): Promise<Selected> {
  const { collection, resource } = context
  const { test, sort, toRange, isCancelled } = selection
  const filters = selection.filters.map((filter) => toIdFilter(resource.idName, filter))
  const query: RecordQuery = { filters, sort: [], isCancelled }
  const isPlain = test === undefined && sort.length === 0
  if (isPlain && !toRange) return { pages: collection.pages(query) }
  if (isPlain && toRange) {
    const total = await collection.count()
    const [from, to] = toRange(total)
    const limit = Math.max(0, to - from)
    if (limit <= listedAtOnce) {
      return { total, pages: onePage(await collection.list(query, { offset: from, limit })) }
    }
  }
  const matches = findMatches(collection.pages(query), selection)
  if (sort.length === 0 && !toRange && selection.mayFail !== true)
    return { pages: toPages(matches) }
  const found: { id: string; keys: readonly unknown[] }[] = []
  for await (const page of matches) {
    for (const { record, document } of page) {
      found.push({ id: record.id, keys: toSortKeys(sort, document) })
    }
  }
  if (sort.length > 0) found.sort((one, other) => compareKeys(sort, one.keys, other.keys))
  const ids = found.slice(...(toRange?.(found.length) ?? [])).map(({ id }) => id)
  return { total: found.length, pages: readByIds(context, ids) }
}

/** An id is compared as text, as the key of its record is. */
function toIdFilter(idName: string, filter: Filter): Filter {
  const [name] = [filter.field].flat()
  return name === idName ? { ...filter, field: '_id', values: filter.values.map(String) } : filter
}

interface Match {
  record: StoredRecord
  document: Document
}

async function* findMatches(pages: AsyncIterable<Records>, { test, toDocuments }: Selection) {
  for await (const records of pages) {
    const documents = await toDocuments(records)
    const results = await test?.(documents)
    const all = records.map((record, index): Match => {
      return { record, document: documents[index] ?? record.document }
    })
    yield results ? all.filter((_, index) => results[index] === true) : all
  }
}

async function* toPages(matches: AsyncIterable<readonly Match[]>): AsyncGenerator<Records> {
  for await (const page of matches) yield page.map(({ record }) => record)
}

async function* onePage(records: Records): AsyncGenerator<Records> {
  yield records
}

const idsPerPage = 100

async function* readByIds(
  context: ResourceContext,
  ids: readonly string[],
): AsyncGenerator<Records> {
  for (let start = 0; start < ids.length; start += idsPerPage) {
    const some = ids.slice(start, start + idsPerPage)
    const found = await findByIds(context, some)
    yield some.flatMap((id) => found.get(id) ?? [])
  }
}

export async function findByIds({ collection }: ResourceContext, ids: readonly string[]) {
  const values = [...new Set(ids)]
  const filters = [{ field: '_id', operator: 'eq', values }] as const
  const limit = values.length
  const records =
    limit > 0 ? await collection.list({ filters, sort: [] }, { offset: 0, limit }) : []
  return new Map(records.map((record) => [record.id, record]))
}

/** The names of fields, or paths, that no record has. */
export async function findUnknown({ collection }: ResourceContext, names: readonly string[]) {
  const unknown = new Map(names.map((name) => [name, createFindAt(name)]))
  if (unknown.size === 0) return unknown
  for await (const page of collection.pages()) {
    for (const [name, find] of unknown) {
      const isKnown = page.some(({ document }) => find(document) !== undefined)
      if (isKnown) unknown.delete(name)
    }
    if (unknown.size === 0) break
  }
  return unknown
}
