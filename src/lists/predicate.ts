import { findAt, isFieldValue } from '../stores/records/records.ts'
import type { FieldPath, FieldValue, Operator, RecordQuery } from '../stores/records/records.ts'

export type Comparison = (value: unknown, operand: unknown) => boolean

interface ComparisonRules {
  isEqual: Comparison
  isBelow: Comparison
  isAtMost: Comparison
  /** Returns undefined for a value that has no text. */
  findText: (value: unknown) => string | undefined
  toText: (operand: unknown) => string
}

export function createComparisons(rules: ComparisonRules): Readonly<Record<Operator, Comparison>> {
  const { isEqual, isBelow, isAtMost, findText, toText } = rules
  const ofText =
    (method: 'includes' | 'startsWith' | 'endsWith'): Comparison =>
    (value, operand) =>
      findText(value)?.toLowerCase()[method](toText(operand).toLowerCase()) === true
  return {
    eq: isEqual,
    ne: (value, operand) => !isEqual(value, operand),
    lt: isBelow,
    lte: isAtMost,
    gt: (value, operand) => isBelow(operand, value),
    gte: (value, operand) => isAtMost(operand, value),
    contains: ofText('includes'),
    startsWith: ofText('startsWith'),
    endsWith: ofText('endsWith'),
  }
}

const types = ['number', 'string', 'boolean', 'object']
const toRank = (value: unknown) => types.indexOf(typeof value)

/** The order of a list: by type, with null last, and text by its code points. */
export function compareValues(one: unknown, other: unknown): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other
  if (typeof one === 'string' && typeof other === 'string') return compareTexts(one, other)
  return toRank(one) - toRank(other) || Number(one) - Number(other)
}

function compareTexts(one: string, other: string): number {
  if (one === other) return 0
  let at = 0
  while (at < one.length && one.charCodeAt(at) === other.charCodeAt(at)) at += 1
  return (one.codePointAt(at) ?? -1) - (other.codePointAt(at) ?? -1)
}

const isSameType = (one: unknown, other: unknown) => typeof one === typeof other

const comparisons = createComparisons({
  isEqual: (value, operand) => value === operand,
  isBelow: (value, operand) => isSameType(value, operand) && compareValues(value, operand) < 0,
  isAtMost: (value, operand) => isSameType(value, operand) && compareValues(value, operand) <= 0,
  findText: (value) => (isFieldValue(value) && value !== null ? String(value) : undefined),
  toText: String,
})

export function createMatch(
  all: Readonly<Record<string, Comparison>>,
  operator: string,
  operands: readonly unknown[],
): (value: unknown) => boolean {
  const compare = all[operator]
  if (!compare) return () => false
  const [only] = operands
  if (operands.length === 1) return (value) => compare(value, only)
  return operator === 'ne'
    ? (value) => operands.every((operand) => compare(value, operand))
    : (value) => operands.some((operand) => compare(value, operand))
}

export function toPredicate<Item = unknown>(
  { filters, search }: Pick<RecordQuery, 'filters' | 'search'>,
  find: (item: Item, field: FieldPath) => unknown = findAt,
) {
  const tests = filters.map((filter) => ({
    ...filter,
    isMatch: createMatch(comparisons, filter.operator, filter.values),
  }))
  return (item: Item): boolean => {
    const isFound =
      search?.fields.some((field) =>
        comparisons.contains(toScalar(find(item, field)), search.text),
      ) ?? true
    if (!isFound) return false
    return tests.every(({ field, isMatch, elements }) => {
      const value = find(item, field)
      if (elements && Array.isArray(value) && elements.some((one) => value.includes(one)))
        return true
      return isMatch(toScalar(value))
    })
  }
}

/** In a comparison, a list or an object is no value. */
export const toScalar = (value: unknown): FieldValue => (isFieldValue(value) ? value : null)

export type Compare = (one: unknown, other: unknown) => number

/** The order of items by their keys: each comparison is of one key. */
export function compareKeys(compares: readonly Compare[]) {
  return (one: readonly unknown[], other: readonly unknown[]): number => {
    for (const [index, compare] of compares.entries()) {
      const result = compare(one[index], other[index])
      if (result !== 0) return result
    }
    return 0
  }
}

export function toCompares(sort: RecordQuery['sort']): Compare[] {
  return sort.map(({ isDescending }) => (one, other) => {
    return isDescending ? compareValues(other, one) : compareValues(one, other)
  })
}
