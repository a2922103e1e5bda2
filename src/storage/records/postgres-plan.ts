import { and } from './conditions.ts'
import { isOrderedBy, oldestFirst, toOrder, toOrderBy } from './order.ts'
import { inResource, toColumn, toCondition, toStatement } from './postgres-conditions.ts'
import { findFew, findNarrowPath, isFew, toPath, toTies, type Terrain } from './postgres-paths.ts'
import { cut, cutKeys, toStretch, type Path, type Stretch } from './postgres-stretches.ts'
import { refuseAbandoned, type RecordQuery } from './records.ts'
import { openSorter, type Sorter } from './sorter.ts'

/**
 * Finds a way to the records of a query that takes many small steps and keeps none of them, as
 * `sqlite-plan.ts` does. Where an index leads to few, they are one stretch. Where one has the order,
 * it is followed, and what does not fit is passed over. Otherwise what fits is sorted first, in a
 * file of this process: a sort in the database would have to end within the time of one statement,
 * or hold a connection for as long as a client reads.
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
  const { database, size } = terrain
  const order = toOrder(query.sort, toColumn)
  const path = toPath(terrain, query.sort[0] ?? oldestFirst)
  if (path && isOrderedBy(path, order)) yield* cut(database, path, size)
  else if (path && hasKey(path)) {
    // Those of one key are in another order than that of the index; of most keys there is one.
    for await (const stretch of cutKeys(database, path, size)) {
      if (stretch.isOneKey) yield* sort(terrain, query, toTies(path, stretch))
      else yield stretch
    }
  } else yield* sort(terrain, query, findNarrowPath(terrain, query))
}

function hasKey(path: Path): path is Path & { key: string } {
  return path.key !== undefined
}

/** All records that may fit, in any order. */
export async function* findAnyOrder(terrain: Terrain, query: RecordQuery): AsyncGenerator<Stretch> {
  const narrow = await findFew(terrain, query)
  if (narrow) yield narrow
  else yield* cut(terrain.database, findNarrowPath(terrain, query), terrain.size)
}

const recordsToSort = 1000

/** What fits along a path, in the order of the query: by way of a file, unless it is little. */
async function* sort(terrain: Terrain, query: RecordQuery, path: Path): AsyncGenerator<Stretch> {
  const whole = toStretch(path)
  if (await isFew(terrain.database, whole)) {
    yield whole
    return
  }
  const sorter = openSorter(toOrder(query.sort, toColumn).map(({ isDescending }) => isDescending))
  try {
    const size = terrain.wanted === undefined ? recordsToSort : terrain.size
    for await (const stretch of cut(terrain.database, path, size)) {
      await sortStretch(terrain, query, { sorter, stretch })
    }
    for (const ids of sorter.read()) {
      const isOne = { sql: `id IN (${ids.map(() => '?').join(', ')})`, values: ids }
      yield { where: and(inResource(terrain.resource), isOne) }
    }
  } finally {
    sorter.close()
  }
}

async function sortStretch(
  { database, wanted }: Terrain,
  query: RecordQuery,
  { sorter, stretch }: { sorter: Sorter; stretch: Stretch },
): Promise<void> {
  refuseAbandoned(query)
  const order = toOrder(query.sort, toColumn)
  const columns = order.map(({ column }, position) => `${column} AS c${String(position)}`)
  const { sql, values } = and(stretch.where, toCondition(query))
  // Of no stretch more can come among the first than are wanted.
  const { rows } = await database.run(
    toStatement(
      `SELECT ${columns.join(', ')} FROM records WHERE ${sql} ORDER BY ${toOrderBy(order)} LIMIT ?`,
      [...values, wanted ?? null],
    ),
  )
  sorter.add(rows.map((row) => Object.values(row) as string[]))
}
