import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { dataApp } from '../../../test/support/data-app.ts'
import { asForm, createRecord } from '../../../test/support/resources.ts'
import { useApp } from '../../../test/support/test-app.ts'
import { findInvalid } from '../../../test/support/valid-html.ts'

import { openThings, plain, things, unusualNames } from '../../../test/support/things.ts'

/** For queries, which store nothing. */
const twoThings = useApp({}, async (t) => {
  const { app } = await openThings(t)
  await createRecord(app, '/things', plain)
  return app
})

const filters: readonly [query: string, names: string][] = [
  ['address.city=Rome', 'One'],
  ['address.city:eq=Rome', 'One'],
  ['address.city_like=O', 'One Two'],
  ['address.zip.code=118', 'One'],
  ['address.zip.code:lt=118', ''],
  ['address.geo.high=true', 'One'],
  ['address.extra.floor:gte=2', 'One'],
  ['address.extra.floor=2', 'One'],
  ['address.extra.none=null', 'One Two'],
  ['active=true', 'One'],
  ['active:ne=true', 'Two'],
  ['wanted=false', 'One'],
  ['wanted=null', 'Two'],
  ['ratio:ne=null', ''],
  ['level=2', 'One'],
  ['level:in=1,2,null', 'One Two'],
  ['any=text', 'Two'],
  ['day:gte=2026', 'One'],
  ['tags:contains=a', 'One'],
  ['tags_contains=b', 'One'],
  ['tags:contains=A', ''],
  ['tags:contains=a&tags:contains=c', 'One'],
  ['any:contains=x', 'One Two'],
  ['any:contains=1', 'One'],
  ['address.extra.none:contains=a', ''],
  ['sort=-address.city', 'One Two'],
  ['sort=address.city,name', 'Two One'],
  ['sort=-count', 'Two One'],
]
for (const [query, names] of filters) {
  test(`?${query} finds ${names}`, async () => {
    for (const suffix of ['json', 'html']) {
      const response = await twoThings().inject(`/things.${suffix}?${query}`)
      assert.equal(response.statusCode, 200, response.body)
      if (suffix === 'html') continue
      const found = response.json<{ name: string }[]>().map(({ name }) => name)
      assert.equal(found.join(' '), names)
    }
  })
}

const badFilters = [
  'active=yes',
  'count=many',
  'tags=a',
  'tags:startsWith=a',
  'tags_like=a',
  'address=Rome',
  'address:contains=Rome',
  'address.=x',
  'address..city=x',
  'address.city.more=x',
  'name.first=x',
  'secret.a=x',
  `address.extra.${'a.'.repeat(100_0)}b=x`,
  'address.%00=x',
  'sort=tags.a',
]
for (const query of badFilters) {
  test(`400 for ?${query.slice(0, 40)}`, async () => {
    assert.equal((await twoThings().inject(`/things.json?${query}`)).statusCode, 400)
  })
}

suite('a field may have any name', () => {
  for (const name of unusualNames) {
    const inputName = things.fields.find((known) => known.name === name)?.inputName ?? name

    test(`${JSON.stringify(name)} can be set with JSON and a form, shown, filtered and sorted by`, async (t) => {
      const { app } = await openThings(t)
      const headers = { accept: 'application/json' }
      const payload = { ...plain, [inputName]: 'B' }
      const json = await app.inject({ method: 'POST', url: '/things', headers, payload })
      const form = await app.inject({
        method: 'POST',
        url: '/things',
        ...asForm({ name: 'Form', active: 'true', [inputName]: 'A' }),
      })
      assert.deepEqual([json.statusCode, form.statusCode], [201, 201], form.body)
      assert.equal(Object.getOwnPropertyDescriptor(json.json<object>(), name)?.value, 'B')
      const find = async (query: [string, string]) => {
        const response = await app.inject(`/things.json?${new URLSearchParams([query]).toString()}`)
        assert.equal(response.statusCode, 200, response.body)
        return response
          .json<{ name: string }[]>()
          .map((record) => record.name)
          .join(' ')
      }
      assert.equal(await find([`${name}:eq`, 'B']), 'Two')
      assert.equal(await find(['sort', name]), 'Form Two One')
      const { body } = await app.inject(
        `/things.csv?${new URLSearchParams({ fields: name, sort: name }).toString()}`,
      )
      assert.deepEqual(body.split('\r\n').slice(1), ['A', 'B', '', ''])
      for (const page of [String(form.headers.location), `${String(json.headers.location)}/edit`]) {
        await t.test(page, async () => {
          assert.deepEqual(await findInvalid((await app.inject(page)).body, page), [])
        })
      }
    })
  }
})

