import assert from 'node:assert/strict'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { test } from 'node:test'
import { createRecord, formType, type Shown } from '../../../test/support/resources.ts'
import { startVitrine } from '../../../test/support/start-vitrine.ts'
import { testApp, useApp } from '../../../test/support/test-app.ts'

const acceptQuery = '"application/json", "application/x-www-form-urlencoded"'

/** For queries, which store nothing. */
const filled = useApp({}, async (t) => {
  const app = await testApp(t)
  for (const [index, name] of ['Ann', 'Bea', 'Cid', 'ann'].entries()) {
    await createRecord(app, '/places', { name, latitude: index, longitude: 0 })
  }
  return app
})

interface Query {
  url?: string
  type?: string
  headers?: Record<string, string>
  content?: string
}

async function query(app: FastifyInstance, { url, type, headers, content }: Query) {
  const accept = 'application/json'
  return app.inject({
    method: 'QUERY' as 'GET',
    url: url ?? '/places',
    headers: { accept, ...(type !== undefined && { 'content-type': type }), ...headers },
    ...(content !== undefined && { payload: content }),
  } satisfies InjectOptions)
}

const sent: [content: string | object, names: string][] = [
  ['', 'Ann Bea Cid ann'],
  ['name=Ann&name=Bea', 'Ann Bea'],
  ['q=ann&sort=-latitude', 'ann Ann'],
  ['latitude_gte=1&_page=1&_limit=2', 'Bea Cid'],
  [{}, 'Ann Bea Cid ann'],
  [{ name: 'Ann' }, 'Ann'],
  [{ name: ['Ann', 'Bea'] }, 'Ann Bea'],
  [{ 'name:in': 'Ann,Cid' }, 'Ann Cid'],
  [{ 'latitude:gt': 1, sort: ['-name'] }, 'ann Cid'],
  [{ latitude: [0, 3], q: 'N', per_page: 1, page: 2 }, 'ann'],
]

for (const [content, names] of sent) {
  const text = typeof content === 'string' ? content : JSON.stringify(content)
  test(`QUERY ${text || 'without a parameter'} finds ${names}`, async () => {
    const app = filled()
    const type = typeof content === 'string' ? formType : 'application/json; charset=utf-8'
    const response = await query(app, { type, content: text })
    assert.equal(response.statusCode, 200)
    const found = response.json<Shown[]>().map(({ name }) => String(name))
    assert.equal(found.join(' '), names)
    assert.equal(response.headers['accept-query'], acceptQuery)
    assert.equal(response.headers['cache-control'], 'private, no-cache')
    // A GET of Location is the same query.
    const url = String(response.headers.location)
    const again = await app.inject({ url, headers: { accept: 'application/json' } })
    assert.equal(again.body, response.body)
    assert.equal(again.headers.etag, response.headers.etag)
    assert.equal(again.headers.link, response.headers.link)
  })
}

test('a QUERY adds to the parameters of its URL, and may not repeat them', async () => {
  const app = filled()
  const url = '/places?latitude_lt=3'
  const both = await query(app, { url, type: formType, content: 'q=ann' })
  const names = both.json<Shown[]>().map(({ name }) => name)
  assert.deepEqual(names, ['Ann'])
  const twice = await query(app, { url: '/places?q=a', type: formType, content: 'q=b' })
  assert.equal(twice.statusCode, 422)
})

test('a QUERY that is too long for a URL has no Content-Location', async () => {
  const app = filled()
  const content = JSON.stringify({ name: Array(90).fill('x'.repeat(100)), page: 1 })
  const response = await query(app, { type: 'application/json', content })
  assert.equal(response.statusCode, 200)
  assert.equal(response.headers.location, undefined)
  assert.equal(response.headers.link, undefined)
  assert.equal(response.headers['x-total-count'], '0')
})

