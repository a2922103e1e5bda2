import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { and, or, toColumnOf, type Condition as AnyCondition } from './conditions.ts'
import {
  isOfText,
  type Filter,
  type Operator,
  type RecordQuery,
  type TextOperator,
} from './records.ts'

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

type Comparison = Exclude<Operator, 'eq' | 'ne' | TextOperator>

const tests: Record<Comparison, (column: string) => string> = {
  lt: (column) => `${column} < ?`,
  lte: (column) => `${column} <= ?`,
  gt: (column) => `${column} > ? AND ${toPresence(column)}`,
  gte: (column) => `${column} >= ? AND ${toPresence(column)}`,
}

export function toFilterCondition({ operator, values }: Filter, column: string): Condition {
  const marks = values.map(() => '?').join(', ')
  if (operator === 'eq' || operator === 'ne') {
    return { sql: `${column} ${operator === 'eq' ? 'IN' : 'NOT IN'} (${marks})`, values }
  }
  if (isOfText(operator)) {
    // All values in one call: what takes the time is to bring the text of a field here.
    const folded = values.map((value) => String(value).toLowerCase())
    return { sql: `${operator}(${column}, ${marks})`, values: folded }
  }
  const sql = tests[operator](column)
  return or(...values.map((value) => ({ sql, values: [value] })))
}

const textTests: Record<TextOperator, (text: string, part: string) => boolean> = {
  contains: (text, part) => text.includes(part),
  startsWith: (text, part) => text.startsWith(part),
  endsWith: (text, part) => text.endsWith(part),
}

/**
 * Adds the functions that conditions call. Letter case does not count in folded text; SQLite's own
 * lower() and LIKE know that of ASCII alone.
 */
export function addFunctions(database: DatabaseSync): void {
  const options = { deterministic: true, varargs: true }
  database.function('fold', options, (...values) => {
    const texts = values.filter((value) => typeof value === 'string' || typeof value === 'number')
    return texts.length === 0 ? null : texts.join('\0').toLowerCase()
  })
  for (const [operator, isFound] of Object.entries(textTests)) {
    database.function(operator, options, (value, ...parts) => {
      if (typeof value !== 'string' && typeof value !== 'number') return 0
      const text = String(value).toLowerCase()
      return parts.some((part) => isFound(text, String(part))) ? 1 : 0
    })
  }
}