const hints: readonly [query: string, hint: RegExp][] = [
  ['words=a', /words is a list\. Its only operator is contains/],
  ['words:endsWith=a', /words:endsWith is a list\. Its only operator is contains/],
  ['words_like=a', /Use words:contains, or start the service with --json-server 0.17/],
  ['sizes:contains=1&sizes:contains=a', /sizes:contains must be a number/],
  ['parts:contains=a', /parts:contains is a list of objects or lists, which has no operators/],
  ['place:contains=a', /place:contains is an object\. Filter by a member/],
  ['isNew:contains=t', /isNew:contains is true or false\. Its operators are eq, ne and in/],
  ['day:gte=2025-13-45', /day:gte must be a date or a time/],
  ['day:lt=yesterday', /day:lt must be a date or a time/],
]
const nestedThing = useApp({}, (t) => {
  const own = { isNew: true, day: '2026-03-14' }
  const record = { id: 1, ...own, words: ['a'], sizes: [1], parts: [{ a: 1 }], place: { a: 1 } }
  return dataApp(t, { things: [record] })
})
for (const [query, hint] of hints) {
  test(`${query} gets 400 with the operators of its field`, async () => {
    const response = await nestedThing().inject(`/things?${query}`)
    assert.equal(response.statusCode, 400)
    assert.match(response.json<{ detail: string }>().detail, hint)
  })
}

const nulls = ['text', 'price', 'authorId', 'ok', 'on', 'in.text', 'in.price', 'state']
for (const name of nulls) {
  test(`?${name}=null finds null in a field that has none in the data file`, async (t) => {
    const one = { text: 'a', price: 1, authorId: 1, ok: true, on: '2026-01-01', list: ['a'] }
    const fields = { ...one, state: 'open', in: { text: 'a', price: 1 } }
    const records = [1, 2, 3].map((id) => ({ id, ...fields }))
    const app = await dataApp(t, { items: records, authors: [{ id: 1 }] })
    const [field = '', member] = name.split('.')
    const payload = { [field]: member ? { ...fields.in, [member]: null } : null }
    const patched = await app.inject({ method: 'PATCH', url: '/items/2', payload })
    assert.equal(patched.statusCode, 200, patched.body)
    for (const [query, ids] of [
      [`${name}=null`, [2]],
      [`${name}:ne=null`, [1, 3]],
    ] as const) {
      const response = await app.inject(`/items?${query}`)
      assert.equal(response.statusCode, 200, response.body)
      const found = response.json<{ id: number }[]>().map(({ id }) => id)
      assert.deepEqual(found, ids)
    }
  })
}

const listsAndObjects = useApp({}, (t) =>
  dataApp(t, {
    items: [
      { id: 1, list: ['a'], in: { a: 1 }, both: [] },
      { id: 2, list: null, in: null, both: {} },
    ],
  }),
)
for (const name of ['list', 'in', 'both']) {
  test(`?${name}=null is 400 for lists and objects, which have no comparison`, async () => {
    assert.equal((await listsAndObjects().inject(`/items?${name}=null`)).statusCode, 400)
  })
}

test('contains finds null in a list that has none in the data file', async (t) => {
  const app = await dataApp(t, { items: [{ id: 1, list: ['a'] }] })
  await app.inject({ method: 'PATCH', url: '/items/1', payload: { list: [null, 'b'] } })
  const found = await app.inject('/items?list:contains=null')
  assert.deepEqual(found.json(), [{ id: 1, list: [null, 'b'] }])
})
