import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { codePoints } from '../../../test/support/code-points.ts'
import { HttpError } from '../../http/errors/http-error.ts'
import { defineResource } from '../definition.ts'
import { parseListQuery, type ListQuery } from './list-query.ts'

const things = defineResource({
  name: 'things',
  singular: 'thing',
  title: 'Things',
  summary: 'Things.',
  schema: {
    type: 'object',
    required: ['name', 'size', 'secret'],
    properties: {
      name: { type: 'string' },
      size: { type: 'number' },
      height_gte: { type: 'number' },
      secret: { type: 'string', writeOnly: true },
    },
  },
})

function parse(query: string): ListQuery {
  const parameters = new URLSearchParams(query)
  const names = new Set(parameters.keys())
  return parseListQuery(things, new Map([...names].map((name) => [name, parameters.getAll(name)])))
}

/** The query in a few words. */
function toText({ records, fields, part }: ListQuery): string {
  const { filters, search, sort } = records
  return [
    ...filters.map(
      ({ field, operator, values }) =>
        `${String(field)} ${operator} ${values.map(toJson).join(' ')}`,
    ),
    ...(search ? [`search ${search.text} in ${search.fields.join(' ')}`] : []),
    ...sort.map(({ field, isDescending }) => `by ${String(field)}${isDescending ? ' down' : ''}`),
    ...(fields ? [`show ${fields.join(' ')}`] : []),
    ...(part ? [`${String(part.limit)} after ${String(part.offset)}`] : []),
    ...(part?.page ? [`page ${String(part.page.number)}`] : []),
  ].join('; ')
}

function toJson(value: unknown): string {
  return JSON.stringify(value)
}

const meanings: [query: string, meaning: string][] = [
  ['', ''],
  ['name=Ann', 'name eq "Ann"'],
  ['name=', 'name eq ""'],
  ['name=Ann&name=Bea', 'name eq "Ann" "Bea"'],
  ['name=a,b', 'name eq "a,b"'],
  ['name:eq=Ann', 'name eq "Ann"'],
  ['name:in=a,b&size=2', 'name eq "a" "b"; size eq 2'],
  ['name:in=a&name:in=b,c', 'name eq "a" "b" "c"'],
  ['name:ne=a&name:ne=b', 'name ne "a" "b"'],
  ['size:lt=5&size:gte=-1.5e1', 'size lt 5; size gte -15'],
  ['size:in=1,2', 'size eq 1 2'],
  ['size:contains=5', 'size contains "5"'],
  ['name:startsWith=A&name:endsWith=n', 'name startsWith "A"; name endsWith "n"'],
  [
    '_id=a&createdAt:gt=2026&updatedAt:lte=2027',
    '_id eq "a"; createdAt gt "2026-01-01T00:00:00.000Z"; updatedAt lte "2027-01-01T00:00:00.000Z"',
  ],
  ['q=a b', 'search a b in _id name size height_gte'],
  ['q=', ''],
  ['sort=name', 'by name'],
  ['sort=name,-createdAt', 'by name; by createdAt down'],
  ['sort=-name&sort=_id', 'by name down; by _id'],
  ['sort=', ''],
  ['fields=name', 'show name'],
  ['fields=size,_id', 'show _id size'],
  ['page=2', '20 after 20; page 2'],
  ['per_page=5', '5 after 0; page 1'],
  ['page=3&per_page=1000', '1000 after 2000; page 3'],
  // json-server 0.17
  ['_page=2', '10 after 10; page 2'],
  ['_page=2&_limit=3', '3 after 3; page 2'],
  ['_limit=3', '3 after 0; page 1'],
  ['_sort=name,size&_order=desc,asc', 'by name down; by size'],
  ['_sort=name&_order=DESC', 'by name down'],
  ['_sort=name,size&_order=desc', 'by name down; by size'],
  ['_order=desc', ''],
  ['_start=5&_end=9', '4 after 5'],
  ['_start=5&_end=1005', '1000 after 5'],
  ['_start=5&_limit=9', '9 after 5'],
  ['_end=9', '9 after 0'],
  ['_start=9&_end=5', '0 after 9'],
  ['name_like=an', 'name contains "an"'],
  ['size_gte=1&size_lte=2&size_ne=1.5', 'size gte 1; size lte 2; size ne 1.5'],
  // json-server 1.0
  ['_page=2&_per_page=3', '3 after 3; page 2'],
  ['_sort=-name,size', 'by name down; by size'],
  ['size_gt=1&size_lt=2', 'size gt 1; size lt 2'],
  ['size:gt=1&name:contains=a', 'size gt 1; name contains "a"'],
  // A field of that very name comes first.
  ['height_gte=1', 'height_gte eq 1'],
  ['height_gte_lte=1', 'height_gte lte 1'],
]

