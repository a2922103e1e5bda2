import type { SQLOutputValue } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import { whenFree } from '../sqlite-database.ts'
import { and } from './conditions.ts'
import type { Condition } from './sqlite-conditions.ts'
import type { Prepare } from './sqlite-statements.ts'

/** An index that records can be followed along, and the part of it that is of interest. */
export interface Path {
  index: string
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
  index: string
  where: Condition
  /** Whether all that it has are of one key, and may be any number. */
  isOneKey?: boolean
}

/** The whole path at once. */
export function toStretch({ index, where, from, to }: Path): Stretch {
  // Of two ends on one side SQLite may seek by the wrong one, so there is never more than one.
  return { index, where: and(where, from, to) }
}

/**
 * Goes along a path in stretches of at most `size` records, so that what is done with one of them
 * takes little time, and lets others have their turn in between. SQLite seeks by several columns at
 * once only where none is an expression; so those of one key are a stretch apart, marked as such
 * and of any size, for {@link cutTies}.
 */
export async function* cutKeys(
  prepare: Prepare,
  path: Path,
  size: number,
): AsyncGenerator<Stretch> {
  const { key, isDescending, where } = path
  if (key === undefined) {
    yield* cutTies(prepare, path, size)
    return
  }
  const [before, after] = isDescending ? ['>', '<'] : ['<', '>']
  let rest = path
  for (;;) {
    const values = await findLast(prepare, rest, { columns: [key], size })
    if (values === undefined) {
      yield toStretch(rest)
      return
    }
    yield toStretch({ ...rest, to: { sql: `${key} ${before} ?`, values } })
    const isLast = { sql: `${key} = ?`, values }
    yield { index: path.index, where: and(where, isLast), isOneKey: true }
    rest = { ...path, from: { sql: `${key} ${after} ?`, values } }
  }
}

/** The same where all have one key, or the path has none. */
export async function* cutTies(
  prepare: Prepare,
  path: Path,
  size: number,
): AsyncGenerator<Stretch> {
  const { ties, isDescending } = path
  const [upTo, after] = isDescending ? ['>=', '<'] : ['<=', '>']
  const tuple = `(${ties.join(', ')})`
  const marks = `(${ties.map(() => '?').join(', ')})`
  let rest = path
  for (;;) {
    const values = await findLast(prepare, rest, { columns: ties, size })
    if (values === undefined) {
      yield toStretch(rest)
      return
    }
    yield toStretch({ ...rest, to: { sql: `${tuple} ${upTo} ${marks}`, values } })
    rest = { ...path, from: { sql: `${tuple} ${after} ${marks}`, values } }
  }
}

/** The columns of the record that is the last of the first `size`, if there are so many. */
async function findLast(
  prepare: Prepare,
  path: Path,
  { columns, size }: { columns: readonly string[]; size: number },
): Promise<readonly SQLOutputValue[] | undefined> {
  await setImmediate()
  const { index, where } = toStretch(path)
  const order = columns.map((column) => (path.isDescending ? `${column} DESC` : column))
  const statement = prepare(
    `SELECT ${columns.join(', ')} FROM records INDEXED BY ${index} WHERE ${where.sql}
     ORDER BY ${order.join(', ')} LIMIT 1 OFFSET ${String(size - 1)}`,
  )
  return whenFree(() => statement.get(...where.values))
}
