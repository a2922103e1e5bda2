import { DatabaseSync } from 'node:sqlite'
import { toMarks } from './conditions.ts'
import type { Row, Value } from './dialect.ts'
import { divideRange, findFew, findNarrowRange, findRange, isFew, selectRows } from './ranges.ts'
import { toIdRange, toLater, toOrderBy } from './ranges.ts'
import type { IndexRange, Scan } from './ranges.ts'
import { nextTurn } from '../../timers.ts'

// Where no index has their order, records are sorted in a temporary file: sorting in the database would
// be one long statement, or occupy a connection while a client reads.
export async function* findRanges(scan: Scan): AsyncGenerator<IndexRange> {
  const few = await findFew(scan)
  const ordered = findOrdered(scan)
  const [first] = scan.order
  const byKey = first && findRange(scan, first)
  if (few) yield toLater(scan, few)
  else if (ordered) yield* divideRange(scan, ordered)
  // Records of one key are not in the order of the index; most keys have one record.
  else if (byKey) yield* divideRange(scan, byKey, sort)
  else yield* sort(scan, findNarrowRange(scan))
}

export function findOrdered(scan: Scan): IndexRange | undefined {
  const [first] = scan.order
  const ranges = [findNarrowRange(scan, first?.isDescending), first && findRange(scan, first)]
  const orderBy = toOrderBy(scan.order)
  return ranges.find((range) => range && toOrderBy(range.order) === orderBy)
}

async function* sort(scan: Scan, range: IndexRange): AsyncGenerator<IndexRange> {
  if (await isFew(scan, range)) {
    yield toLater(scan, range)
    return
  }
  const last = new Map<string, Value>()
  for await (const ids of sortRows(scan, readKeys(scan, range, last), last)) {
    await nextTurn()
    yield toIdRange(scan, ids)
  }
}

/** Only the keys before `last`, which the caller sets when it has as many as are wanted. */
async function* readKeys(
  scan: Scan,
  range: IndexRange,
  last: ReadonlyMap<string, Value>,
): AsyncGenerator<readonly Row[]> {
  const { dialect, order, wantedRecords } = scan
  const what = order.map(({ column }) => column).join(', ')
  const orderBy = `ORDER BY ${toOrderBy(order)}`
  const tail = wantedRecords === undefined ? orderBy : `${orderBy} LIMIT ${String(wantedRecords)}`
  const recordsPerRange =
    wantedRecords === undefined ? 1000 : Math.min(scan.recordsPerRange, dialect.sizes.test)
  for await (const part of divideRange({ ...scan, recordsPerRange, after: undefined }, range)) {
    const reversed = order.map((term) => ({ ...term, isDescending: !term.isDescending }))
    const wanted = last.size > 0 ? toLater({ ...scan, order: reversed, after: last }, part) : part
    yield await selectRows(scan, toLater(scan, wanted), { what, tail })
  }
}

/** Sorts more rows than fit into memory, in small steps, and yields the last value of each. */
async function* sortRows(
  { order, wantedRecords = Infinity }: Scan,
  parts: AsyncIterable<readonly Row[]>,
  last: Map<string, Value>,
) {
  // A temporary file: https://sqlite.org/inmemorydb.html#temp_db
  const database = new DatabaseSync('')
  try {
    const terms = order.map((term, index) => ({ ...term, column: `v${String(index)}` }))
    const names = terms.map(({ column }) => column)
    const orderBy = toOrderBy(terms)
    database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -16000')
    database.exec(
      `CREATE TABLE sorted (${names.join(', ')}, PRIMARY KEY (${orderBy})) WITHOUT ROWID`,
    )
    // A record that moves during the reading may be read twice.
    const insert = database.prepare(`INSERT OR IGNORE INTO sorted VALUES (${toMarks(names)})`)
    const limit = `ORDER BY ${orderBy} LIMIT -1 OFFSET ${String(wantedRecords)}`
    const drop = `DELETE FROM sorted WHERE (${String(names)}) IN (SELECT * FROM sorted ${limit})`
    let kept = 0
    for await (const rows of parts) {
      database.exec('BEGIN')
      for (const row of rows) insert.run(...row)
      kept += rows.length
      if (kept > 2 * wantedRecords) {
        database.exec(drop)
        kept = wantedRecords
        const end = `ORDER BY ${orderBy} LIMIT 1 OFFSET ${String(wantedRecords - 1)}`
        const row = Object.values(database.prepare(`SELECT * FROM sorted ${end}`).get() ?? {})
        order.forEach(({ column }, index) => last.set(column, row[index] ?? null))
      }
      database.exec('COMMIT')
    }
    const select = `SELECT ${String(names.at(-1))} AS last FROM sorted ORDER BY ${orderBy}`
    let values: string[] = []
    for (const { last } of database.prepare(select).iterate()) {
      if (values.push(String(last)) < 100) continue
      yield values
      values = []
    }
    if (values.length > 0) yield values
  } finally {
    database.close()
  }
}