for (const [query, meaning] of meanings) {
  test(`?${query} is parsed as: ${meaning === '' ? 'everything' : meaning}`, () => {
    assert.equal(toText(parse(query)), meaning)
  })
}

const invalid: [query: string, parameter: string][] = [
  ['colour=red', 'colour'],
  ['other=1', 'other'],
  ['secret=x', 'secret'],
  ['secret:startsWith=$', 'secret:startsWith'],
  ['secret_like=.', 'secret_like'],
  ['name_like=^a', 'name_like'],
  ['name_like=a.b', 'name_like'],
  ['sort=secret', 'sort'],
  ['sort=-secret', 'sort'],
  ['sort=name,,size', 'sort'],
  ['sort=--name', 'sort'],
  ['_sort=secret', 'sort'],
  ['fields=secret', 'fields'],
  ['fields=', 'fields'],
  ['name:near=x', 'name:near'],
  ['name:=x', 'name:'],
  ['name:eq:eq=x', 'name:eq:eq'],
  ['name:constructor=x', 'name:constructor'],
  ['NAME=x', 'NAME'],
  ['constructor=x', 'constructor'],
  ['toString=x', 'toString'],
  ['hasOwnProperty:eq=x', 'hasOwnProperty:eq'],
  ['sort=constructor', 'sort'],
  ['fields=valueOf', 'fields'],
  ['size=big', 'size'],
  ['size=', 'size'],
  ['size= 1', 'size'],
  ['size=0x10', 'size'],
  ['size:lt=NaN', 'size:lt'],
  ['size:lt=Infinity', 'size:lt'],
  ['size:lt=1e999', 'size:lt'],
  ['size:in=1,x', 'size:in'],
  ['size_gte=x', 'size:gte'],
  [`name:in=${'a,'.repeat(100)}`, 'name:in'],
  ['page=1&_page=1', '_page'],
  ['per_page=1&_limit=1', '_limit'],
  ['_limit=1&_per_page=1', '_per_page'],
  ['sort=name&_sort=name', '_sort'],
  ['size_gte=1&size:gte=2', 'size:gte'],
  ['_sort=name&_order=up', '_order'],
  ['_order=sideways', '_order'],
  ['page=0', 'page'],
  ['page=1&page=2', 'page'],
  ['_page=-1', 'page'],
  ['per_page=1001', 'per_page'],
  ['_start=-1&_end=5', '_start'],
  ['_start=1', '_start'],
  ['_end=x', '_end'],
  ['_start=5&_end=1006', '_end'],
  ['_start=1&_end=2&page=1', 'page'],
]

for (const [query, parameter] of invalid) {
  test(`?${query.slice(0, 60)} is an error of ${parameter}`, () => {
    assert.throws(
      () => parse(query),
      (error) => error instanceof HttpError && error.fields[0]?.field === parameter,
    )
  })
}

test('any query is parsed or is an error of one parameter, and only known fields are used', () => {
  const word = fc.oneof(
    fc.constantFrom(...'name size secret sort _sort fields q page _start _end'.split(' ')),
    fc.constantFrom(...'name:in size_gte size:lt __proto__ constructor -name 1 a,b'.split(' ')),
    fc.string({ unit: codePoints }),
  )
  const parameters = fc.array(fc.tuple(word, fc.array(word, { minLength: 1, maxLength: 3 })))
  fc.assert(
    fc.property(parameters, (pairs) => {
      try {
        const { records, fields = [] } = parseListQuery(things, new Map(pairs))
        const named = [...records.filters, ...records.sort].map(({ field }) => field)
        const known = ['_id', 'name', 'size', 'height_gte', 'createdAt', 'updatedAt']
        for (const field of [...named, ...fields].flat()) assert.ok(known.includes(field))
      } catch (error) {
        assert.ok(error instanceof HttpError && error.fields.length === 1, String(error))
      }
    }),
    { numRuns: 500 },
  )
})
