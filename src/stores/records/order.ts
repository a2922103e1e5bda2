import { toColumn } from './conditions.ts'
import type { Dialect } from './dialect.ts'
import type { SortTerm } from './records.ts'

export interface Term {
  column: string
  isDescending: boolean
}

/** Ends with the id, so that no two records are equal. */
export function toOrder(dialect: Dialect, sort: readonly SortTerm[]): Term[] {
  const isDescending = sort[0]?.isDescending ?? false
  const terms = [
    ...sort.map((term) => ({ ...term, column: toColumn(dialect, term.field) })),
    { column: 'created_at', isDescending },
    { column: 'id', isDescending },
  ]
  const first = terms.filter(
    ({ column }, index) => terms.findIndex((term) => term.column === column) === index,
  )
  return first.slice(0, first.findIndex(({ column }) => column === 'id') + 1)
}

export function toOrderBy(order: readonly Term[]): string {
  return order
    .map(({ column, isDescending }) => `${column}${isDescending ? ' DESC' : ''}`)
    .join(', ')
}
