import { DatabaseSync } from 'node:sqlite'
import { toMarks } from './conditions.ts'
import type { Row } from './dialect.ts'
import { toOrderBy, type Term } from './ranges.ts'

/** Sorts more rows than fit into memory, in small steps, and yields the last value of each. */
export async function* sortRows(order: readonly Term[], parts: AsyncIterable<readonly Row[]>) {
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
    for await (const rows of parts) {
      database.exec('BEGIN')
      for (const row of rows) insert.run(...row)
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
