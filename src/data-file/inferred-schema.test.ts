import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataApp } from '../../test/support/data-app.ts'
import { asForm } from '../../test/support/resources.ts'

test('a reference that a deletion clears is not required because all records have it', async (t) => {
  const data = { authors: [{ id: 1 }], posts: [1, 2].map((id) => ({ id, authorId: 1 })) }
  const reference = { resource: 'authors', onDelete: 'set null' }
  const schema = { posts: { properties: { authorId: { 'x-references': reference } } } }
  const app = await dataApp(t, data, { schema })
  assert.equal((await app.inject({ method: 'DELETE', url: '/authors/1' })).statusCode, 204)
  const patch = { method: 'PATCH', url: '/posts/1', payload: {} } as const
  assert.equal((await app.inject(patch)).statusCode, 200)
})

interface Kind {
  /** The field of six records has them in turn. */
  values: readonly unknown[]
  /** Values that no record has. */
  others: readonly unknown[]
  /** A value of another type. */
  bad: unknown
  reason: string
  input: string
}

const kinds: Readonly<Record<string, Kind>> = {
  'whole numbers': {
    values: [1, 2],
    others: [4.99, -1],
    bad: '3',
    reason: 'must be a number',
    input: 'type="number" step="any"',
  },
  numbers: { values: [1, 2.5], others: [7], bad: true, reason: 'must be a number', input: '"any"' },
  booleans: {
    values: [true, true],
    others: [false],
    bad: 'true',
    reason: 'must be true or false',
    input: '<option value="false">No<',
  },
  dates: {
    values: ['2026-11-21', '2026-11-22'],
    others: ['soon', '2026-13-01', ''],
    bad: 20261121,
    reason: 'must be text',
    input: 'type="date"',
  },
  times: {
    values: ['2026-11-21T08:00:00Z', '2026-11-21T08:00:00+01:00'],
    others: ['2026-11-21', 'a'],
    bad: 1,
    reason: 'must be text',
    input: 'datetime-local',
  },
  'email addresses': {
    values: ['a@example.org', 'b@example.org'],
    others: ['none', ''],
    bad: 1,
    reason: 'must be text',
    input: 'type="text"',
  },
  URLs: {
    values: ['https://example.org', 'http://example.org/a?b'],
    others: ['/relative', 'x'],
    bad: {},
    reason: 'must be text',
    input: 'type="text"',
  },
  'a few words': {
    values: ['draft', 'done'],
    others: ['refunded', 'a new one'],
    bad: 1,
    reason: 'must be text',
    input: '<option value="draft">draft</option><option value="done">done</option></datalist>',
  },
  'long texts': {
    values: ['one\ntwo', 'b'],
    others: ['x'.repeat(70_000)],
    bad: 1,
    reason: 'must be text',
    input: '<textarea',
  },
  lists: {
    values: [['a'], []],
    others: [['b', 'c', null]],
    bad: 'a',
    reason: 'must be a list',
    input: '<textarea',
  },
  'items of lists': {
    values: [['a'], []],
    others: [[]],
    bad: ['a', 1],
    reason: 'must be text',
    input: '<textarea',
  },
  objects: {
    values: [{ a: 1 }, { a: 2 }],
    others: [{}, { a: 4.99 }, { a: null, b: [] }],
    bad: [],
    reason: 'must be an object',
    input: '<textarea',
  },
  'members of objects': {
    values: [{ a: { b: [1] } }],
    others: [{ a: {} }],
    bad: { a: { b: ['x'] } },
    reason: 'must be a number',
    input: '<textarea',
  },
  'values of several types': {
    values: [1, 'a', [2]],
    others: [['x'], 'b', 4.5],
    bad: { a: 1 },
    reason: 'must be a number or text or a list',
    input: '<textarea',
  },
  'null only': { values: [null], others: [1, 'a', {}], bad: undefined, reason: '', input: '' },
}

