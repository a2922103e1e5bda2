import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataApp } from '../../../test/support/data-app.ts'
import { formType } from '../../../test/support/resources.ts'

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

for (const [form, fields] of rows) {
  for (const [method, url] of [
    ['POST', '/items'],
    ['POST', '/shops/1/items'],
    ['PUT', '/items/1'],
    ['PATCH', '/items/1'],
  ] as const) {
    test(`${method} ${url} with the form ${form} stores values of the types of the fields`, async (t) => {
      const app = await dataApp(t, { shops: [{ id: 1 }], items: [item] })
      const headers = { 'content-type': formType, accept: 'application/json' }
      const response = await app.inject({ method, url, headers, payload: form })
      assert.ok(response.statusCode < 300, response.body)
      const { id } = response.json<{ id: number }>()
      const path = url.startsWith('/shops') ? { shopId: 1 } : {}
      const kept = method === 'PATCH' ? item : {}
      const stored = await app.inject(`/items/${String(id)}`)
      assert.deepEqual(stored.json(), { ...kept, id, ...path, ...fields })
    })
  }
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

for (const [form, fields] of [
  ['box[w]=3', { box: { w: 3 } }],
  ['prices[eur]=3.5', { prices: { eur: 3.5 } }],
  ['level[step]=2', { level: { step: 2 } }],
  ['maybe[count]=', { maybe: { count: null } }],
] as const) {
  test(`the form ${form} follows the schema`, async (t) => {
    const app = await dataApp(t, { items: [] }, { schema })
    const headers = { 'content-type': formType, accept: 'application/json' }
    const response = await app.inject({ method: 'POST', url: '/items', headers, payload: form })
    assert.equal(response.statusCode, 201, response.body)
    assert.deepEqual(response.json(), { id: 1, ...fields })
  })
}

for (const [form, pointer] of [
  ['size[w]=big', '#/size/w'],
  ['lines[0][isGift]=perhaps', '#/lines/0/isGift'],
  ['sizes[]=', '#/sizes/0'],
] as const) {
  test(`the form ${form} is an error of ${pointer}`, async (t) => {
    const app = await dataApp(t, { items: [item] })
    const headers = { 'content-type': formType, accept: 'application/json' }
    const response = await app.inject({ method: 'POST', url: '/items', headers, payload: form })
    assert.equal(response.statusCode, 422)
    const { errors } = response.json<{ errors: { pointer: string }[] }>()
    assert.deepEqual(
      errors.map((error) => error.pointer),
      [pointer],
    )
  })
}
