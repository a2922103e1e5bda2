import { readByIds, recordsPerPage, sortFound, type FoundRecord } from '../lists/select.ts'
import { toPosition, type Document, type Filter } from '../stores/records/records.ts'
import type { RecordPages, RecordQuery, Slice, StoredRecord } from '../stores/records/records.ts'
import { findKept, findByIdsOrKept, readInTurns } from '../lists/kept-records.ts'
import type { Context } from './context.ts'
import { createFindAt, type Find } from './values.ts'

export type Test = (
  documents: readonly Document[],
) => readonly boolean[] | Promise<readonly boolean[]>

export interface Related {
  embed: readonly string[]
  /** Only 0.17 has these: the resources that this one refers to, in the singular. */
  expand: readonly string[]
}

export interface ListRequest extends Related {
  tests: readonly Test[]
  filters: readonly Filter[]
  sort: readonly { find: Find; compare: (one: unknown, other: unknown) => number }[]
  /** The part depends on the number of matching records. It is undefined for the whole list. */
  toPart?: ((total: number) => Part) | undefined
}

export interface Part {
  range: readonly [from: number, to: number]
  headers?: Readonly<Record<string, string>>
  envelope?: object
}

interface Selection extends Omit<ListRequest, keyof Related> {
  toDocuments: (records: readonly StoredRecord[]) => Promise<readonly Document[]>
  isCancelled: () => boolean
}

export async function selectRecords(context: Context, selection: Selection) {
  const { collection } = context
  const { tests, filters, sort, toPart, isCancelled } = selection
  const query = { filters, sort: [], isCancelled }
  const isWhole = tests.length === 0 && sort.length === 0
  if (isWhole && !toPart) return { total: 0, pages: collection.pages(query) }
  const isIndexed = filters.length > 0
  const willRead = isWhole || isIndexed ? recordsPerPage : Infinity
  const kept = await findKept(context, willRead, isIndexed ? maxTested : Infinity)
  if (isWhole && toPart && !kept) {
    const total = await collection.count()
    const [from, to] = toPart(total).range
    const offset = Math.min(from, total)
    const limit = Math.max(0, Math.min(to, total) - offset)
    return { total, pages: readPart(context, query, { offset, limit }) }
  }
  const pages = kept ? readInTurns(kept) : collection.pages(query)
  const ids = isWhole && kept ? [...kept.byId.keys()] : await findMatchingIds(pages, selection)
  const wanted = ids.slice(...(toPart?.(ids.length).range ?? []))
  return { total: ids.length, pages: readByIds(wanted, (some) => findByIdsOrKept(context, some)) }
}

/** With more records, the few that an index finds are read in less time than all are tested. */
const maxTested = 1000

async function findMatchingIds(pages: RecordPages, selection: Selection): Promise<string[]> {
  const found: FoundRecord[] = []
  for await (const page of pages) found.push(...(await test(page, selection)))
  const compares = selection.sort.map(({ compare }) => compare)
  return sortFound(found, compares).map(({ id }) => id)
}

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
): Promise<FoundRecord[]> {
  let documents = await toDocuments(records)
  let found = records
  for (const each of tests) {
    const results = await each(documents)
    documents = documents.filter((_, index) => results[index])
    found = found.filter((_, index) => results[index])
  }
  return found.map(({ id }, index) => {
    const document = documents[index] ?? {}
    return { id, keys: sort.map(({ find }) => find(document)) }
  })
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

export async function findUnknown(context: Context, names: readonly string[]) {
  const unknown = new Map(names.map((name) => [name, createFindAt(name)]))
  if (unknown.size === 0) return unknown
  const kept = await findKept(context, 0, Infinity)
  for await (const page of kept ? readInTurns(kept) : context.collection.pages()) {
    for (const [name, find] of unknown) {
      if (page.some(({ document }) => find(document) !== undefined)) unknown.delete(name)
    }
    if (unknown.size === 0) break
  }
  return unknown
}
