import assert from 'node:assert/strict'
import type { FastifyInstance } from 'fastify'
import { test } from 'node:test'
import { createRecord, readNames } from '../../../test/support/resources.ts'
import { testApp, useApp } from '../../../test/support/test-app.ts'

const places = [
  { name: 'Åre', latitude: 63.4, longitude: 13.1, note: 'Snow' },
  { name: 'Bonn', latitude: 50.7, longitude: 7.1 },
  { name: 'bonn', latitude: -3, longitude: 7.1, note: 'another 50%' },
  { name: 'Cork', note: 'no place' },
]

async function fill(app: FastifyInstance): Promise<void> {
  for (const place of places) await createRecord(app, '/places', place)
}

const found: [query: string, names: string][] = [
  ['name=Bonn', 'Bonn'],
  ['name=Bonn&name=Cork', 'Bonn Cork'],
  ['name:in=Bonn,Cork', 'Bonn Cork'],
  ['name:ne=Bonn', 'Åre bonn Cork'],
  ['name:startsWith=åR', 'Åre'],
  ['name:endsWith=N', 'Bonn bonn'],
  ['name:contains=o', 'Bonn bonn Cork'],
  ['name_like=O', 'Bonn bonn Cork'],
  ['latitude:gt=0', 'Åre Bonn'],
  ['latitude:gte=50.7&latitude:lt=60', 'Bonn'],
  ['latitude_gte=-3&latitude_lte=51', 'Bonn bonn'],
  ['latitude=50.70', 'Bonn'],
  ['latitude:ne=50.7', 'Åre bonn Cork'],
  ['latitude:contains=.', 'Åre Bonn'],
  ['note:contains=%25', 'bonn'],
  ['note:contains=_', ''],
  ['q=SNOW', 'Åre'],
  ['q=åre', 'Åre'],
  ['q=63.4', 'Åre'],
  ['q=place', 'Cork'],
  ['q=%25', 'bonn'],
  ['q=nowhere', ''],
  ['createdAt:gt=2020', 'Åre Bonn bonn Cork'],
  ['updatedAt:lt=2020', ''],
  ['sort=name', 'Bonn Cork bonn Åre'],
  ['sort=-name', 'Åre bonn Cork Bonn'],
  ['sort=latitude', 'bonn Bonn Åre Cork'],
  ['sort=-latitude', 'Cork Åre Bonn bonn'],
  ['sort=longitude,-name', 'bonn Bonn Åre Cork'],
  ['sort=-createdAt', 'Cork bonn Bonn Åre'],
  ['_sort=latitude&_order=desc&_limit=2', 'Cork Åre'],
  ['sort=name&per_page=2&page=2', 'bonn Åre'],
  ['longitude=7.1&sort=-name&page=1&per_page=1', 'bonn'],
]

test('a list is filtered, searched and sorted', async (t) => {
  const app = await testApp(t)
  await fill(app)
  for (const [query, names] of found)
    assert.equal(await readNames(app, `/places?${query}`), names, query)
})

test('a filtered page counts the matching records', async (t) => {
  const app = await testApp(t)
  await fill(app)
  const { headers } = await app.inject('/places.json?longitude=7.1&per_page=1')
  assert.equal(headers['x-total-count'], '2')
})

test('fields selects the fields in JSON, in the usual order', async (t) => {
  const app = await testApp(t)
  const { _id, createdAt } = await createRecord(app, '/places', places[3] ?? {})
  const query = 'fields=note,name,createdAt,latitude'
  const json = await app.inject(`/places.json?${query}`)
  assert.equal(json.body, `[${JSON.stringify({ name: 'Cork', note: 'no place', createdAt })}]`)
  const lines = await app.inject(`/places.ndjson?fields=_id`)
  assert.equal(lines.body, `${JSON.stringify({ _id })}\n`)
  const csv = await app.inject(`/places.csv?${query}`)
  assert.equal(csv.body, `name,latitude,note,createdAt\r\nCork,,no place,${createdAt}\r\n`)
  assert.equal((await app.inject(`/places.txt?${query}`)).body, `${_id} Cork\n`)
})

