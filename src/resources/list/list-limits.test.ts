import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { dataApp } from '../../../test/support/data-app.ts'
import { openSqliteDatabase } from '../../stores/sqlite/database.ts'
import { temporaryFolder } from '../../../test/support/start-vitrine.ts'
import { testApp, useApp } from '../../../test/support/test-app.ts'

const json = { accept: 'application/json' }
const emptyApp = useApp()
const digits = `${'1'.repeat(1_000_000)}x`

// A backtracking pattern would take half an hour for either.
test('a number with a million digits is rejected at once', { timeout: 300_000 }, async () => {
  const app = emptyApp()
  const headers = { ...json, 'content-type': 'application/x-www-form-urlencoded' }
  const payload = `name=a&latitude=${digits}`
  const created = await app.inject({ method: 'POST', url: '/places', headers, payload })
  assert.equal(created.statusCode, 422)
  const sent = await app.inject({
    method: 'QUERY',
    url: '/places',
    headers: { ...json, 'content-type': 'application/json' },
    payload: JSON.stringify({ latitude: digits }),
  })
  assert.equal(sent.statusCode, 422)
})

const many = (count: number, of: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => of(index)).join('&')

const searches = /have at most 10 values, of 250 characters together/

const rejected: readonly [title: string, query: string, names: RegExp][] = [
  [
    '60 values of two filters',
    many(120, (i) => `${i % 2 ? 'name' : 'note'}:ne=${String(i)}`),
    /100/,
  ],
  ['eleven texts to look for', many(11, (i) => `note:contains=${String(i)}`), searches],
  [
    'eleven texts in several filters',
    `q=a&${many(5, (i) => `name:startsWith=${String(i)}`)}&${many(5, (i) => `note:endsWith=${String(i)}`)}`,
    searches,
  ],
  ['a text of 251 characters', `q=${'a'.repeat(251)}`, searches],
  ['texts of 251 characters', `q=${'a'.repeat(125)}&name:contains=${'b'.repeat(126)}`, searches],
  ['eleven fields to sort by', `sort=${Array.from({ length: 11 }, () => 'name').join()}`, /sort/],
  ['a text longer than any field', `q=${'a'.repeat(2001)}`, /q must be at most/],
  ['a value longer than any field', `note:endsWith=${'a'.repeat(2001)}`, /note:endsWith/],
  ['an invalid time', 'createdAt:lt=garbage', /createdAt/],
  ['a day that there is not', 'createdAt_gte=2026-13-45', /createdAt/],
]
for (const [title, query, names] of rejected) {
  test(`a list with ${title} is rejected with the reason`, async () => {
    const response = await emptyApp().inject({ url: `/places?${query}`, headers: json })
    assert.equal(response.statusCode, 400, response.body)
    assert.match(response.json<{ detail: string }>().detail, names)
  })
}

