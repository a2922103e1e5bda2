import type { SortTerm } from './records.ts'

export interface Term {
  column: string
  isDescending: boolean
}

export const oldestFirst: SortTerm = { field: 'createdAt', isDescending: false }

/** The order down to the id, which no two records share. */
export function toOrder(sort: readonly SortTerm[], toColumn: (field: string) => string): Term[] {
  const isDescending = sort[0]?.isDescending ?? false
  const terms = [
    ...sort.map((term) => ({ column: toColumn(term.field), isDescending: term.isDescending })),
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

/** Whether what follows an index is in the order: one of these columns, all in one direction. */
export function isOrderedBy(
  { key, ties, isDescending }: { key?: string; ties: readonly string[]; isDescending: boolean },
  order: readonly Term[],
): boolean {
  const columns = key === undefined ? ties : [key, ...ties]
  return (
    columns.length === order.length &&
    order.every(
      (term, index) => term.column === columns[index] && term.isDescending === isDescending,
    )
  )
}
