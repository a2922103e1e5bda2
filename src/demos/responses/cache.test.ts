import type { InjectOptions } from 'fastify'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testApp, useApp } from '../../../test/support/test-app.ts'

const sharedApp = useApp()

const url = '/responses/cache/a'

test('a response has the chosen freshness and validators, and no others', async () => {
  const app = sharedApp()
  const query =
    '?etag=W/v1&last_modified=2026-01-01T00:00:00Z&max_age=60&s_maxage=5&stale_while_revalidate=30' +
    '&age=3&cache_control=public&vary=Accept-Language'
  const { headers } = await app.inject(url + query)
  assert.equal(
    headers['cache-control'],
    'public, max-age=60, s-maxage=5, stale-while-revalidate=30',
  )
  assert.match(String(headers.etag), /^W\/"v1-[0-9a-f]{8}"$/)
  assert.equal(headers['last-modified'], 'Thu, 01 Jan 2026 00:00:00 GMT')
  assert.deepEqual([headers.age, headers.vary], ['3', 'Accept-Language'])
  const plain = await app.inject(url)
  for (const name of ['cache-control', 'etag', 'last-modified', 'age', 'vary']) {
    assert.equal(plain.headers[name], undefined, name)
  }
})

test('a leap second in last_modified is the second before it', async () => {
  const { headers } = await sharedApp().inject(`${url}?last_modified=2016-12-31T23:59:60Z`)
  assert.equal(headers['last-modified'], 'Sat, 31 Dec 2016 23:59:59 GMT')
})

for (const tag of ['v1', '"v1"', 'W/v1', 'W/"v1"']) {
  test(`etag=${tag} has quotation marks in the response`, async () => {
    const { headers } = await sharedApp().inject(`${url}?etag=${tag}`)
    assert.equal(headers.etag, tag.startsWith('W/') ? 'W/"v1"' : '"v1"')
  })
}

// The exchange id must not be in a cache, also of one that chooses the lifetime (RFC 9111 §4.2.2).
for (const [request, hasId] of [
  [`${url}?max_age=1`, false],
  [`${url}?s_maxage=1`, false],
  [`${url}?last_modified=2026-01-01T00:00:00Z`, false],
  [`${url}?cache_control=no-cache`, false],
  [`${url}?cache_control=no-store`, true],
  [`${url}?cache_control=private`, true],
  ['/responses/custom', false],
  ['/responses/custom?header=CDN-Cache-Control:+public&header=Cache-Control:+no-store', false],
  ['/httpbin/get', false],
  ['/httpbin/status/301', false],
  ['/go-httpbin/get', false],
] as const) {
  test(`${request} has ${hasId ? 'the' : 'no'} headers of one client`, async (t) => {
    const settings = { RATE_LIMIT: '100', DEMOS: 'responses,httpbin,go-httpbin' }
    const app = await testApp(t, { settings })
    const { statusCode, headers } = await app.inject({
      url: request,
      headers: { accept: 'text/html' },
    })
    assert.ok(statusCode < 400)
    assert.equal('x-request-id' in headers, hasId)
    assert.equal('server-timing' in headers, hasId)
    // A shared cache would send what one client has left to others.
    assert.equal('ratelimit' in headers, hasId)
    assert.equal('ratelimit-policy' in headers, hasId)
  })
}

test('the body and the state count the responses that were made, and the validations', async (t) => {
  const app = await testApp(t)
  const send = (headers = {}) => app.inject({ url: `${url}?etag=v1`, headers })
  assert.deepEqual((await send()).json(), { key: 'a', made: 1, validated: 0 })
  const validation = await send({ 'if-none-match': '"v1"' })
  assert.deepEqual([validation.statusCode, validation.body], [304, ''])
  assert.deepEqual((await send({ 'if-none-match': '"v2"' })).json(), {
    key: 'a',
    made: 2,
    validated: 1,
  })
  const counts = { made: 2, validated: 1 }
  const state = (await app.inject(`${url}/state`)).json<Json>()
  const variants = [{ number: 1, ...counts }]
  assert.deepEqual(state, { key: 'a', ...counts, variants, expires_at: state.expires_at })
  await app.inject({ method: 'DELETE', url: `${url}/state` })
  assert.deepEqual((await send()).json(), { key: 'a', made: 1, validated: 0 })
})
type Json = Readonly<Record<string, unknown>>

const modified = 'Thu, 01 Jan 2026 00:00:00 GMT'
const later = 'Thu, 01 Jan 2026 00:00:01 GMT'
const before = 'Wed, 31 Dec 2025 23:59:59 GMT'
const dated = '?last_modified=2026-01-01T00:00:00Z'

