import { createRecord } from './resources.ts'
import { testApp, type OpeningTest, type TestApp } from './test-app.ts'
import { defineResource } from '../../src/resources/definition.ts'
import { type FieldSchema } from '../../src/http/openapi/json-schema.ts'
import { toResourceDemo } from '../../src/resources/routes.ts'

export const unusualNames = [
  'a.b',
  'a[b]',
  '[]',
  'say "hi"',
  "it's",
  '\u{1f600}',
  '__proto__',
  '_method',
  'constructor',
  'a,b',
  '-a',
  'a:eq',
  'q',
  'page',
  'sort',
  '50%',
  'a/b~c',
  '<b>',
  'a b',
  '_order',
]

const properties: Record<string, FieldSchema> = {
  name: { type: 'string', title: 'Name', minLength: 1 },
  count: { type: 'integer', minimum: 0 },
  ratio: { type: ['number', 'null'] },
  active: { type: 'boolean' },
  wanted: { type: ['boolean', 'null'] },
  colour: { enum: ['red', 'green'] },
  level: { enum: [1, 2, 'high', null] },
  day: { type: 'string', format: 'date' },
  at: { type: 'string', format: 'date-time' },
  tags: { type: 'array', items: { type: 'string' }, maxItems: 3 },
  address: {
    type: 'object',
    required: ['city'],
    properties: {
      city: { type: 'string' },
      'zip.code': { type: 'integer' },
      geo: { type: 'object', properties: { high: { type: 'boolean' } } },
    },
  },
  any: {},
  secret: { type: 'string', writeOnly: true },
}

export const things = defineResource({
  name: 'things',
  singular: 'thing',
  title: 'Things',
  summary: 'Every kind of field.',
  indexed: ['name', 'count'],
  schema: {
    type: 'object',
    required: ['name', 'active'],
    properties: {
      ...properties,
      ...Object.fromEntries(unusualNames.map((name) => [name, { type: 'string' }])),
    },
  },
})

export const full = {
  name: 'One',
  count: 3,
  ratio: null,
  active: true,
  wanted: false,
  colour: 'red',
  level: 2,
  day: '2026-11-21',
  at: '2026-11-21T08:00:00Z',
  tags: ['a', 'b'],
  address: { city: 'Rome', 'zip.code': 118, geo: { high: true }, extra: { floor: 2 } },
  any: ['x', 1, { deep: null }],
}
export const plain = {
  name: 'Two',
  active: false,
  any: 'text',
  address: { city: 'Oslo' },
  count: 10,
}

export const thingsDemo = toResourceDemo(things)

/** The app of the test, or a given one, with a new thing. */
export async function openThings(where: OpeningTest | TestApp) {
  const app = 'inject' in where ? where : await testApp(where, { demos: [thingsDemo] })
  const { _id } = await createRecord(app, '/things', full)
  return { app, url: `/things/${_id}`, id: _id }
}