test('filters, search and sort reveal nothing about a password', async (t) => {
  const app = await testApp(t)
  await createRecord(app, '/people', { name: 'Ann', password: 'correct horse' })
  const queries = [
    'password=correct%20horse',
    'password:startsWith=$argon2id',
    'password:ne=x',
    'password_like=argon',
    'sort=password',
    '_sort=-password',
    'fields=name,password',
  ]
  for (const query of queries) {
    await t.test(query, async () => {
      const response = await app.inject(`/people.json?${query}`)
      assert.equal(response.statusCode, 400)
      // Like any other unknown name.
      const other = await app.inject(`/people.json?${query.replace('password', 'colour')}`)
      const like = (body: string) =>
        body.replaceAll(/password|colour/g, '').replace(/"instance.*/, '')
      assert.equal(like(response.body), like(other.body))
    })
  }
  for (const q of ['argon2id', 'correct', '$', 'm=19456']) {
    await t.test(q, async () => {
      const { body } = await app.inject(`/people.json?${new URLSearchParams({ q }).toString()}`)
      assert.equal(body, '[]')
    })
  }
})

const attacks = [
  `' OR 1=1 --`,
  `'; DROP TABLE records; --`,
  `") OR ("1"="1`,
  `x'' OR 1`,
  `name' ->> '$.password`,
  '$.password',
  '1; SELECT 1',
  '%',
  '\u0000',
  '?',
  ':a',
]

test('no parameter can change a statement', async (t) => {
  const app = await testApp(t)
  await fill(app)
  for (const attack of attacks) {
    await t.test(attack, async () => {
      const requests: [name: string, value: string, status: number][] = [
        ['name', attack, 200],
        ['name:ne', attack, 200],
        ['name:contains', attack, 200],
        ['name:startsWith', attack, 200],
        ['name_like', attack, /[$\\^.*+?()[\]{}|]/.test(attack) ? 400 : 200],
        ['name:gt', attack, 200],
        ['_id', attack, 200],
        ['createdAt:gte', attack, 400],
        ['q', attack, 200],
        ['latitude', attack, 400],
        ['latitude:in', `1,${attack}`, 400],
        ['sort', attack, 400],
        ['_sort', attack, 400],
        ['fields', attack, 400],
        ['page', attack, 400],
        ['per_page', attack, 400],
        ['_start', attack, 400],
        [attack, '1', 400],
        [`name:${attack}`, '1', 400],
      ]
      for (const [name, value, status] of requests) {
        const query = new URLSearchParams([[name, value]]).toString()
        assert.equal((await app.inject(`/places.json?${query}`)).statusCode, status, query)
      }
    })
  }
  assert.equal(await readNames(app, '/places'), 'Åre Bonn bonn Cork')
})

const emptyApp = useApp()

const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'prototype', 'valueOf']

for (const name of names) {
  test(`${name} is not the name of a field`, async (t) => {
    const app = emptyApp()
    const queries = [
      `${name}=1`,
      `${encodeURIComponent(name).replace('t', '%74')}=1`,
      `${name}[a]=1`,
      `${name}:eq=1`,
      `${name}_gte=1`,
      `sort=${name}`,
      `fields=${name}`,
    ]
    for (const query of queries) {
      await t.test(query, async () => {
        const response = await app.inject(`/people.json?${query}`)
        assert.equal(response.statusCode, 400)
        assert.ok(response.body.includes(name))
      })
    }
  })
}

for (const query of ['name[a]=1', 'name[a][b]=1', 'sort[a]=name', 'q[a]=1', 'name[]=a&name[b]=c']) {
  test(`nested values are rejected: ${query}`, async () => {
    assert.equal((await emptyApp().inject(`/people.json?${query}`)).statusCode, 400)
  })
}

test('the error for an invalid parameter names it, and has its own problem type', async () => {
  const headers = { accept: 'application/json' }
  const response = await emptyApp().inject({ url: '/people?colour=red', headers })
  assert.equal(response.headers['content-type'], 'application/problem+json; charset=utf-8')
  const { type, detail } = response.json<{ type: string; detail: string }>()
  assert.match(type, /\/problems\/unknown-parameter$/)
  assert.equal(
    detail,
    'colour is an unknown field. Fields: _id, name, createdAt, updatedAt. Other parameters: page, per_page, sort, q, fields, after.',
  )
})
