import fc from 'fast-check'
import type { SentRequest, Version } from './types.ts'

const pick = <Value>(...values: readonly Value[]) => fc.constantFrom(...values)

const lists = pick('posts', 'posts', 'posts', 'comments', 'categories', 'items', 'empty')
const fields = pick(
  ...[
    'id',
    'title',
    'views',
    'draft',
    'rating',
    'mixed',
    'tags',
    'author',
    'author.name',
    'author.age',
  ],
  ...[
    'body',
    'postId',
    'likes',
    'name',
    'categoryId',
    'price',
    'a.b',
    'unknown',
    'unknown.deep',
    '__proto__',
  ],
)
const texts = pick(
  ...[
    '',
    '0',
    '1',
    '9',
    '10',
    '100',
    '-3',
    '4.5',
    '010',
    '1e2',
    '0x10',
    ' 9',
    'abc',
    'a',
    'A',
    'x',
    'y',
  ],
  ...[
    'true',
    'false',
    'null',
    'undefined',
    'NaN',
    'Infinity',
    'json',
    'JSON-server',
    'json-server',
    'é',
    'Z',
  ],
  ...['a,b', '1,2', '[object Object]', 'Zoë', 'typicode', 'News', '\u{1f600}', '%', 'a b'],
)
const value = fc.oneof(
  { weight: 6, arbitrary: texts },
  fc.string({ unit: 'grapheme', maxLength: 5 }),
)
const counts = pick(
  '1',
  '2',
  '3',
  '5',
  '10',
  '100',
  '0',
  '-1',
  '',
  'abc',
  '2.5',
  '1e1',
  '99999999999',
)
const related = pick(
  'comments',
  'posts',
  'post',
  'items',
  'category',
  'categories',
  'unknown',
  'empty',
)

type Parameter = readonly [name: string, value: string]

function parameter(name: fc.Arbitrary<string>, of: fc.Arbitrary<string>): fc.Arbitrary<Parameter> {
  return fc.tuple(name, of)
}

function suffixed(suffix: fc.Arbitrary<string>) {
  return fc.tuple(fields, suffix).map(([field, end]) => field + end)
}

const sorted = (of: fc.Arbitrary<string>) => {
  return fc.array(of, { minLength: 1, maxLength: 3 }).map((terms) => terms.join(','))
}
const patterns = pick(
  'a',
  '^a',
  'n$',
  '.',
  '[aeiou]{2}',
  'json|other',
  '\\d+',
  'a.b',
  '(a+)+$',
  'É',
  '^$',
  '\\bx',
)

const parameters0 = fc.oneof(
  { weight: 4, arbitrary: parameter(suffixed(pick('', '', '_gte', '_lte', '_ne')), value) },
  parameter(suffixed(pick('_like')), patterns),
  parameter(pick('q'), value),
  parameter(pick('_sort'), sorted(fields)),
  parameter(pick('_order'), sorted(pick('asc', 'desc', 'DESC', ''))),
  parameter(pick('_page', '_limit', '_start', '_end'), counts),
  parameter(pick('_embed', '_expand'), related),
  parameter(pick('callback', '_', '_per_page'), pick('1')),
)

const operators = pick(
  'lt',
  'lte',
  'gt',
  'gte',
  'eq',
  'ne',
  'in',
  'contains',
  'startsWith',
  'endsWith',
  'near',
  '',
)
const operand = fc.oneof(
  value,
  pick<unknown>(1, 9, 10, 100, 4.5, true, false, null, 'a'),
  fc.array(pick<unknown>(1, 100, 'a', 'x')),
)
const where = fc.letrec<{ where: object }>((tie) => ({
  where: fc.dictionary(
    pick('title', 'views', 'id', 'author', 'name', 'mixed', 'or', 'price'),
    fc.oneof(
      { depthSize: 'small' },
      fc.dictionary(operators, operand, { maxKeys: 2 }),
      tie('where'),
      fc.array(tie('where'), { maxLength: 2 }),
      operand,
    ),
    { maxKeys: 3 },
  ),
})).where

const parameters1 = fc.oneof(
  { weight: 4, arbitrary: parameter(suffixed(operators.map((name) => `:${name}`)), value) },
  {
    weight: 2,
    arbitrary: parameter(suffixed(pick('', '_gt', '_lte', '_ne', '_like', '_near')), value),
  },
  parameter(
    pick('_where'),
    fc.oneof({ weight: 5, arbitrary: where.map((of) => JSON.stringify(of)) }, value),
  ),
  parameter(pick('_sort'), sorted(fc.tuple(pick('', '-'), fields).map((parts) => parts.join('')))),
  parameter(pick('_page', '_per_page'), counts),
  parameter(pick('_embed'), related),
)

