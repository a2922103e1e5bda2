import { setImmediate } from 'node:timers/promises'
import { whenFree } from '../sqlite-database.ts'
import { refuseAbandoned, type RecordQuery } from './records.ts'
import { and } from './conditions.ts'
import { isOrderedBy, oldestFirst, toOrder, toOrderBy } from './order.ts'
import { inResource, toColumn, toCondition } from './sqlite-conditions.ts'
import {
  byId,
  findFew,
  findNarrowPath,
  isFew,
  toPath,
  toTies,
  type Terrain,
} from './sqlite-paths.ts'
import { openSorter, type Sorter } from './sorter.ts'
import { cutKeys, cutTies, toStretch, type Path, type Stretch } from './sqlite-stretches.ts'

/**
 * Finds a way to the records of a query that takes many small steps and keeps none of them. Where an
 * index leads to few, they are one stretch. Where one has the order, it is followed, and what does
 * not fit is passed over. Otherwise what fits is sorted in a file first. What remains: a filter or
 * an order without an index looks at every record, a second or two for a million, though others have
 * their turn in between; and what changes meanwhile may be met or missed.
 */
export async function* findStretches(
  terrain: Terrain,
  query: RecordQuery,
): AsyncGenerator<Stretch> {
  const narrow = await findFew(terrain, query)
  if (narrow) {
    yield narrow
    return
  }
  const { prepare, size } = terrain
  const order = toOrder(query.sort, toColumn)
  const path = toPath(terrain, query.sort[0] ?? oldestFirst)
  if (path && isOrderedBy(path, order)) yield* walk(terrain, path)
  else if (path?.key !== undefined) {
    // Those of one key are in another order than that of the index; of most keys there is one.
    for await (const stretch of cutKeys(prepare, path, size)) {
      if (stretch.isOneKey) yield* sort(terrain, query, toTies(path, stretch))
      else yield stretch
    }
  } else yield* sort(terrain, query, findNarrowPath(terrain, query))
}

/**
 * All records at once, where an index has them in the order of the query and none is passed over: of
 * its first few thousand a page takes one statement, and not a walk that counts them all.
 */
export function findWhole(terrain: Terrain, query: RecordQuery): Stretch | undefined {
  const path = toPath(terrain, query.sort[0] ?? oldestFirst)
  const isPlain =
    path && toCondition(query) === undefined && isOrderedBy(path, toOrder(query.sort, toColumn))
  return isPlain ? toStretch(path) : undefined
}

/** All records that may fit, in any order. */
export async function* findAnyOrder(terrain: Terrain, query: RecordQuery): AsyncGenerator<Stretch> {
  const narrow = await findFew(terrain, query)
  if (narrow) yield narrow
  else yield* walk(terrain, findNarrowPath(terrain, query))
}

/** The whole of a path in its order. */
async function* walk({ prepare, size }: Terrain, path: Path): AsyncGenerator<Stretch> {
  for await (const stretch of cutKeys(prepare, path, size)) {
    if (stretch.isOneKey) yield* cutTies(prepare, toTies(path, stretch), size)
    else yield stretch
  }
}

const recordsToSort = 1000

/** What fits along a path, in the order of the query: by way of a file, unless it is little. */
async function* sort(terrain: Terrain, query: RecordQuery, path: Path): AsyncGenerator<Stretch> {
  const whole = toStretch(path)
  if (await isFew(terrain.prepare, whole)) {
    yield whole
    return
  }
  const sorter = openSorter(toOrder(query.sort, toColumn).map(({ isDescending }) => isDescending))
  try {
    const size = Math.min(terrain.size, recordsToSort)
    for await (const stretch of walk({ ...terrain, size }, path)) {
      await sortStretch(terrain, query, { sorter, stretch })
    }
    for (const ids of sorter.read()) {
      // Reading the order back is no work to speak of, so others would never have their turn.
      await setImmediate()
      const isOne = { sql: `id IN (${ids.map(() => '?').join(', ')})`, values: ids }
      yield { index: byId, where: and(inResource(terrain.resource), isOne) }
    }
  } finally {
    sorter.close()
  }
}

async function sortStretch(
  { prepare, wanted }: Terrain,
  query: RecordQuery,
  { sorter, stretch: { index, where } }: { sorter: Sorter; stretch: Stretch },
): Promise<void> {
  refuseAbandoned(query)
  const order = toOrder(query.sort, toColumn)
  const columns = order.map(({ column }) => column)
  const { sql, values } = and(where, toCondition(query))
  // Of no stretch more can come among the first than are wanted.
  const statement = prepare(
    `SELECT ${columns.join(', ')} FROM records INDEXED BY ${index} WHERE ${sql}
     ORDER BY ${toOrderBy(order)} LIMIT ?`,
  )
  const rows = await whenFree(() => statement.all(...values, wanted ?? -1))
  sorter.add(rows)
}
