import { setImmediate } from 'node:timers/promises'
import { cut, cutKeys } from './chunks.ts'
import { and, toCondition } from './conditions.ts'
import {
  findFew,
  findNarrowRange,
  findRange,
  isFew,
  isOrderedBy,
  toChunk,
  toIdChunk,
  toOneKey,
  type Chunk,
  type IndexRange,
  type Scan,
} from './index-ranges.ts'
import { toOrder, toOrderBy } from './order.ts'
import { assertNotAborted, type RecordQuery } from './records.ts'
import { openSorter, type Sorter } from './sorter.ts'

/**
 * Finds the records of a query in many small steps and stores none of them. An index that leads to
 * few records gives one chunk. An index in the order of the query is followed, and records that do
 * not match are skipped. Otherwise the matching records are sorted in a temporary file: sorting in
 * the database would be one long statement, or occupy a connection while a client reads. Without an
 * index every record is tested. Concurrent changes may be included or not.
 */
export async function* findChunks(scan: Scan, query: RecordQuery): AsyncGenerator<Chunk> {
  const few = await findFew(scan, query)
  if (few) {
    yield few
    return
  }
  const { dialect, size } = scan
  const ordered = findOrderedRange(scan, query)
  const [term] = toOrder(dialect, query.sort)
  const range = term && findRange(scan, term.column, term.isDescending)
  if (ordered) yield* cut(dialect, ordered, size)
  else if (range?.key !== undefined) {
    // Records of one key are not in the order of the index; most keys have one record.
    for await (const chunk of cutKeys(dialect, range, size)) {
      if (chunk.isOneKey) yield* sort(scan, query, toOneKey(range, chunk.where))
      else yield chunk
    }
  } else yield* sort(scan, query, findNarrowRange(scan, query))
}

function findOrderedRange(scan: Scan, query: RecordQuery): IndexRange | undefined {
  const order = toOrder(scan.dialect, query.sort)
  const { column = '', isDescending } = order[0] ?? {}
  const ranges = [findNarrowRange(scan, query, isDescending), findRange(scan, column, isDescending)]
  return ranges.find((range) => range && isOrderedBy(range, order))
}

/**
 * One statement for a page near the start, where an index has the order of the query and no record
 * is skipped.
 */
export function findWhole(scan: Scan, query: RecordQuery): Chunk | undefined {
  if (toCondition(scan.dialect, query) !== undefined) return undefined
  const range = findOrderedRange(scan, query)
  return range && toChunk(range)
}

export async function* findAnyOrder(scan: Scan, query: RecordQuery): AsyncGenerator<Chunk> {
  const few = await findFew(scan, query)
  if (few) yield few
  else yield* cut(scan.dialect, findNarrowRange(scan, query), scan.size)
}

const recordsToSort = 1000

async function* sort(scan: Scan, query: RecordQuery, range: IndexRange): AsyncGenerator<Chunk> {
  const { dialect, wanted } = scan
  const whole = toChunk(range)
  if (await isFew(dialect, whole)) {
    yield whole
    return
  }
  const order = toOrder(dialect, query.sort)
  const sorter = openSorter(order.map(({ isDescending }) => isDescending))
  try {
    const size = wanted === undefined ? recordsToSort : Math.min(scan.size, dialect.sizes.test)
    for await (const chunk of cut(dialect, range, size)) {
      await sortChunk(scan, query, { sorter, chunk })
    }
    for (const ids of sorter.read()) {
      await setImmediate()
      yield toIdChunk(scan, ids)
    }
  } finally {
    sorter.close()
  }
}

async function sortChunk(
  { dialect, wanted }: Scan,
  query: RecordQuery,
  { sorter, chunk: { index, where } }: { sorter: Sorter; chunk: Chunk },
): Promise<void> {
  assertNotAborted(query)
  const order = toOrder(dialect, query.sort)
  const columns = order.map(({ column }, position) => `${column} AS c${String(position)}`)
  const { sql, values } = and(where, toCondition(dialect, query))
  // At most this many of a chunk can be among the first records.
  const limit = wanted === undefined ? '' : ` LIMIT ${String(wanted)}`
  const rows = await dialect.run(
    `SELECT ${columns.join(', ')} FROM ${dialect.toSource(index)} WHERE ${sql}
     ORDER BY ${toOrderBy(order)}${limit}`,
    values,
  )
  sorter.add(rows)
}
