import { badRequest } from '../http/errors/http-error.ts'
import { maxSortTerms } from '../resources/list/list-query.ts'
import type { Document } from '../stores/records/records.ts'
import { createFindAt, createFindInside, isBelow, type Find } from './values.ts'

export type Sort = readonly {
  find: Find
  compare: (one: unknown, other: unknown) => number
}[]

export function toSortKeys(sort: Sort, document: Document): readonly unknown[] {
  return sort.map(({ find }) => find(document))
}

/** Sorting is stable: equal records stay in the order of the file. */
export function compareKeys(
  sort: Sort,
  one: readonly unknown[],
  other: readonly unknown[],
): number {
  for (const [index, { compare }] of sort.entries()) {
    const result = compare(one[index], other[index])
    if (result !== 0) return result
  }
  return 0
}

/** The keys of all records are in memory. */
function toTerms(sort: string): string[] {
  const terms = sort.split(',')
  if (terms.length <= maxSortTerms) return terms
  throw badRequest(`_sort must have at most ${String(maxSortTerms)} fields.`)
}

/** `_sort=a,b&_order=desc,asc` of 0.17, with the order of lodash's `orderBy`. */
export function parseSortAndOrder(sort: string, order: string): Sort {
  const orders = order.toLowerCase().split(',')
  return toTerms(sort).map((path, index) => {
    const sign = orders[index] === 'desc' ? -1 : 1
    return {
      find: createFindAt(path),
      compare: (one, other) => sign * compareAscending(one, other),
    }
  })
}

function compareAscending(one: unknown, other: unknown): number {
  if (one === other) return 0
  const isAfter = (left: unknown, right: unknown) =>
    left === undefined ||
    (left === null ? right !== undefined : right !== null && isBelow(right, left))
  return isAfter(one, other) ? 1 : isAfter(other, one) ? -1 : 0
}

/** `_sort=-a,b` of 1, with the order of sort-on: text by the rules of the locale, no value last. */
export function parseSignedSort(sort: string): Sort {
  return toTerms(sort).map((term) => {
    const sign = term.startsWith('-') ? -1 : 1
    const path = sign === 1 ? term : term.slice(1)
    return {
      find: createFindInside(path),
      compare: (one, other) => compareWithLocale(one, other, sign),
    }
  })
}

const { compare: compareTexts } = new Intl.Collator()

function compareWithLocale(one: unknown, other: unknown, sign: number): number {
  if (one === other) return 0
  if (other !== 0 && !other) return -sign
  if (one !== 0 && !one) return sign
  if (typeof one === 'string' && typeof other === 'string') return sign * compareTexts(one, other)
  return isBelow(one, other) ? -sign : sign
}