const rejected: [title: string, status: number, query: Query][] = [
  ['content without a type', 400, { content: '{}' }],
  ['neither type nor content', 400, {}],
  ['a type and no content where JSON is due', 400, { type: 'application/json' }],
  ['invalid JSON', 400, { type: 'application/json', content: 'q=x' }],
  ['a type that is not taken', 415, { type: 'text/plain', content: 'q=x' }],
  ['SQL', 415, { type: 'application/sql', content: 'SELECT 1' }],
  ['JSON Patch', 415, { type: 'application/json-patch+json', content: '[]' }],
  ['a type that cannot be read', 415, { type: 'json', content: '{}' }],
  ['a list', 422, { type: 'application/json', content: '[]' }],
  ['a text', 422, { type: 'application/json', content: '"q=x"' }],
  ['an unknown field', 422, { type: 'application/json', content: '{"colour":"red"}' }],
  ['a password', 422, { type: formType, content: 'password:startsWith=$' }],
  ['an invalid number', 422, { type: formType, content: 'latitude:gt=north' }],
  ['a nested value', 422, { type: 'application/json', content: '{"name":{"eq":"x"}}' }],
  ['null', 422, { type: 'application/json', content: '{"name":null}' }],
  ['an empty list of values', 422, { type: 'application/json', content: '{"name":[]}' }],
  [
    'too many values',
    422,
    { type: 'application/json', content: JSON.stringify({ name: Array(50_000).fill('x') }) },
  ],
  ['the prototype', 400, { type: 'application/json', content: '{"__proto__":{"a":1}}' }],
  ['a constructor', 422, { type: 'application/json', content: '{"constructor":"x"}' }],
  ['another representation', 406, { type: formType, headers: { accept: 'image/png' } }],
]

for (const [title, status, search] of rejected) {
  test(`QUERY with ${title} is ${String(status)}`, async () => {
    const app = filled()
    const response = await query(app, search)
    assert.equal(response.statusCode, status, response.body)
    if (status === 415) assert.equal(response.headers['accept-query'], acceptQuery)
  })
}

test('the error of an invalid QUERY points to the invalid part', async () => {
  const app = filled()
  const response = await query(app, { type: 'application/json', content: '{"latitude:gt":"x"}' })
  const { errors } = response.json<{ errors: { pointer: string }[] }>()
  const pointers = errors.map(({ pointer }) => pointer)
  assert.deepEqual(pointers, ['#/latitude%3Agt'])
})

test('only the list announces QUERY', async (t) => {
  const app = filled()
  for (const url of ['/people', '/people/', '/places', '/people.csv']) {
    await t.test(url, async () => {
      const options = await app.inject({ method: 'OPTIONS', url })
      assert.match(String(options.headers.allow), /\bQUERY\b/)
      assert.equal(options.headers['accept-query'], acceptQuery)
      for (const method of ['GET', 'HEAD'] as const) {
        assert.equal((await app.inject({ method, url })).headers['accept-query'], acceptQuery)
      }
    })
  }
  const record = await query(app, { url: '/people/new', type: formType, content: 'q=x' })
  assert.equal(record.statusCode, 405)
  assert.doesNotMatch(String(record.headers.allow), /QUERY/)
})

test('QUERY is safe: other sites may send it', async () => {
  const app = filled()
  const headers = { 'sec-fetch-site': 'cross-site', origin: 'http://elsewhere.example' }
  assert.equal((await query(app, { type: formType, content: 'q=x', headers })).statusCode, 200)
})

test('a page found with QUERY has a tag, and a conditional request gets 304', async () => {
  const app = filled()
  const search = { type: formType, content: 'per_page=2' }
  const { headers } = await query(app, search)
  const etag = String(headers.etag)
  const same = await query(app, { ...search, headers: { 'if-none-match': etag } })
  assert.equal(same.statusCode, 304)
  assert.equal(same.body, '')
  assert.equal((await query(app, { ...search, headers: { 'if-match': '"x"' } })).statusCode, 412)
})

test('QUERY works over a socket', async (t) => {
  const { origin } = await startVitrine(t, { DATABASE_URL: 'sqlite::memory:' })
  const headers = { 'content-type': 'application/json', accept: 'application/json' }
  const body = '{"sort":["-name"],"page":1}'
  const response = await fetch(`${origin}/people`, { method: 'QUERY', headers, body })
  assert.equal(response.status, 200)
  assert.deepEqual(await response.json(), [])
  assert.equal(response.headers.get('x-total-count'), '0')
})
