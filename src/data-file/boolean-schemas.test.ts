import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataApp } from '../../test/support/data-app.ts'

const rows: [schema: object, valid: object, invalid: object | undefined][] = [
  [{ properties: { x: true } }, { x: [1] }, undefined],
  [{ properties: { x: false } }, { y: 1 }, { x: 1 }],
  [{ properties: { x: { items: true } } }, { x: [1, 'a'] }, undefined],
  [{ properties: { x: { items: false } } }, { x: [] }, { x: [1] }],
  [
    { properties: { x: { prefixItems: [{ type: 'string' }], items: false } } },
    { x: ['a'] },
    { x: ['a', 1] },
  ],
  [{ properties: { x: { prefixItems: [true, false] } } }, { x: [1] }, { x: [1, 2] }],
  [{ properties: { x: { not: true } } }, { y: 1 }, { x: 1 }],
  [{ properties: { x: { not: false } } }, { x: 1 }, undefined],
  [{ properties: { x: { properties: { a: false } } } }, { x: { b: 1 } }, { x: { a: 1 } }],
  [{ properties: { x: { items: { properties: { a: false } } } } }, { x: [{}] }, { x: [{ a: 1 }] }],
  [{ properties: { x: { anyOf: [false, { type: 'string' }] } } }, { x: 'a' }, { x: 1 }],
  [{ properties: { x: { anyOf: [true, false] } } }, { x: 1 }, undefined],
  [{ properties: { x: { allOf: [true, { type: 'number' }] } } }, { x: 1 }, { x: 'a' }],
  [{ properties: { x: { oneOf: [false, { type: 'number' }] } } }, { x: 1 }, { x: 'a' }],
  [{ properties: { x: { contains: false } } }, { x: 'a' }, { x: [] }],
  [{ properties: { x: { propertyNames: false } } }, { x: {} }, { x: { a: 1 } }],
  [{ properties: { x: { additionalProperties: false } } }, { x: {} }, { x: { a: 1 } }],
  [{ properties: { x: { additionalProperties: true } } }, { x: { a: 1 } }, undefined],
  [
    { properties: { x: { additionalProperties: { items: false } } } },
    { x: { a: [] } },
    { x: { a: [1] } },
  ],
  [{ properties: { x: { patternProperties: { '^a': false } } } }, { x: { b: 1 } }, { x: { a: 1 } }],
  [{ additionalProperties: true }, { x: 1 }, undefined],
  [{ patternProperties: { '^x': false } }, { y: 1 }, { x: 1 }],
]

for (const [schema, valid, invalid] of rows) {
  test(`the schema ${JSON.stringify(schema)} can have booleans as schemas`, async (t) => {
    const app = await dataApp(t, { posts: [] }, { schema: { posts: schema } })
    const create = async (payload: object) =>
      app.inject({ method: 'POST', url: '/posts', payload, headers: { accept: '*/*' } })
    const created = await create(valid)
    assert.equal(created.statusCode, 201, created.body)
    assert.deepEqual(created.json(), { id: 1, ...valid })
    if (invalid) assert.equal((await create(invalid)).statusCode, 422)
    for (const url of ['/posts', '/posts/new', '/posts/1', '/posts/1/edit', '/docs']) {
      const page = await app.inject({ url, headers: { accept: 'text/html' } })
      assert.equal(page.statusCode, 200, url)
    }
    assert.equal((await app.inject('/openapi.json')).statusCode, 200)
  })
}

test('the schema of a resource can be true', async (t) => {
  const app = await dataApp(t, { posts: [{ id: 1, x: 1 }] }, { schema: { posts: true } })
  const request = { method: 'POST', url: '/posts', payload: { y: 1 } } as const
  assert.equal((await app.inject(request)).statusCode, 201)
})

for (const [what, schema] of [
  ['a field of a schema', { properties: { x: { type: 'string' } } }],
  ['a reference of a schema', { properties: { x: { type: 'integer', 'x-references': 'tags' } } }],
  ['an inferred field', undefined],
  ['an unknown field', { properties: {} }],
] as const) {
  for (const [method, type] of [
    ['POST', 'application/json'],
    ['PUT', 'application/json'],
    ['PATCH', 'application/json'],
    ['PATCH', 'application/merge-patch+json'],
  ] as const) {
    test(`null for ${what} is stored, removed by a patch, or 422 with ${method} of ${type}`, async (t) => {
      const data = { tags: [{ id: 1 }], posts: schema ? [{ id: 1 }] : [{ id: 1, x: 'a' }] }
      const app = await dataApp(t, data, schema && { schema: { posts: schema } })
      const url = method === 'POST' ? '/posts' : '/posts/1'
      const headers = { 'content-type': type, accept: 'application/json' }
      const response = await app.inject({ method, url, headers, payload: '{"x":null}' })
      if (response.statusCode === 422) return
      const record = response.json<{ id: number; x?: unknown }>()
      assert.deepEqual((await app.inject(`/posts/${String(record.id)}`)).json(), record)
      if (method !== 'PATCH') assert.equal(record.x, null)
      else assert.equal(record.x ?? null, null)
    })
  }
}
