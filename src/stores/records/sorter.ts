import { DatabaseSync, type SQLOutputValue } from 'node:sqlite'

type Row = readonly SQLOutputValue[]

const rowsPerRead = 100

export interface Sorter {
  /** No two rows are the same. */
  add: (rows: readonly Row[]) => void
  /** The last value of each row, in order. */
  read: () => Generator<string[]>
  close: () => void
}

/**
 * Sorts more rows than fit into memory, in small steps; the caller closes it. `directions` tells
 * for each value of a row whether it is descending.
 */
export function openSorter(directions: readonly boolean[]): Sorter {
  // An empty name is a temporary database in a file that is removed when it is closed
  // (https://sqlite.org/inmemorydb.html#temp_db).
  const database = new DatabaseSync('')
  const names = directions.map((_, index) => `v${String(index)}`)
  const order = names.map((name, index) => (directions[index] ? `${name} DESC` : name)).join(', ')
  database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -16000')
  database.exec(`CREATE TABLE sorted (${names.join(', ')}, PRIMARY KEY (${order})) WITHOUT ROWID`)
  // A record that moves during the reading may be read twice.
  const insert = database.prepare(
    `INSERT OR IGNORE INTO sorted VALUES (${names.map(() => '?').join(', ')})`,
  )
  const select = database.prepare(
    `SELECT ${String(names.at(-1))} AS last FROM sorted ORDER BY ${order}`,
  )
  return {
    add: (rows) => {
      database.exec('BEGIN')
      for (const row of rows) insert.run(...row)
      database.exec('COMMIT')
    },
    read: function* () {
      const rows = select.iterate()
      for (;;) {
        const next = [...Iterator.from({ next: () => rows.next() }).take(rowsPerRead)]
        if (next.length === 0) return
        yield next.map(({ last }) => String(last))
      }
    },
    close: () => {
      database.close()
    },
  }
}