export function reads(version: Version): fc.Arbitrary<SentRequest> {
  const ids = pick('1', '2', '9', '10', '99', 'a', 'x', '01', '1.0', 'A', '__proto__')
  const record = fc.tuple(lists, ids).map((parts) => parts.join('/'))
  const path = fc.oneof(
    { weight: 8, arbitrary: lists },
    { weight: 2, arbitrary: record },
    fc.tuple(record, lists).map((parts) => parts.join('/')),
    pick('profile', 'profile', 'nope'),
  )
  const parameters = fc.array(version === '1' ? parameters1 : parameters0, { maxLength: 5 })
  return fc.tuple(path, parameters).map(([at, given]) => {
    const query = new URLSearchParams(given.map(([name, of]) => [name, of])).toString()
    return { method: 'GET', target: `/${at}${query && `?${query}`}` }
  })
}

const json = 'application/json'

/** No record ever refers to one of these, so that nothing is orphaned: see `orphans` in the table. */
const removable = pick('3', '4', '5', '6', '7', '8', '99', '@1', '@2', '@3')
const kept = pick('1', '2', '9')

export function writes(version: Version): fc.Arbitrary<SentRequest> {
  const scalar = fc.oneof(value, fc.integer(), fc.boolean(), fc.constant(null))
  const content = fc.dictionary(
    pick(
      'title',
      'views',
      'draft',
      'rating',
      'mixed',
      'author',
      'tags',
      'new field',
      '_method',
      'a.b',
      'constructor',
    ),
    fc.oneof(
      scalar,
      fc.array(scalar, { maxLength: 2 }),
      fc.dictionary(pick('name', 'age'), scalar),
    ),
    { maxKeys: 4 },
  )
  const postId = kept.map(Number)
  const comment = fc.record({ body: value, postId }, { requiredKeys: ['body'] })
  const toBody = (of: object) => JSON.stringify(of)
  const id = fc.oneof(removable, kept)
  return fc.oneof(
    content.map((of) => ({ method: 'POST', target: '/posts', type: json, body: toBody(of) })),
    comment.map((of) => ({ method: 'POST', target: '/comments', type: json, body: toBody(of) })),
    fc
      .tuple(
        pick('PUT', 'PATCH'),
        id,
        content,
        fc.option(pick<unknown>('1', 5, 'x'), { nil: undefined }),
      )
      .map(([method, at, of, changed]) => {
        const body = toBody({ ...of, ...(changed !== undefined && { id: changed }) })
        return { method, target: `/posts/${at}`, type: json, body }
      }),
    fc
      .tuple(kept, comment)
      .map(([at, { body }]) => ({ at, body: toBody({ body }) }))
      .map(({ at, body }) => ({
        method: 'POST',
        target: version === '1' ? '/comments' : `/posts/${at}/comments`,
        type: json,
        body,
      })),
    pick('a', 'b', 'c').map((at) => ({
      method: 'DELETE',
      target: `/categories/${at}?_dependent=items`,
    })),
    pick('g1', 'g2', 'g4', 'g9').map((at) => ({ method: 'DELETE', target: `/groups/${at}` })),
    pick<unknown>(1, 2, 20, 0, '').map((given) => {
      return { method: 'POST', target: '/empty', type: json, body: toBody({ id: given }) }
    }),
    removable.map((at) => ({ method: 'DELETE', target: `/posts/${at}` })),
    pick('1', '2', '3', '5').map((at) => ({ method: 'DELETE', target: `/comments/${at}` })),
    fc.tuple(pick('PUT', 'PATCH'), content).map(([method, of]) => {
      return { method, target: '/profile', type: json, body: toBody(of) }
    }),
    fc
      .tuple(
        pick('POST', 'PUT', 'PATCH'),
        pick('/posts', '/posts/1', '/profile', '/nope', '/nope/1'),
        pick('', '{}', '7', '"a"', 'null', '{"a":'),
      )
      .map(([method, target, body]) => ({ method, target, type: json, body })),
    fc
      .tuple(
        pick('POST', 'PATCH'),
        pick('/posts', '/posts/2', '/posts/99'),
        pick(
          'text/plain',
          version === '1' ? 'text/plain' : 'application/x-www-form-urlencoded',
          '',
        ),
      )
      .map(([method, target, type]) => ({ method, target, type, body: '{"views":5}' })),
    fc
      .tuple(
        pick('POST', 'PUT', 'PATCH', 'DELETE'),
        pick('/posts', '/posts/1/x', '/', '/profile/x', '/empty/1'),
      )
      .map(([method, target]) => ({ method, target })),
  )
}
