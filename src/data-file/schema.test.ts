import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataApp } from '../../test/support/data-app.ts'
import { authors, posts, schema } from '../../test/support/posts-schema.ts'

for (const [where, contents, options] of [
  ['in the file', { $schema: schema, posts, authors }, {}],
  ['in a file of its own', { posts, authors }, { schema }],
  ['as YAML', { posts, authors }, { schema: JSON.stringify(schema) }],
] as const) {
  test(`a schema ${where} has titles, limits, defaults and read-only fields`, async (t) => {
    const app = await dataApp(t, contents, options)
    const create = async (payload: object) =>
      app.inject({ method: 'POST', url: '/posts', payload: { authorId: 1, ...payload } })
    const created = await create({ title: 'Two', slug: 'two', views: 9, token: 'secret' })
    const record = { id: 2, title: 'Two', slug: 'two', state: 'draft', views: 0, authorId: 1 }
    assert.deepEqual(created.json(), record)
    for (const payload of [{ title: 'ab' }, { title: 'abc', slug: 'A' }, {}]) {
      assert.equal((await create(payload)).statusCode, 422)
    }
    const form = (await app.inject({ url: '/posts/new', headers: { accept: 'text/html' } })).body
    assert.match(form, /<label for="title">Headline </)
    assert.match(form, /<option value="draft" selected>/)
    assert.match(form, /type="password"/)
    assert.doesNotMatch(form, /Views/)
    const list = (await app.inject({ url: '/posts', headers: { accept: 'text/html' } })).body
    assert.match(list, /<h1>Articles<\/h1>/)
    assert.deepEqual((await app.inject('/posts/1')).json(), { ...posts[0] })
  })
}

test('a 422 names every invalid field', async (t) => {
  const names = Array.from({ length: 20 }, (_, number) => `field${String(number)}`)
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'integer' }]))
  const app = await dataApp(t, { posts: [] }, { schema: { posts: { properties } } })
  const payload = Object.fromEntries(names.map((name) => [name, 'x']))
  const response = await app.inject({ method: 'POST', url: '/posts', payload })
  assert.equal(response.statusCode, 422)
  const { errors } = response.json<{ errors: { pointer: string }[] }>()
  assert.deepEqual(
    errors.map(({ pointer }) => pointer.slice('#/'.length)),
    names,
  )
})

test('a URL in $schema is for editors, and a resource can be in the schema only', async (t) => {
  const $schema = 'https://example.org/schema.json'
  const app = await dataApp(t, { $schema, posts }, { schema: { tags: { properties: {} } } })
  assert.deepEqual((await app.inject('/posts')).json(), posts)
  assert.deepEqual((await app.inject('/tags')).json(), [])
})

test('values of an enum that are no text are JSON in a 422', async (t) => {
  const properties = { size: { enum: [1, null, { cm: 2 }] } }
  const app = await dataApp(t, { posts: [] }, { schema: { posts: { properties } } })
  const response = await app.inject({ method: 'POST', url: '/posts', payload: { size: 3 } })
  assert.match(response.body, /must be one of 1, null, \{\\"cm\\":2\}/)
})

test('a schema with an unknown format of text stops the start with the known ones', async (t) => {
  const properties = { count: { type: 'integer', format: 'int32' }, mail: { format: 'e-mail' } }
  await assert.rejects(
    dataApp(t, { posts }, { schema: { posts: { properties } } }),
    /schema.json: \/posts\/properties\/mail\/format is an unknown format: the nearest is email\. Formats: date-time, date, .*uuid$/,
  )
})

const withDefault: [method: 'POST' | 'PUT' | 'PATCH', state: string | undefined][] = [
  ['POST', 'draft'],
  ['PUT', 'draft'],
  ['PATCH', undefined],
]
for (const [method, state] of withDefault) {
  test(`${method} with null for a field that does not accept it, and has a default`, async (t) => {
    const app = await dataApp(t, { $schema: schema, posts, authors })
    const url = method === 'POST' ? '/posts' : '/posts/1'
    const payload = { title: 'Two', state: null }
    const response = await app.inject({ method, url, payload })
    assert.equal(response.json<{ state?: string }>().state, state)
  })
}

test('a 422 has the place of each problem inside a field', async (t) => {
  const lines = [
    { sku: 'a', quantity: 1, 'a/b': { c: 1 } },
    { sku: 'b', quantity: 2 },
  ]
  const quantity = { type: 'integer' }
  const line = {
    required: ['quantity'],
    properties: { quantity, 'a/b': { properties: { c: quantity } } },
  }
  const schema = { orders: { properties: { lines: { type: 'array', items: line } } } }
  const app = await dataApp(t, { orders: [{ id: 1, lines }] }, { schema })
  const payload = { lines: [{ sku: 'a', quantity: 'x', 'a/b': { c: '' } }, { sku: 'b' }] }
  const request = { method: 'PATCH', url: '/orders/1', payload } as const
  const { errors } = (await app.inject(request)).json<{ errors: object[] }>()
  assert.deepEqual(errors, [
    { detail: 'must be a whole number', pointer: '#/lines/0/quantity' },
    { detail: 'must be a whole number', pointer: '#/lines/0/a~1b/c' },
    { detail: 'is required', pointer: '#/lines/1/quantity' },
  ])
  const headers = { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' }
  const form = { ...request, headers, payload: `lines=${JSON.stringify(payload.lines)}` }
  assert.match((await app.inject(form)).body, /id="lines-problem">Lines\[0\]\.quantity must be/)
})

test('keywords accept what JSON Schema accepts', async (t) => {
  const posts = {
    allOf: [true],
    oneOf: [{}, false],
    patternProperties: { '^x-': true },
    dependentSchemas: { title: true },
    dependencies: { slug: ['title'], title: { required: ['title'] } },
    properties: { tags: { prefixItems: [true], contains: true, $anchor: 'tags' } },
  }
  const app = await dataApp(t, { posts: [{ id: 1, title: 'One' }] }, { schema: { posts } })
  assert.equal((await app.inject('/posts/1')).statusCode, 200)
  const payload = { title: 'Two' }
  const created = await app.inject({ method: 'POST', url: '/posts', payload })
  assert.equal(created.statusCode, 201)
})

test('annotations and names of fields are no unknown keywords', async (t) => {
  const annotations = {
    $comment: 'c',
    $id: 'https://example.org/a',
    title: 't',
    description: 'd',
    examples: [{ minimun: 1, pattern: '(' }],
    default: { pattern: '(' },
    deprecated: false,
    'x-order': 1,
  }
  const properties = { minimun: annotations, pattern: { enum: ['('] }, items: { const: 1 } }
  const app = await dataApp(t, { posts: [{ id: 1 }] }, { schema: { posts: { properties } } })
  assert.equal((await app.inject('/posts/1')).statusCode, 200)
})

test('a problem of the member $schema has its place in the file', async (t) => {
  const $schema = { posts: { properties: { title: { minimun: 1 } } } }
  const message = /\/\$schema\/posts\/properties\/title\/minimun is an unknown keyword/
  await assert.rejects(dataApp(t, { posts, $schema }), { message })
})

test('a schema whose name is near to a resource without a schema is a problem', async (t) => {
  const schema = { prodcuts: { required: ['name'] } }
  await assert.rejects(
    dataApp(t, { products: [{ id: 1 }] }, { schema }),
    /: \/ has no resource prodcuts, which the schema names; did you mean products\?/,
  )
})
