import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { and, or, toColumnOf, type Condition as AnyCondition } from './conditions.ts'
import type { Filter, Operator, RecordQuery } from './records.ts'

export type Condition = AnyCondition<SQLInputValue>

/**
 * The value of a field as SQL. What is missing is an empty blob, which SQLite holds to be greater
 * than any number or text: so no value is ever NULL, which would equal nothing and follow nothing.
 */
export function toColumn(field: string): string {
  return toColumnOf(field, (name) => `ifnull(document ->> '$.${name}', x'')`)
}

export function inResource(resource: string): Condition {
  // Not bound: only for a constant does SQLite take an index that holds one resource.
  return { sql: `resource = '${resource.replaceAll("'", "''")}'`, values: [] }
}

/**
 * What a record has to fit, to be tested without an index; undefined when every record fits. The
 * plus keeps SQLite from seeking by a condition that leads it nowhere.
 */
export function toCondition({ filters, search }: RecordQuery): Condition | undefined {
  const conditions = filters.map((filter) =>
    toFilterCondition(filter, `+${toColumn(filter.field)}`),
  )
  if (search) conditions.push(toSearchCondition(search))
  return conditions.length === 0 ? undefined : and(...conditions)
}

/** All fields in one call, which is what takes the time. Between them stands what none can hold. */
function toSearchCondition({ text, fields }: NonNullable<RecordQuery['search']>): Condition {
  if (text.includes('\0')) return { sql: 'FALSE', values: [] }
  const columns = fields.map(toColumn).join(', ')
  return { sql: `instr(fold(${columns}), fold(?)) > 0`, values: [text] }
}

function toPresence(column: string): string {
  return `${column} < x''`
}

const tests: Record<Exclude<Operator, 'eq' | 'ne'>, (column: string) => string> = {
  lt: (column) => `${column} < ?`,
  lte: (column) => `${column} <= ?`,
  gt: (column) => `${column} > ? AND ${toPresence(column)}`,
  gte: (column) => `${column} >= ? AND ${toPresence(column)}`,
  contains: (column) => `instr(fold(${column}), fold(?)) > 0`,
  startsWith: (column) => `instr(fold(${column}), fold(?)) = 1`,
  endsWith: (column) => `ends_with(fold(${column}), fold(?))`,
}

export function toFilterCondition({ operator, values }: Filter, column: string): Condition {
  if (operator === 'eq' || operator === 'ne') {
    const marks = values.map(() => '?').join(', ')
    return { sql: `${column} ${operator === 'eq' ? 'IN' : 'NOT IN'} (${marks})`, values }
  }
  const sql = tests[operator](column)
  return or(...values.map((value) => ({ sql, values: [value] })))
}

/**
 * Adds the functions that conditions call. Letter case does not count in folded text; SQLite's own
 * lower() and LIKE know that of ASCII alone.
 */
export function addFunctions(database: DatabaseSync): void {
  const pure = { deterministic: true }
  database.function('fold', { ...pure, varargs: true }, (...values) => {
    const texts = values.filter((value) => typeof value === 'string' || typeof value === 'number')
    return texts.length === 0 ? null : texts.join('\0').toLowerCase()
  })
  database.function('ends_with', pure, (text, end) =>
    typeof text === 'string' && text.endsWith(String(end)) ? 1 : 0,
  )
}
