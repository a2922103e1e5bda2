import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataApp } from '../../test/data-app.ts'
import { asForm } from '../../test/resources.ts'

for (const [what, post, status] of [
  ['that has no rule about it', { properties: { body: { minLength: 1 } } }, 422],
  ['with its own required', { required: [], properties: { body: { minLength: 1 } } }, 201],
] as const) {
  test(`with a schema ${what}, a field that all records have gets ${String(status)} if it is absent`, async (t) => {
    const posts = ['a', 'b'].map((body, index) => ({ id: index + 1, body }))
    const app = await dataApp(t, { posts }, { schema: { posts: post } })
    const { statusCode } = await app.inject({ method: 'POST', url: '/posts', payload: {} })
    assert.equal(statusCode, status)
  })
}

test('a reference that a deletion clears is not required because all records have it', async (t) => {
  const data = { authors: [{ id: 1 }], posts: [1, 2].map((id) => ({ id, authorId: 1 })) }
  const reference = { resource: 'authors', onDelete: 'set null' }
  const schema = { posts: { properties: { authorId: { 'x-references': reference } } } }
  const app = await dataApp(t, data, { schema })
  assert.equal((await app.inject({ method: 'DELETE', url: '/authors/1' })).statusCode, 204)
  const patch = { method: 'PATCH', url: '/posts/1', payload: {} } as const
  assert.equal((await app.inject(patch)).statusCode, 200)
})

/** Six records whose field has these values in turn. */
const kinds: Readonly<Record<string, [values: readonly unknown[], bad: unknown, input: string]>> = {
  integer: [[1, 2], 1.5, 'type="number" step="1"'],
  number: [[1, 2.5], 'a', 'type="number" step="any"'],
  boolean: [[true, false], 'a', 'type="checkbox"'],
  date: [['2026-11-21', '2026-11-22'], '2026-13-01', 'type="date"'],
  'date-time': [['2026-11-21T08:00:00Z', '2026-11-21T08:00:00+01:00'], 'a', 'datetime-local'],
  email: [['a@example.org', 'b@example.org'], 'a', 'type="email"'],
  URL: [['https://example.org', 'http://example.org/a?b'], 'a', 'type="url"'],
  enum: [['draft', 'done'], 'other', '<select'],
  'long text': [['one\ntwo', 'b'], 1, '<textarea'],
  text: [['one', 'two', 'three', 'four', 'five', 'six'], 1, 'type="text"'],
  list: [[['a'], []], 'a', '<textarea'],
  object: [[{ a: 1 }, { a: 2 }], [], '<textarea'],
}

for (const [kind, [values, bad, input]] of Object.entries(kinds)) {
  test(`a field of the kind ${kind} is inferred from its values`, async (t) => {
    const value = (index: number) => values[index % values.length]
    const things = Array.from({ length: 6 }, (_, index) => ({ id: index, field: value(index) }))
    const app = await dataApp(t, { things })
    const form = await app.inject({ url: '/things/1/edit', headers: { accept: 'text/html' } })
    assert.ok(form.body.includes(input), form.body)
    const create = (payload: object) => app.inject({ method: 'POST', url: '/things', payload })
    assert.equal((await create({ field: value(1) })).statusCode, 201)
    const rejected = await create({ field: bad })
    assert.equal(rejected.statusCode, 422)
    assert.equal(rejected.headers['content-type'], 'application/problem+json; charset=utf-8')
    // Every record has the field.
    assert.equal((await create({})).statusCode, 422)
  })
}

test('a field with numbers and a text accepts both, also from a form', async (t) => {
  const things = [1, 2.5, 'on request'].map((price, index) => ({ id: index + 1, price }))
  const app = await dataApp(t, { things })
  const request = { method: 'POST', url: '/things' } as const
  const { statusCode, body } = await app.inject({ ...request, payload: { price: [1] } })
  assert.equal(statusCode, 422)
  assert.match(body, /price must be a number or text/)
  for (const [typed, price] of [
    ['from 7', 'from 7'],
    ['7', 7],
    ['"7"', '7'],
  ] as const) {
    const created = await app.inject({ ...request, ...asForm({ price: typed }) })
    assert.equal(created.statusCode, 201)
    const url = String(created.headers.location)
    assert.equal((await app.inject(url)).json<{ price: unknown }>().price, price)
  }
  const form = await app.inject('/things/3/edit')
  assert.match(form.body, /<textarea[^>]*>\non request<\/textarea>/)
  assert.match((await app.inject('/things/6/edit')).body, /<textarea[^>]*>\n&quot;7&quot;</)
})

for (const [rule, bad, message] of [
  [{ exclusiveMinimum: 0 }, 0, 'must be greater than 0'],
  [{ exclusiveMaximum: 5 }, 5, 'must be less than 5'],
] as const) {
  test(`a number ${message}`, async (t) => {
    const schema = { things: { properties: { size: { type: 'number', ...rule } } } }
    const app = await dataApp(t, { things: [] }, { schema })
    const { body } = await app.inject({ method: 'POST', url: '/things', payload: { size: bad } })
    assert.ok(body.includes(message))
  })
}

test('members that every nested object has are required there', async (t) => {
  const item = (others: object) => ({ productId: 1, quantity: 2, ...others })
  const orders = [
    { id: 1, items: [item({ note: 'a' }), item({})], place: { city: 'Oslo', code: null } },
    { id: 2, items: [], place: { city: 'Rome', code: 1 } },
  ]
  const app = await dataApp(t, { orders })
  const create = async (payload: object) =>
    (await app.inject({ method: 'POST', url: '/orders', payload })).statusCode
  assert.equal(await create({ items: [item({})], place: { city: 'Bern' } }), 201)
  assert.equal(await create({ items: [{ productId: 1 }], place: { city: 'Bern' } }), 422)
  assert.equal(await create({ items: [], place: {} }), 422)
})