test('a list accepts a search for ten texts of 250 characters together', async (t) => {
  const app = await testApp(t)
  for (const id of ['rome', 'oslo']) {
    await app.inject({ method: 'PUT', url: `/places/${id}`, payload: { name: id } })
  }
  const others = many(8, () => `name:contains=${'x'.repeat(30)}`)
  const { statusCode, body } = await app.inject(`/places.json?q=o&name:contains=sl&${others}`)
  assert.equal(statusCode, 200, body)
  assert.match(body, /^\[\{"_id":"oslo"[^[]*\]$/)
})

test('a QUERY of 60 texts of 1,000 characters is rejected', async () => {
  const app = emptyApp()
  const texts = Array.from({ length: 60 }, (_, i) => 'a'.repeat(1000) + String(i))
  const { statusCode, body } = await app.inject({
    method: 'QUERY',
    url: '/places',
    headers: { ...json, 'content-type': 'application/json' },
    payload: JSON.stringify({ 'note:contains': texts }),
  })
  assert.equal(statusCode, 422)
  assert.match(body, searches)
})

for (const order of ['', '&sort=name', '&sort=note']) {
  test(`other requests are handled during a search${order && ` with ${order}`}`, async (t) => {
    // PostgreSQL searches in a process of its own.
    const DATABASE_URL = `sqlite:${await temporaryFolder(t)}/data.db`
    using database = openSqliteDatabase(DATABASE_URL)
    database.exec(`WITH RECURSIVE numbers (number) AS (
        SELECT 1 UNION ALL SELECT number + 1 FROM numbers LIMIT 100000
      )
      INSERT INTO records (resource, id, document, version, created_at, updated_at)
      SELECT 'places', number, '{"name":"Rome"}', 1, 'now', 'now' FROM numbers`)
    const app = await testApp(t, { settings: { DATABASE_URL } })
    let [turns, isOver] = [0, false]
    const search = app.inject(`/places.json?q=no+such+text${order}`).finally(() => {
      isOver = true
    })
    for (; !isOver; turns += 1) await setImmediate()
    assert.equal((await search).statusCode, 200)
    assert.ok(turns >= 5, `${String(turns)} turns`)
  })
}

test('dates are compared as times, whatever their time zone', async (t) => {
  const app = await testApp(t)
  await app.inject({ method: 'PUT', url: '/places/rome', payload: { name: 'Rome' } })
  const later = new Date(Date.now() + 3_600_000).toISOString().slice(0, 19)
  for (const [query, count] of [
    ['createdAt:gte=2020-01-01', 1],
    ['createdAt:lt=2020-01', 0],
    [`createdAt:lt=${later}Z`, 1],
    // The same digits in the far east are many hours earlier.
    [`createdAt:lt=${later.replace('T', 'T')}%2B14:00`, 0],
  ] as const) {
    await t.test(query, async () => {
      const response = await app.inject({ url: `/places.json?${query}` })
      assert.equal(response.json<object[]>().length, count)
    })
  }
})

test('page links are left out where they would be too long for clients', async () => {
  const app = emptyApp()
  const filters = many(90, (i) => `name:ne=some%20quite%20ordinary%20value%20${String(i)}`)
  const { statusCode, headers } = await app.inject(`/places.json?page=1&per_page=1&${filters}`)
  assert.equal(statusCode, 200)
  assert.equal(headers.link, undefined)
  assert.equal(headers['x-total-count'], '0')
})

test('json-server’s underscore takes precedence over each of its operators', async (t) => {
  const app = await testApp(t)
  for (const id of ['rome', 'oslo']) {
    await app.inject({ method: 'PUT', url: `/places/${id}`, payload: { name: id } })
  }
  for (const query of ['name_eq=rome', 'name_in=rome,paris', 'name_contains=OM', 'name_like=om']) {
    await t.test(query, async () => {
      const response = await app.inject(`/places.json?${query}`)
      const ids = response.json<{ _id: string }[]>().map(({ _id }) => _id)
      assert.deepEqual(ids, ['rome'])
    })
  }
})

test('the whole list, which has no tag, and a POST to it evaluate preconditions too', async (t) => {
  const app = await testApp(t)
  const send = async (method: 'GET' | 'POST', headers: Record<string, string>) => {
    const payload = method === 'POST' ? { payload: { name: 'Rome' } } : {}
    return (await app.inject({ method, url: '/places', headers, ...payload })).statusCode
  }
  assert.equal(await send('GET', { 'if-match': '"x"' }), 412)
  assert.equal(await send('GET', { 'if-none-match': '*' }), 304)
  assert.equal(await send('GET', { 'if-none-match': '"x"' }), 200)
  assert.equal(await send('POST', { 'if-match': '"x"' }), 412)
  assert.equal(await send('POST', { 'if-none-match': '*' }), 412)
  assert.equal(await send('POST', { 'if-match': '*' }), 201)
})

test('an invalid date matches no state in a precondition that requires one', async (t) => {
  const app = await testApp(t, { settings: { REQUIRE_IF_MATCH: 'on' } })
  const url = '/places/rome'
  await app.inject({ method: 'PUT', url, payload: { name: 'Rome' } })
  const headers = { 'if-unmodified-since': 'garbage' }
  const response = await app.inject({ method: 'PATCH', url, headers, payload: { name: 'Roma' } })
  assert.equal(response.statusCode, 428)
})

test('a suffix selects the media type of an error too', async (t) => {
  const app = emptyApp()
  for (const [url, type] of [
    ['/places.json?bogus=1', 'application/problem+json'],
    ['/places/none.json', 'application/problem+json'],
    ['/places.ndjson?bogus=1', 'application/problem+json'],
    ['/places.html?bogus=1', 'text/html'],
    ['/places.csv?bogus=1', 'text/plain'],
  ] as const) {
    await t.test(url, async () => {
      const { headers } = await app.inject(url)
      assert.equal(String(headers['content-type']).split(';')[0], type)
      assert.doesNotMatch(String(headers.vary), /Accept\b(?!-)/)
    })
  }
})

test('a page of many records has each of them once', async (t) => {
  const posts = Array.from({ length: 300 }, (_, id) => ({ id: id + 1, even: id % 2 === 1 }))
  const app = await dataApp(t, { posts })
  const read = async (query: string) =>
    (await app.inject(`/posts?${query}`)).json<{ id: number }[]>().map(({ id }) => id)
  const ids = posts.map(({ id }) => id)
  assert.deepEqual(await read('per_page=1000'), ids)
  assert.deepEqual(await read('per_page=200&page=2&sort=-id'), ids.toReversed().slice(200))
  const sorted = await read('per_page=1000&sort=even')
  assert.deepEqual(
    sorted.toSorted((one, other) => one - other),
    ids,
  )
  assert.ok(sorted.slice(0, 150).every((id) => id % 2 === 1))
})
