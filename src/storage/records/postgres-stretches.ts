import type { PostgresDatabase } from '../postgres-database.ts'
import { and } from './conditions.ts'
import { toStatement, type Condition } from './postgres-conditions.ts'

/** The order of an index that records can be followed along, and the part of it that is of interest. */
export interface Path {
  /** What the index is by before `ties`; undefined where it is by `ties` alone. */
  key?: string
  /** What tells those of one key apart. */
  ties: readonly string[]
  isDescending: boolean
  where: Condition
  /** Where along the index to begin and to end. */
  from?: Condition | undefined
  to?: Condition | undefined
}

/** Records that come before all those of the next stretch. */
export interface Stretch {
  where: Condition
  /** Whether all that it has are of one key, and may be any number. */
  isOneKey?: boolean
}

/** The whole path at once. */
export function toStretch({ where, from, to }: Path): Stretch {
  return { where: and(where, from, to) }
}

function toPathColumns({ key, ties }: Path): readonly string[] {
  return key === undefined ? ties : [key, ...ties]
}

/**
 * Goes along a path in stretches of at most `size` records, so that no statement takes long, and
 * keeps the place itself: nothing is held open in the database while a reader takes its time.
 */
export async function* cut(
  database: PostgresDatabase,
  path: Path,
  size: number,
): AsyncGenerator<Stretch> {
  const columns = toPathColumns(path)
  const [upTo, after] = path.isDescending ? ['>=', '<'] : ['<=', '>']
  let rest = path
  for (;;) {
    const values = await findLast(database, rest, { columns, size })
    if (values === undefined) {
      yield toStretch(rest)
      return
    }
    yield toStretch({ ...rest, to: toEnd(columns, upTo, values) })
    rest = { ...path, from: toEnd(columns, after, values) }
  }
}

/**
 * The same, but those of one key are a stretch apart, marked as such and of any size: in the order
 * of the keys alone.
 */
export async function* cutKeys(
  database: PostgresDatabase,
  path: Path & { key: string },
  size: number,
): AsyncGenerator<Stretch> {
  const { key, isDescending, where } = path
  const [before, after] = isDescending ? ['>', '<'] : ['<', '>']
  let rest: Path = path
  for (;;) {
    const values = await findLast(database, rest, { columns: [key], size })
    if (values === undefined) {
      yield toStretch(rest)
      return
    }
    yield toStretch({ ...rest, to: { sql: `${key} ${before} ?`, values } })
    yield { where: and(where, { sql: `${key} = ?`, values }), isOneKey: true }
    rest = { ...path, from: { sql: `${key} ${after} ?`, values } }
  }
}

/** A comparison of all columns at once; that of the first alone is what the planner can estimate. */
function toEnd(columns: readonly string[], sign: string, values: readonly string[]): Condition {
  const marks = columns.map(() => '?').join(', ')
  const [first = ''] = columns
  const orEqual = sign.endsWith('=') ? sign : `${sign}=`
  return {
    sql: `${first} ${orEqual} ? AND (${columns.join(', ')}) ${sign} (${marks})`,
    values: [...values.slice(0, 1), ...values],
  }
}

/** The columns of the record that is the last of the first `size`, if there are so many. */
async function findLast(
  database: PostgresDatabase,
  path: Path,
  { columns, size }: { columns: readonly string[]; size: number },
): Promise<string[] | undefined> {
  const { where } = toStretch(path)
  const names = columns.map((column, position) => `${column} AS c${String(position)}`)
  const order = columns.map((column) => (path.isDescending ? `${column} DESC` : column))
  const { rows } = await database.run(
    toStatement(
      `SELECT ${names.join(', ')} FROM records WHERE ${where.sql}
       ORDER BY ${order.join(', ')} LIMIT 1 OFFSET ${String(size - 1)}`,
      where.values,
    ),
  )
  return rows[0] && (Object.values(rows[0]) as string[])
}
