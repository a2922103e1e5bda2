import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Filter } from '../stores/records/records.ts'
import { compareKeys, toCompares, toPredicate } from './predicate.ts'

const value = { name: 'Éva', size: 2, isNew: true, tags: ['a', 1], inside: { deep: 'x' } }

const cases: [filter: Filter, isFound: boolean][] = [
  [{ field: 'name', operator: 'eq', values: ['Eva', 'Éva'] }, true],
  [{ field: 'name', operator: 'ne', values: ['Eva', 'Éva'] }, false],
  [{ field: 'name', operator: 'contains', values: ['ÉV'] }, true],
  [{ field: 'name', operator: 'startsWith', values: ['v'] }, false],
  [{ field: 'name', operator: 'endsWith', values: ['VA'] }, true],
  [{ field: 'size', operator: 'contains', values: ['2'] }, true],
  [{ field: 'size', operator: 'eq', values: ['2'] }, false],
  [{ field: 'size', operator: 'gte', values: [2] }, true],
  [{ field: 'size', operator: 'gt', values: [2] }, false],
  [{ field: 'size', operator: 'lt', values: ['3'] }, false],
  [{ field: 'isNew', operator: 'eq', values: [1] }, false],
  [{ field: 'tags', operator: 'contains', values: [], elements: ['b', 1] }, true],
  [{ field: 'tags', operator: 'contains', values: [], elements: ['1'] }, false],
  [{ field: ['inside', 'deep'], operator: 'eq', values: ['x'] }, true],
  [{ field: ['inside', 'other'], operator: 'eq', values: [null] }, true],
  [{ field: ['tags', '0'], operator: 'ne', values: [null] }, false],
  [{ field: 'toString', operator: 'ne', values: [null] }, false],
  [{ field: 'none', operator: 'contains', values: ['null'] }, false],
]
for (const [filter, isFound] of cases) {
  const operands = JSON.stringify(filter.elements ?? filter.values)
  const field = [filter.field].flat().join('.')
  test(`${field} ${filter.operator} ${operands} is ${String(isFound)}`, () => {
    assert.equal(toPredicate({ filters: [filter] })(value), isFound)
  })
}

test('all filters must match, and the search too', () => {
  const search = { text: 'ÉVA', fields: ['size', 'name'] }
  const filters: Filter[] = [{ field: 'size', operator: 'eq', values: [2] }]
  assert.equal(toPredicate({ filters, search })(value), true)
  assert.equal(toPredicate({ filters, search: { ...search, fields: ['size'] } })(value), false)
})

for (const [isDescending, expected] of [
  [false, ['1', '10', '"B"', '"a"', '"\uFF5E"', '"😀"', 'true', 'null']],
  [true, ['null', 'true', '"😀"', '"\uFF5E"', '"a"', '"B"', '10', '1']],
] as const) {
  test(`the order of values, ${isDescending ? 'descending' : 'ascending'}`, () => {
    const compare = compareKeys(toCompares([{ field: 'any', isDescending }]))
    const keys = ['a', 10, null, '😀', true, '\uFF5E', 1, 'B'].map((key) => [key])
    const sorted = keys.toSorted(compare).map(([key]) => JSON.stringify(key))
    assert.deepEqual(sorted, expected)
  })
}