/** RFC 9110 §13.2.2 */
const preconditions: [query: string, request: InjectOptions, status: number][] = [
  ['?etag=v1', { headers: { 'if-none-match': '"v1"' } }, 304],
  ['?etag=v1', { headers: { 'if-none-match': 'W/"v1"' } }, 304],
  ['?etag=W/v1', { headers: { 'if-none-match': '"v0", "v1"' } }, 304],
  ['?etag=v1', { headers: { 'if-none-match': '*' } }, 304],
  ['?etag=v1', { headers: { 'if-none-match': 'v1' } }, 200],
  ['', { headers: { 'if-none-match': '"v1"' } }, 200],
  ['', { headers: { 'if-none-match': '*' } }, 304],
  ['?etag=v1', { method: 'HEAD', headers: { 'if-none-match': '"v1"' } }, 304],
  ['?etag=v1', { method: 'POST', headers: { 'if-none-match': '"v1"' } }, 412],
  ['?etag=v1', { method: 'POST', headers: { 'if-none-match': '"v2"' } }, 200],
  ['?etag=v1', { headers: { 'if-match': '"v1"' } }, 200],
  ['?etag=v1', { headers: { 'if-match': '"v2"' } }, 412],
  ['?etag=W/v1', { headers: { 'if-match': 'W/"v1"' } }, 412],
  ['', { headers: { 'if-match': '"v1"' } }, 412],
  ['', { headers: { 'if-match': '*' } }, 200],
  [dated, { headers: { 'if-modified-since': modified } }, 304],
  [dated, { headers: { 'if-modified-since': later } }, 304],
  [dated, { headers: { 'if-modified-since': before } }, 200],
  [dated, { headers: { 'if-modified-since': 'yesterday' } }, 200],
  [dated, { method: 'POST', headers: { 'if-modified-since': modified } }, 200],
  ['', { headers: { 'if-modified-since': modified } }, 200],
  [dated, { headers: { 'if-unmodified-since': before } }, 412],
  [dated, { headers: { 'if-unmodified-since': modified } }, 200],
  ['', { headers: { 'if-unmodified-since': before } }, 200],
  // RFC 9110 §13.1.3: If-Modified-Since is ignored with If-None-Match.
  [`${dated}&etag=v1`, { headers: { 'if-none-match': '"v2"', 'if-modified-since': later } }, 200],
]

for (const [index, [query, request, status]] of preconditions.entries()) {
  const fields = JSON.stringify(request.headers)
  test(`${request.method ?? 'GET'} ${query} with ${fields} gets ${String(status)}`, async () => {
    const app = sharedApp()
    const own = `${url}${String(index)}`
    const response = await app.inject({ ...request, url: own + query })
    assert.equal(response.statusCode, status)
    if (status === 304) assert.equal(response.headers['content-type'], undefined)
    const { made, validated } = (await app.inject(`${own}/state`)).json<Json>()
    assert.deepEqual([made, validated], [Number(status === 200), Number(status === 304)])
  })
}

test('with vary, each variant has its own counts and tag', async (t) => {
  const app = await testApp(t)
  const send = (language: string, headers = {}) =>
    app.inject({
      url: `${url}?etag=v1&vary=Accept-Language`,
      headers: { 'accept-language': language, ...headers },
    })
  const first = await send('de')
  const toVariant = (number: number, made: number, language: string) => ({
    variant: { number, made, validated: 0, headers: { 'accept-language': language } },
  })
  assert.deepEqual(first.json(), { key: 'a', made: 1, validated: 0, ...toVariant(1, 1, 'de') })
  const second = await send('en')
  assert.deepEqual(second.json(), { key: 'a', made: 2, validated: 0, ...toVariant(2, 1, 'en') })
  assert.notEqual(first.headers.etag, second.headers.etag)
  assert.equal((await send('en', { 'if-none-match': first.headers.etag })).statusCode, 200)
  assert.equal((await send('de', { 'if-none-match': first.headers.etag })).statusCode, 304)
  const { variants } = (await app.inject(`${url}/state`)).json<Json>()
  assert.deepEqual(variants, [
    { number: 1, made: 1, validated: 1 },
    { number: 2, made: 2, validated: 0 },
  ])
})

test('with vary, more than 100 variants are counted together', async (t) => {
  const app = await testApp(t)
  const send = (agent: number) =>
    app.inject({
      url: `${url}?vary=User-Agent`,
      headers: { 'user-agent': `${String(agent)} ${'x'.repeat(1000)}` },
    })
  for (let agent = 1; agent <= 120; agent += 1) await send(agent)
  const { variant } = (await send(121)).json<{ variant: Json }>()
  assert.deepEqual([variant.number, variant.made], [101, 21])
  assert.equal((await send(1)).json<{ variant: Json }>().variant.made, 2)
  const { body } = await app.inject(`${url}/state`)
  assert.ok(body.length < 6000)
})

test('neither the body nor the state shows a session, and the state shows no credentials', async () => {
  const app = sharedApp()
  const headers = { cookie: 'session=secret; a=1', authorization: 'Basic c2VjcmV0' }
  const query = '?vary=Cookie,Authorization&etag=v1'
  const { variant } = (await app.inject({ url: url + query, headers })).json<{ variant: Json }>()
  assert.deepEqual(variant.headers, { cookie: 'a=1', authorization: 'Basic c2VjcmV0' })
  const { body } = await app.inject(`${url}/state`)
  assert.doesNotMatch(body, /secret|c2Vj|a=1/)
})

const invalid: [query: string, message: RegExp][] = [
  ['?etag="v1', /^etag must have the form v1\./],
  ['?etag=', /^etag /],
  ['?etag=a b', /^etag /],
  ['?etag=é', /^etag /],
  ['?last_modified=today', /^last_modified must be a time like /],
  ['?last_modified=2026-02-31T00:00:00Z', /^last_modified /],
  ['?max_age=-1', /^max_age must be at least 0\./],
  ['?max_age=soon&age=soon', /^max_age must be a whole number; age must be a whole number\./],
  ['?vary=a b', /^vary must have the form Accept-Language\./],
  ['?vary=*,a', /^vary /],
  ['?cache_control=a%0d%0ab: c', /^cache_control must have the form /],
  ['?ettag=1', /^ettag is not allowed: use etag\./],
]

for (const [index, [query, message]] of invalid.entries()) {
  test(`${query} gets 400, and is not counted`, async () => {
    const app = sharedApp()
    const own = `${url}${String(index)}-`
    const { statusCode, body } = await app.inject(encodeURI(own + query).replaceAll('%25', '%'))
    assert.equal(statusCode, 400)
    assert.match(body, message)
    assert.equal((await app.inject(`${own}/state`)).json<Json>().made, 0)
  })
}
