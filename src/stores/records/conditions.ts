import type { Condition, SqlDialect, Row, Term, Value } from './dialect.ts'
import { isOfText, isStorable } from './records.ts'
import type { FieldPath, FieldValue, Filter, RecordQuery, TextOperator } from './records.ts'

const ownColumns: ReadonlyMap<FieldPath, string> = new Map([
  ['_id', 'id'],
  ['createdAt', 'created_at'],
  ['updatedAt', 'updated_at'],
])

const never: Condition = { sql: 'FALSE', values: [] }

function parseColumnOrPath(field: FieldPath): string | readonly string[] {
  const column = ownColumns.get(field)
  if (column !== undefined) return column
  const path = typeof field === 'string' ? [field] : field
  if (path.length > 0 && path.every((name) => name !== '' && isStorable(name))) return path
  throw new Error(`${JSON.stringify(field)} cannot be the path of a field`)
}

export function fieldToColumn(dialect: SqlDialect, field: FieldPath): string {
  const path = parseColumnOrPath(field)
  return typeof path === 'string' ? path : dialect.toColumn(path)
}

export const toMarks = (values: readonly unknown[]): string => values.map(() => '?').join(', ')

export function joinAnd(...conditions: readonly (Condition | undefined)[]): Condition {
  const given = conditions.filter((condition) => condition !== undefined)
  return joinConditions(given, ' AND ')
}

export function joinOr(conditions: readonly Condition[]): Condition {
  return conditions.length === 0 ? never : joinConditions(conditions, ' OR ')
}

function joinConditions(conditions: readonly Condition[], separator: string): Condition {
  return {
    sql: conditions.map(({ sql }) => `(${sql})`).join(separator),
    values: conditions.flatMap(({ values }) => values),
  }
}

export const toLowerText = (value: Value | boolean): string => String(value).toLowerCase()

/** The lowercase text, where a lower() that knows ASCII only would return another. */
export function findFolded(text: string): string | undefined {
  const folded = toLowerText(text)
  const ascii = text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
  return folded === ascii ? undefined : folded
}

export function toCondition(dialect: SqlDialect, { filters, search }: RecordQuery) {
  const conditions = filters.map((filter) => toFilterCondition(dialect, filter))
  if (search)
    conditions.push(
      toTextCondition(dialect, {
        operator: 'contains',
        fields: search.fields,
        values: [search.text],
      }),
    )
  return conditions.length === 0 ? undefined : joinAnd(...conditions)
}

function toFilterCondition(dialect: SqlDialect, filter: Filter): Condition {
  const { field, operator } = filter
  const values = filter.values.filter(isInRecords)
  if (isOfText(operator)) {
    const ofText = toTextCondition(dialect, { operator, fields: [field], values })
    const elements = filter.elements?.filter(isInRecords)
    return elements
      ? joinOr([ofText, dialect.toElementCondition([field].flat(), elements)])
      : ofText
  }
  if (operator !== 'eq' && operator !== 'ne') {
    const toRange = (value: FieldValue) => joinAnd(...toBounds(dialect, { field, operator, value }))
    return joinOr(values.map(toRange))
  }
  if (values.length === 0) return { sql: operator === 'eq' ? 'FALSE' : 'TRUE', values: [] }
  const column = fieldToColumn(dialect, field)
  const operands = values.map((value) => toOperand(dialect, field, value))
  const sql = `${column} ${operator === 'eq' ? 'IN' : 'NOT IN'} (${toMarks(operands)})`
  return { sql, values: operands }
}

/** No record has a value that cannot be stored. */
const isInRecords = (value: FieldValue): boolean => isStorable(String(value))

interface TextSearch {
  operator: TextOperator
  fields: readonly FieldPath[]
  values: readonly FieldValue[]
}

function toTextCondition(dialect: SqlDialect, { operator, fields, values }: TextSearch): Condition {
  const texts = values.filter(isInRecords).map(toLowerText)
  if (texts.length === 0 || fields.length === 0) return never
  return dialect.toTextCondition(operator, fields.map(parseColumnOrPath), texts)
}

export function toOperand({ toOperand }: SqlDialect, field: FieldPath, value: FieldValue): Value {
  return ownColumns.has(field) ? String(value) : toOperand(value)
}

const signs: Readonly<Record<string, string>> = { lt: '<', lte: '<=', gt: '>', gte: '>=' }
const types = ['number', 'string', 'boolean', 'object']

/** The limit, and where the values of its type start or end. */
function toBounds(
  dialect: SqlDialect,
  { field, operator, value }: Omit<Filter, 'values'> & { value: FieldValue },
): readonly Condition[] {
  const column = fieldToColumn(dialect, field)
  const sql = `${column} ${signs[operator] ?? '='} ?`
  const own = { sql, values: [toOperand(dialect, field, value)] }
  const isUpper = operator.startsWith('l')
  const start = dialect.starts[types.indexOf(typeof value) + (isUpper ? 0 : 1)]
  if (start === undefined || ownColumns.has(field)) return [own]
  return [own, { sql: `${column} ${isUpper ? '>=' : '<'} ${start}`, values: [] }]
}

/**
 * The later records: with an index on the first column, those with the same value in it, and then those beyond.
 * An index on an expression is not used for a comparison of rows in SQLite.
 */
export function toLater(order: readonly Term[], values: Row, hasIndex: boolean): Condition[] {
  const [first, ...rest] = order
  if (!hasIndex || first === undefined || rest.length === 0) return [toBeyond(order, values)]
  const [value = null, ...others] = values
  const isSame = { sql: `${first.column} = ?`, values: [value] }
  return [joinAnd(isSame, toBeyond(rest, others)), toBeyond([first], [value])]
}

function toBeyond(order: readonly Term[], values: Row): Condition {
  const [first, ...rest] = order
  const sign = first?.isDescending === true ? '<' : '>'
  const names = order.map(({ column }) => column)
  if (rest.every(({ isDescending }) => isDescending === first?.isDescending))
    return { sql: `(${names.join()}) ${sign} (${toMarks(names)})`, values }
  const [value = null, ...others] = values
  const isBeyond = { sql: `${names[0] ?? ''} ${sign} ?`, values: [value] }
  const isSame = { sql: `${names[0] ?? ''} = ?`, values: [value] }
  return joinOr([isBeyond, joinAnd(isSame, toBeyond(rest, others))])
}
