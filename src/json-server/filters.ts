import type { Document, Filter } from '../stores/records/records.ts'
import { toEqualFilter, type Conditions, type Test } from './conditions.ts'
import { createPatternTest } from './patterns.ts'
import { createFindAt, isAtMost, toText } from './values.ts'

type Comparison = (value: unknown, wanted: unknown) => boolean

const comparisons: Readonly<Record<string, Comparison>> = {
  '': (value, wanted) => wanted === toText(value),
  _ne: (value, wanted) => wanted !== toText(value),
  _gte: (value, wanted) => isAtMost(wanted, value),
  _lte: (value, wanted) => isAtMost(value, wanted),
}

const operatorName = /^(.*?)(_lte|_gte|_ne|_like)$/s

interface Condition {
  name: string
  path: string
  operator: string
  wanted: readonly unknown[]
}

export function hasOperator(name: string): boolean {
  return operatorName.test(name)
}

/** The filters of 0.17, as `views_gte=10`. The values of a parameter are alternatives, except of `_ne`. */
export function parseFilters(parameters: Document, q: unknown): Conditions {
  const conditions = Object.entries(parameters).map(([name, given]): Condition => {
    const [, path = name, operator = ''] = operatorName.exec(name) ?? []
    return { name, path, operator, wanted: [given].flat() }
  })
  const tests = conditions.map(toTest)
  if (q !== undefined && q !== '') {
    const searched = toText([q].flat()[0]).toLowerCase()
    tests.push((documents) => documents.map((document) => contains(document, searched)))
  }
  if (tests.length === 0) return { filters: [] }
  return {
    filters: conditions.flatMap((condition) => toFilter(condition) ?? []),
    mayFail: conditions.some(({ operator }) => operator === '_like'),
    test: async (documents) => {
      const results = await Promise.all(tests.map(async (test) => test(documents)))
      return documents.map((_, index) => results.every((result) => result[index] === true))
    },
  }
}

/** The text may stand for a number, a boolean, or a list, which the database does not compare. */
function toFilter({ path, operator, wanted }: Condition): Filter | undefined {
  const texts = wanted.filter((value) => typeof value === 'string')
  if (operator !== '' || texts.length < wanted.length) return undefined
  const numbers = texts.map(Number).filter(Number.isFinite)
  return toEqualFilter(path, [...texts, ...numbers, true, false, null])
}

function toTest({ name, path, operator, wanted }: Condition): Test {
  const findAt = createFindAt(path)
  // null and no value match no filter, not even `_ne`.
  const find = (document: Document) => findAt(document) ?? undefined
  if (operator === '_like') {
    const test = createPatternTest(name, wanted.map(toText))
    const findText = (value: unknown) => (value === undefined ? undefined : toText(value))
    return (documents) => test(documents.map((document) => findText(find(document))))
  }
  const compare = comparisons[operator] ?? isAtMost
  const count = operator === '_ne' ? 'every' : 'some'
  return (documents) =>
    documents.map((document) => {
      const value = find(document)
      return value !== undefined && wanted[count]((item) => compare(value, item))
    })
}

function contains(value: unknown, text: string): boolean {
  if (typeof value === 'object' && value !== null) {
    return Object.values(value).some((member) => contains(member, text))
  }
  return text !== '' && Boolean(value) && String(value).toLowerCase().includes(text)
}
