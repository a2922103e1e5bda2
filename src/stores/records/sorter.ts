import { DatabaseSync } from 'node:sqlite'
import { toMarks } from './conditions.ts'
import type { Row } from './dialect.ts'

/** Sorts more rows than fit into memory, in small steps, and yields the last value of each. */
export async function* sortRows(
  areDescending: readonly boolean[],
  parts: AsyncIterable<readonly Row[]>,
): AsyncGenerator<string[]> {
  // A temporary file: https://sqlite.org/inmemorydb.html#temp_db
  const database = new DatabaseSync('')
  try {
    const names = areDescending.map((_, index) => `v${String(index)}`)
    const order = names
      .map((name, index) => (areDescending[index] ? `${name} DESC` : name))
      .join(', ')
    database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -16000')
    database.exec(`CREATE TABLE sorted (${names.join(', ')}, PRIMARY KEY (${order})) WITHOUT ROWID`)
    // A record that moves during the reading may be read twice.
    const insert = database.prepare(`INSERT OR IGNORE INTO sorted VALUES (${toMarks(names)})`)
    for await (const rows of parts) {
      database.exec('BEGIN')
      for (const row of rows) insert.run(...row)
      database.exec('COMMIT')
    }
    yield* readLast(
      database,
      `SELECT ${String(names.at(-1))} AS last FROM sorted ORDER BY ${order}`,
    )
  } finally {
    database.close()
  }
}

function* readLast(database: DatabaseSync, sql: string): Generator<string[]> {
  let values: string[] = []
  for (const { last } of database.prepare(sql).iterate()) {
    values.push(String(last))
    if (values.length < 100) continue
    yield values
    values = []
  }
  if (values.length > 0) yield values
}
