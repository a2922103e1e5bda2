import { DatabaseSync, type SQLOutputValue } from 'node:sqlite'

type Row = readonly SQLOutputValue[]

const rowsPerRead = 100

export interface Sorter {
  /** Each row is what it is sorted by; no two are the same. */
  add: (rows: readonly Row[]) => void
  /** The last value of each row, in order, a hundred at a time. */
  read: () => Generator<string[]>
  close: () => void
}

/**
 * Sorts more rows than memory should hold, a few at a time, so that no step takes long. `directions`
 * has one entry for each value of a row: whether it goes down. The caller closes it.
 */
export function openSorter(directions: readonly boolean[]): Sorter {
  // No name: a database of its own in a file that goes with it, and of which little is in memory.
  const database = new DatabaseSync('')
  const names = directions.map((_, index) => `v${String(index)}`)
  const order = names.map((name, index) => (directions[index] ? `${name} DESC` : name)).join(', ')
  database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -16000')
  database.exec(`CREATE TABLE sorted (${names.join(', ')}, PRIMARY KEY (${order})) WITHOUT ROWID`)
  // A record that moves while the others are being read may be met twice.
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