for (const [kind, { values, others, bad, reason, input }] of Object.entries(kinds)) {
  test(`records with ${kind} reject values of other types only`, async (t) => {
    const value = (index: number) => values[index % values.length]
    const things = Array.from({ length: 6 }, (_, index) => ({ id: index, field: value(index) }))
    const app = await dataApp(t, { things })
    const form = await app.inject({ url: '/things/1/edit', headers: { accept: 'text/html' } })
    assert.ok(form.body.includes(input), form.body)
    const create = (payload: object) => app.inject({ method: 'POST', url: '/things', payload })
    for (const field of [value(1), ...others, null]) {
      const created = await create({ field })
      assert.equal(created.statusCode, 201, created.body)
      assert.deepEqual(created.json<{ field: unknown }>().field, field)
    }
    assert.equal((await create({})).statusCode, 201)
    if (bad === undefined) return
    const rejected = await create({ field: bad })
    assert.equal(rejected.statusCode, 422)
    assert.equal(rejected.headers['content-type'], 'application/problem+json; charset=utf-8')
    const { errors } = rejected.json<{ errors: { detail: string }[] }>()
    assert.ok(errors[0]?.detail.startsWith(`${reason} (inferred from db.json)`), rejected.body)
  })
}

test('the schema of the message allows what was rejected', async (t) => {
  const things = [{ id: 1, price: 5, size: { w: 1 } }]
  const rejected = await dataApp(t, { things })
  const request = { method: 'PATCH', url: '/things/1' } as const
  const changes = [{ price: 'on request' }, { size: { w: 'wide' } }, { price: [1] }]
  for (const payload of changes) {
    const { errors } = (await rejected.inject({ ...request, payload })).json<{
      errors: { detail: string }[]
    }>()
    const [, text = ''] = /use a schema such as (.*)$/.exec(errors[0]?.detail ?? '') ?? []
    const app = await dataApp(t, { things }, { schema: JSON.parse(text) as unknown })
    assert.equal((await app.inject({ ...request, payload })).statusCode, 200)
  }
})

test('of a field whose schema has no rule about types, only the type is inferred', async (t) => {
  const posts = ['a', 'a', 'a', 'b', 'b', 'b'].map((state, index) => ({ id: index + 1, state }))
  const schema = { posts: { required: ['state'], properties: { state: { minLength: 2 } } } }
  const app = await dataApp(t, { posts: [] }, { schema: { posts: {} } })
  assert.equal((await app.inject({ method: 'POST', url: '/posts', payload: {} })).statusCode, 201)
  await assert.rejects(dataApp(t, { posts }, { schema }), /state must be at least 2/)
  const longer = posts.map((post) => ({ ...post, state: post.state.repeat(2) }))
  const strict = await dataApp(t, { posts: longer }, { schema })
  for (const [state, status] of [
    ['new', 201],
    ['x', 422],
    [undefined, 422],
    [null, 422],
  ] as const) {
    const created = await strict.inject({ method: 'POST', url: '/posts', payload: { state } })
    assert.equal(created.statusCode, status, created.body)
  }
})

test('the document describes what is accepted, with examples', async (t) => {
  const orders = ['open', 'paid'].flatMap((status) =>
    [1, 2, 3].map((price) => ({
      id: `${status}${String(price)}`,
      status,
      price,
      at: '2026-11-21',
    })),
  )
  const app = await dataApp(t, { orders })
  const { components } = (await app.inject('/openapi.json')).json<{
    components: { schemas: Record<string, { properties: object; required?: unknown }> }
  }>()
  for (const name of ['OrderInput', 'OrderChanges']) {
    const { properties, required = [] } = components.schemas[name] ?? {}
    assert.deepEqual(required, [])
    const text = { pattern: '^[^\\u0000]*$' }
    assert.deepEqual(properties, {
      status: { ...text, title: 'Status', type: ['string', 'null'], examples: ['open', 'paid'] },
      price: { title: 'Price', type: ['number', 'null'], examples: [1] },
      at: { ...text, title: 'At', type: ['string', 'null'], examples: ['2026-11-21'] },
    })
  }
})

test('a field with numbers and a text accepts both, also from a form', async (t) => {
  const things = [1, 2.5, 'on request'].map((price, index) => ({ id: index + 1, price }))
  const app = await dataApp(t, { things })
  const request = { method: 'POST', url: '/things' } as const
  const { statusCode, body } = await app.inject({ ...request, payload: { price: [1] } })
  assert.equal(statusCode, 422)
  assert.match(body, /price must be a number or text \(inferred/)
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
