import { findByIdsOrKept, findKept, readInTurns, type Source } from '../../lists/kept-records.ts'
import { compareKeys, toPredicate } from '../../lists/predicate.ts'
import { readByIds, sortRecords, toPositionCompares } from '../../lists/select.ts'
import { findField, toPosition } from '../../stores/records/records.ts'
import type { Collection, RecordQuery, StoredRecord } from '../../stores/records/records.ts'

export type ListReader = Pick<Collection, 'count' | 'list' | 'pages'>

/** So many records are sorted in a few milliseconds, in one turn of the event loop. */
const maxSize = 5000
/** A list is kept when so many reads for each of these records would otherwise read the store again. */
const willRead = 250

/** Reads a list from memory if its records are kept, and from the store otherwise. */
export async function findReader(source: Source, query: RecordQuery): Promise<ListReader> {
  const key = JSON.stringify(query)
  // Stores have results of their own for texts that no record can have.
  const kept = /\\u(0000|d)/.test(key) ? undefined : await findKept(source, willRead, maxSize)
  if (!kept) return source.collection
  const order = JSON.stringify(query.sort)
  // Another request can replace it while this one waits.
  const { records: all } = (kept.sorted =
    kept.sorted?.order === order
      ? kept.sorted
      : { order, records: sortRecords([...kept.byId.values()], query) })
  const isAll = query.filters.length === 0 && !query.search
  const isMatch = toPredicate(query, findField)
  const matching = new Set<StoredRecord>()
  for await (const page of isAll ? [] : readInTurns(kept))
    for (const record of page) if (isMatch(record)) matching.add(record)
  const found = isAll ? all : all.filter((record) => matching.has(record))
  const compare = compareKeys(toPositionCompares(query))
  return {
    count: () => Promise.resolve(found.length),
    list: (_, { offset, limit, after }) => {
      const rest = after && found.filter((record) => compare(toPosition(query, record), after) > 0)
      return Promise.resolve((rest ?? found.slice(offset)).slice(0, limit))
    },
    pages: () =>
      readAgain(
        source,
        Array.from(found, ({ id }) => id),
        isMatch,
      ),
  }
}

type Predicate = (record: StoredRecord) => boolean

/** The records themselves would be in memory while a client does not read its response. */
async function* readAgain(source: Source, ids: readonly string[], isMatch: Predicate) {
  for await (const page of readByIds(ids, (some) => findByIdsOrKept(source, some)))
    yield page.filter(isMatch)
}
