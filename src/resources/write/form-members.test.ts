import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { dataApp } from '../../../test/support/data-app.ts'
import { createRecord, formType, without } from '../../../test/support/resources.ts'
import { useApp } from '../../../test/support/test-app.ts'

const item = {
  id: 1,
  shopId: 1,
  name: 'Chair',
  inStock: false,
  size: { w: 1, unit: 'cm', inner: { depth: 2, isRound: true } },
  sizes: [1, 2],
  flags: [true],
  tags: ['a'],
  lines: [{ qty: 1, isGift: false, sizes: [1], note: 'x' }],
}

const rows: readonly (readonly [form: string, fields: object])[] = [
  ['size[w]=3', { size: { w: 3 } }],
  ['size[w]=3.5&size[unit]=7', { size: { w: 3.5, unit: '7' } }],
  [
    'size[inner][depth]=4&size[inner][isRound]=on',
    { size: { inner: { depth: 4, isRound: true } } },
  ],
  ['size[other]=5', { size: { other: '5' } }],
  ['size[w]=&size[unit]=', { size: { unit: '' } }],
  ['size[inner]={"depth":9}', { size: { inner: { depth: 9 } } }],
  ['size={"w":3}', { size: { w: 3 } }],
  ['sizes[]=3&sizes[]=4.5', { sizes: [3, 4.5] }],
  ['sizes=3&sizes=4', { sizes: [3, 4] }],
  ['sizes[1]=4&sizes[0]=3', { sizes: [3, 4] }],
  ['flags[]=on&flags[]=false&flags[]=true', { flags: [true, false, true] }],
  ['tags[]=3&tags[]=on', { tags: ['3', 'on'] }],
  ['lines[0][qty]=2&lines[0][isGift]=on', { lines: [{ qty: 2, isGift: true }] }],
  ['lines[0][sizes][]=2&lines[1][note]=1', { lines: [{ sizes: [2] }, { note: '1' }] }],
  ['inStock=on', { inStock: true }],
  ['inStock=true', { inStock: true }],
  ['inStock=false', { inStock: false }],
  ['inStock[0]=false&inStock[1]=on', { inStock: true }],
  ['name=on', { name: 'on' }],
]

for (const [method, path] of [
  ['POST', '/items'],
  ['POST', '/shops/1/items'],
  ['PUT', '/items/:id'],
  ['PATCH', '/items/:id'],
] as const) {
  // One app for each, because a service learns the members of objects from what it stores.
  suite(`${method} ${path} with a form stores values of the types of the fields`, () => {
    const shop = useApp({}, (t) => dataApp(t, { shops: [{ id: 1 }], items: [item] }))
    for (const [form, fields] of rows) {
      test(form, async () => {
        const old = await createRecord(shop(), '/items', without<unknown>(item, 'id'))
        const url = path.replace(':id', String(old.id))
        const headers = { 'content-type': formType, accept: 'application/json' }
        const response = await shop().inject({ method, url, headers, payload: form })
        assert.ok(response.statusCode < 300, response.body)
        const { id } = response.json<{ id: number }>()
        const parent = url.startsWith('/shops') ? { shopId: 1 } : {}
        const kept = method === 'PATCH' ? item : {}
        const stored = await shop().inject(`/items/${String(id)}`)
        assert.deepEqual(stored.json(), { ...kept, id, ...parent, ...fields })
      })
    }
  })
}

const schema = {
  items: {
    additionalProperties: false,
    properties: {
      box: {
        anyOf: [{ type: 'object', properties: { w: { type: 'integer' } } }, { type: 'null' }],
      },
      prices: { type: 'object', additionalProperties: { type: 'number' } },
      level: { type: 'object', properties: { step: { enum: [1, 2] } } },
      maybe: { type: 'object', properties: { count: { type: ['number', 'null'] } } },
    },
  },
}

const described = useApp({}, (t) => dataApp(t, { items: [] }, { schema }))
for (const [form, fields] of [
  ['box[w]=3', { box: { w: 3 } }],
  ['prices[eur]=3.5', { prices: { eur: 3.5 } }],
  ['level[step]=2', { level: { step: 2 } }],
  ['maybe[count]=', { maybe: { count: null } }],
] as const) {
  test(`the form ${form} follows the schema`, async () => {
    const headers = { 'content-type': formType, accept: 'application/json' }
    const request = { method: 'POST', url: '/items', headers, payload: form } as const
    const response = await described().inject(request)
    assert.equal(response.statusCode, 201, response.body)
    const { id, ...stored } = response.json<{ id: number }>()
    assert.ok(id > 0)
    assert.deepEqual(stored, fields)
  })
}

const oneItem = useApp({}, (t) => dataApp(t, { items: [item] }))
for (const [form, pointer] of [
  ['size[w]=big', '#/size/w'],
  ['lines[0][isGift]=perhaps', '#/lines/0/isGift'],
  ['sizes[]=', '#/sizes/0'],
] as const) {
  test(`the form ${form} is an error of ${pointer}`, async () => {
    const headers = { 'content-type': formType, accept: 'application/json' }
    const request = { method: 'POST', url: '/items', headers, payload: form } as const
    const response = await oneItem().inject(request)
    assert.equal(response.statusCode, 422)
    const { errors } = response.json<{ errors: { pointer: string }[] }>()
    assert.deepEqual(
      errors.map((error) => error.pointer),
      [pointer],
    )
  })
}
