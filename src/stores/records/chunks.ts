import { setImmediate } from 'node:timers/promises'
import { and } from './conditions.ts'
import type { Condition, Dialect, Row } from './dialect.ts'
import { toChunk, toColumns, toOneKey, type Chunk, type IndexRange } from './index-ranges.ts'

/**
 * Divides a range into chunks of at most `size` records, so that no statement takes long. Nothing
 * stays open in the database between two chunks.
 */
export async function* cut(
  dialect: Dialect,
  range: IndexRange,
  size: number,
): AsyncGenerator<Chunk> {
  if (range.key === undefined || dialect.seeksRowsByExpression) {
    yield* cutBy(dialect, range, { columns: toColumns(range), size })
    return
  }
  for await (const chunk of cutKeys(dialect, range, size)) {
    if (chunk.isOneKey) yield* cut(dialect, toOneKey(range, chunk.where), size)
    else yield chunk
  }
}

/**
 * In the order of the keys alone. The records of the last key of a chunk are a chunk of their own.
 */
export function cutKeys(dialect: Dialect, range: IndexRange, size: number): AsyncGenerator<Chunk> {
  return cutBy(dialect, range, { columns: toColumns(range).slice(0, 1), size, isByKey: true })
}

async function* cutBy(
  dialect: Dialect,
  range: IndexRange,
  {
    columns,
    size,
    isByKey = false,
  }: { columns: readonly string[]; size: number; isByKey?: boolean },
): AsyncGenerator<Chunk> {
  const after = range.isDescending ? '<' : '>'
  const before = range.isDescending ? '>' : '<'
  const { index, where } = range
  let rest = range
  for (;;) {
    const values = await findLast(dialect, rest, { columns, size })
    if (values === undefined) break
    const compare = (sign: string) => compareRows(dialect, columns, sign, values)
    yield toChunk({ ...rest, to: compare(isByKey ? before : `${before}=`) })
    if (isByKey) yield { index, where: and(where, compare('=')), isOneKey: true }
    rest = { ...range, from: compare(after) }
  }
  yield toChunk(rest)
}

export function compareRows(
  { estimatesFirstColumn }: Dialect,
  columns: readonly string[],
  sign: string,
  values: Row,
): Condition {
  const [first = '', ...others] = columns
  if (others.length === 0) return { sql: `${first} ${sign} ?`, values }
  const marks = columns.map(() => '?').join(', ')
  const rows = { sql: `(${columns.join(', ')}) ${sign} (${marks})`, values }
  const orEqual = `${sign.slice(0, 1)}=`
  const firstAlone = { sql: `${first} ${orEqual} ?`, values: values.slice(0, 1) }
  return estimatesFirstColumn ? and(firstAlone, rows) : rows
}

async function findLast(
  dialect: Dialect,
  range: IndexRange,
  { columns, size }: { columns: readonly string[]; size: number },
): Promise<Row | undefined> {
  await setImmediate()
  const { index, where } = toChunk(range)
  const names = columns.map((column, position) => `${column} AS c${String(position)}`)
  const order = columns.map((column) => (range.isDescending ? `${column} DESC` : column))
  const [row] = await dialect.run(
    `SELECT ${names.join(', ')} FROM ${dialect.toSource(index)} WHERE ${where.sql}
     ORDER BY ${order.join(', ')} LIMIT 1 OFFSET ${String(size - 1)}`,
    where.values,
  )
  return row
}
