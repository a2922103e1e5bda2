import type { Statement } from '../postgres-database.ts'
import { and, or, ownColumns, toColumnOf, type Condition as AnyCondition } from './conditions.ts'
import { absence, fold, toKey, toText } from './postgres-keys.ts'
import { isOfText, type Filter, type Operator, type RecordQuery } from './records.ts'

export type Condition = AnyCondition<string>

/** What a field is compared by as SQL; never NULL, which would equal nothing and follow nothing. */
export function toColumn(field: string): string {
  return toColumnOf(field, (name) => `(coalesce(keys ->> '${name}', '${absence}') COLLATE "C")`)
}

/** What a value is compared as. */
function toOperand(field: string, value: string | number): string {
  return ownColumns.has(field) ? toText(String(value)) : toKey(value)
}

/** The value of a field in lower case as SQL; NULL where there is none. */
function toFolded(field: string): string {
  const value = ownColumns.get(field) ?? `substr(keys ->> '${field}', 2)`
  return `coalesce(keys ->> '${field}~', lower(${value} COLLATE "C"))`
}

export function inResource(resource: string): Condition {
  // Not bound: only for a constant is an index taken that holds one resource.
  if (!/^[~\w-]+$/.test(resource)) throw new Error(`${resource} cannot be the name of a resource`)
  return { sql: `resource = '${resource}'`, values: [] }
}

/** What a record has to fit; undefined when every record fits. */
export function toCondition({ filters, search }: RecordQuery): Condition | undefined {
  const conditions = filters.map(toFilterCondition)
  if (search) conditions.push(toSearchCondition(search))
  return conditions.length === 0 ? undefined : and(...conditions)
}

function toSearchCondition({ text, fields }: NonNullable<RecordQuery['search']>): Condition {
  if (text.includes('\0') || fields.length === 0) return { sql: 'FALSE', values: [] }
  const values = [fold(text)]
  return or(...fields.map((field) => ({ sql: tests.contains(field), values })))
}

function toPresence(field: string): string {
  return ownColumns.has(field) ? 'TRUE' : `${toColumn(field)} < '${absence}'`
}

const tests: Record<Exclude<Operator, 'eq' | 'ne'>, (field: string) => string> = {
  lt: (field) => `${toColumn(field)} < ?`,
  lte: (field) => `${toColumn(field)} <= ?`,
  gt: (field) => `${toColumn(field)} > ? AND ${toPresence(field)}`,
  gte: (field) => `${toColumn(field)} >= ? AND ${toPresence(field)}`,
  contains: (field) => `strpos(${toFolded(field)}, ?) > 0`,
  startsWith: (field) => `strpos(${toFolded(field)}, ?) = 1`,
  endsWith: (field) => `strpos(reverse(${toFolded(field)}), reverse(?)) = 1`,
}

export function toFilterCondition({ field, operator, values }: Filter): Condition {
  if (operator === 'eq' || operator === 'ne') {
    const marks = values.map(() => '?').join(', ')
    const sql = `${toColumn(field)} ${operator === 'eq' ? 'IN' : 'NOT IN'} (${marks})`
    return { sql, values: values.map((value) => toOperand(field, value)) }
  }
  const sql = tests[operator](field)
  return or(
    ...values.map((value) => ({
      sql,
      values: [isOfText(operator) ? fold(value) : toOperand(field, value)],
    })),
  )
}

/** With the numbers that PostgreSQL wants in place of question marks. */
export function toStatement(text: string, values: readonly unknown[]): Statement {
  let count = 0
  return { text: text.replaceAll('?', () => `$${String((count += 1))}`), values: [...values] }
}
