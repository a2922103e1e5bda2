import { readByIds, recordsPerPage, sortFound, type Found } from '../lists/select.ts'
import { toPosition, type Document, type Filter } from '../stores/records/records.ts'
import type { RecordQuery, Slice, StoredRecord } from '../stores/records/records.ts'
import type { Context } from './server.ts'
import { createFindAt, type Find } from './values.ts'

export type Test = (
  documents: readonly Document[],
) => readonly boolean[] | Promise<readonly boolean[]>

export interface Related {
  /** Resources that refer to this one; in 1 also the resources that it refers to, in the singular. */
  embed: readonly string[]
  /** Only 0.17 has these: the resources that this one refers to, in the singular. */
  expand: readonly string[]
}

export interface ListRequest extends Related {
  tests: readonly Test[]
  /** The filters of the database. A record that passes every test matches them. */
  filters: readonly Filter[]
  sort: readonly {
    find: Find
    compare: (one: unknown, other: unknown) => number
  }[]
  /** The part depends on the number of matching records. It is undefined for the whole list. */
  toPart?: ((total: number) => Part) | undefined
}

export interface Part {
  /** The index of the first record, and that after the last, which can be too large. */
  range: readonly [from: number, to: number]
  headers?: Readonly<Record<string, string>>
  envelope?: object
}

interface Selection extends Omit<ListRequest, keyof Related> {
  toDocuments: (records: readonly StoredRecord[]) => Promise<readonly Document[]>
  isCancelled: () => boolean
}

const listedAtOnce = 1000

/** The matching records. Of those that are tested or sorted, only ids and keys are in memory. */
export async function selectRecords(context: Context, selection: Selection) {
  const { collection } = context
  const { tests, filters, sort, toPart, isCancelled } = selection
  const query = { filters, sort: [], isCancelled }
  if (tests.length === 0 && sort.length === 0) {
    if (!toPart) return { total: 0, pages: collection.pages(query) }
    const total = await collection.count()
    const [from, to] = toPart(total).range
    const offset = Math.min(from, total)
    const limit = Math.max(0, Math.min(to, total) - offset)
    if (limit <= listedAtOnce) return { total, pages: readPart(context, query, { offset, limit }) }
  }
  const found: Found[] = []
  for await (const page of collection.pages(query)) found.push(...(await test(page, selection)))
  const compares = sort.map(({ compare }) => compare)
  const ids = sortFound(found, compares).map(({ id }) => id)
  const wanted = ids.slice(...(toPart?.(ids.length).range ?? []))
  return { total: ids.length, pages: readByIds(collection, wanted) }
}

/** The filters of equal values that have an index: those of the id and of references. */
export function toIndexed({ resource }: Context, parameters: Document): Filter[] {
  const { idName, references } = resource
  const fields = [idName, ...references.map(({ field }) => field)]
  return fields.flatMap((field): Filter[] => {
    const text = parameters[field]
    if (typeof text !== 'string') return []
    // The text may stand for a value of another type, or for a list, which the database finds as null.
    const number = Number(text)
    const numbers = Number.isFinite(number) ? [number] : []
    const values = [text, ...numbers, true, false, null]
    return [{ field: [field], operator: 'eq', values }]
  })
}

async function test(
  records: readonly StoredRecord[],
  { tests, sort, toDocuments }: Selection,
): Promise<Found[]> {
  const documents = await toDocuments(records)
  let matches = documents.map((document, index) => ({ document, id: records[index]?.id ?? '' }))
  for (const each of tests) {
    const results = await each(matches.map(({ document }) => document))
    matches = matches.filter((_, index) => results[index])
  }
  return matches.map(({ document, id }) => ({ id, keys: sort.map(({ find }) => find(document)) }))
}

async function* readPart({ collection }: Context, query: RecordQuery, { limit, ...part }: Slice) {
  let start: Omit<Slice, 'limit'> = part
  for (let rest = limit; rest > 0; rest -= recordsPerPage) {
    const page = await collection.list(query, { ...start, limit: Math.min(rest, recordsPerPage) })
    const last = page.at(-1)
    if (last === undefined) return
    yield page
    start = { offset: 0, after: toPosition(query, last) }
  }
}

export async function findUnknown({ collection }: Context, names: readonly string[]) {
  const unknown = new Map(names.map((name) => [name, createFindAt(name)]))
  if (unknown.size === 0) return unknown
  for await (const page of collection.pages()) {
    for (const [name, find] of unknown) {
      if (page.some(({ document }) => find(document) !== undefined)) unknown.delete(name)
    }
    if (unknown.size === 0) break
  }
  return unknown
}
