import { toPosition, type Collection } from '../stores/records/records.ts'
import type { RecordQuery, StoredRecord } from '../stores/records/records.ts'
import { compareKeys, toCompares, type Compare } from './predicate.ts'

interface Keyed {
  keys: readonly unknown[]
}

/** A record of which only what decides its place is in memory. */
export interface FoundRecord extends Keyed {
  id: string
}

export function sortFound<Item extends Keyed>(
  found: readonly Item[],
  compares: readonly Compare[],
): Item[] {
  const compare = compareKeys(compares)
  return found.toSorted((one, other) => compare(one.keys, other.keys))
}

/** The order of a list, as the stores have it. */
export function sortRecords(records: readonly StoredRecord[], query: RecordQuery): StoredRecord[] {
  const found = records.map((record) => ({ record, keys: toPosition(query, record) }))
  return sortFound(found, toPositionCompares(query)).map(({ record }) => record)
}

export function toPositionCompares({ sort }: RecordQuery): Compare[] {
  const isDescending = sort[0]?.isDescending ?? false
  const ties = ['createdAt', '_id'].map((field) => ({ field, isDescending }))
  return toCompares([...sort, ...ties])
}

/** Records can be long, so few are in memory at once. */
export const recordsPerPage = 20

export async function* readByIds(
  ids: readonly string[],
  find: (ids: readonly string[]) => Promise<ReadonlyMap<string, StoredRecord>>,
) {
  for (let start = 0; start < ids.length; start += recordsPerPage) {
    const some = ids.slice(start, start + recordsPerPage)
    // The others are not in memory while a client does not read its response.
    yield await find(some).then((found) => some.flatMap((id) => found.get(id) ?? []))
  }
}

export async function findByIds(
  collection: Collection,
  ids: readonly string[],
): Promise<Map<string, StoredRecord>> {
  const values = [...new Set(ids)]
  const filters = [{ field: '_id', operator: 'eq', values }] as const
  const part = { offset: 0, limit: values.length }
  const records = values.length > 0 ? await collection.list({ filters, sort: [] }, part) : []
  return new Map(records.map((record) => [record.id, record]))
}
