import type { Filter } from './records.ts'

/** A part of a WHERE with what is bound to its question marks. */
export interface Condition<Value> {
  sql: string
  values: readonly Value[]
}

/** The fields that have a column of their own. */
export const ownColumns: ReadonlyMap<string, string> = new Map([
  ['_id', 'id'],
  ['createdAt', 'created_at'],
  ['updatedAt', 'updated_at'],
])

/** The value of a field as SQL: its own column, or what `toPart` makes of its name. */
export function toColumnOf(field: string, toPart: (field: string) => string): string {
  const own = ownColumns.get(field)
  if (own !== undefined) return own
  if (!/^\w+$/.test(field)) throw new Error(`${field} cannot be the name of a field`)
  return toPart(field)
}

export function and<Value>(
  ...conditions: readonly (Condition<Value> | undefined)[]
): Condition<Value> {
  return join(
    conditions.filter((condition) => condition !== undefined),
    'AND',
  )
}

export function or<Value>(...conditions: readonly Condition<Value>[]): Condition<Value> {
  return join(conditions, 'OR')
}

function join<Value>(
  conditions: readonly Condition<Value>[],
  word: 'AND' | 'OR',
): Condition<Value> {
  return {
    sql: conditions.map(({ sql }) => `(${sql})`).join(` ${word} `),
    values: conditions.flatMap(({ values }) => values),
  }
}

const comparisons = ['eq', 'lt', 'lte', 'gt', 'gte']

/** The filters that an index can be entered by. */
export function findNarrowFilters(
  indexed: ReadonlySet<string>,
  filters: readonly Filter[],
): Filter[] {
  return filters.filter(
    ({ field, operator }) =>
      comparisons.includes(operator) &&
      (field === '_id' || field === 'createdAt' || indexed.has(field)),
  )
}
