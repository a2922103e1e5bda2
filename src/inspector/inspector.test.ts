import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formType } from '../../test/support/resources.ts'
import { catalogueApp, useApp } from '../../test/support/test-app.ts'
import { findInvalid } from '../../test/support/valid-html.ts'

const sharedApp = useApp({}, catalogueApp)

const requests: readonly [url: string, headers: Record<string, string>, isRecorded: boolean][] = [
  ['/people', { accept: 'text/html' }, true],
  ['/people', { accept: 'application/json', referer: 'http://localhost/' }, true],
  ['/people', { accept: 'application/json', 'sec-fetch-site': 'same-origin' }, true],
  ['/people', { accept: 'application/json', origin: 'null' }, true],
  ['/nowhere', { accept: 'text/html' }, true],
  ['/people', { accept: '*/*' }, false],
  ['/people', { accept: 'application/json' }, false],
  ['/people', {}, false],
  ['/problems', { accept: 'text/html' }, false],
  ['/inspector/other', { accept: 'text/html' }, false],
]

for (const [url, headers, isRecorded] of requests) {
  const outcome = isRecorded ? 'has the id of its recorded exchange' : 'has no exchange id'
  test(`the response to ${url} with ${JSON.stringify(headers)} ${outcome}`, async () => {
    const app = sharedApp()
    const timing = (await app.inject({ url, headers })).headers['server-timing']
    assert.equal(timing !== undefined, isRecorded)
    if (!isRecorded) return
    const [, id = ''] = /^exchange;desc="(.*)"$/.exec(String(timing)) ?? []
    const accept = 'application/json'
    const exchange = await app.inject({ url: `/inspector/${id}`, headers: { accept } })
    assert.equal(exchange.statusCode, 200)
    assert.equal(exchange.json<{ target: string }>().target, url)
  })
}

const requestId = '0b6a4c1e-7d1f-4a55-9c3e-2f1d8e7a6b90'
const json = { accept: 'application/json' }

test('a request id finds every recorded exchange that has it, oldest first', async (t) => {
  const app = await catalogueApp(t)
  const headers = { accept: 'text/html', 'x-request-id': requestId }
  await app.inject({ url: '/session', headers })
  await app.inject({ url: '/login', headers })
  await app.inject({ url: '/people', headers: { ...headers, 'x-request-id': 'other' } })
  const url = `/inspector?request_id=${requestId}`
  const response = await app.inject({ url, headers: { ...json, referer: 'http://localhost/' } })
  const { exchanges } = response.json<{ exchanges: { id: string; target: string }[] }>()
  assert.deepEqual(
    exchanges.map(({ target }) => target),
    ['/session', '/login'],
  )
  for (const exchange of exchanges) {
    const one = await app.inject({ url: `/inspector/${exchange.id}`, headers: json })
    assert.deepEqual(one.json(), exchange)
  }
  assert.equal(response.headers['cache-control'], 'no-store')
  assert.match(String(response.headers.vary), /\bAccept\b(?!-)/)
  // The lookup itself is not recorded.
  assert.equal(response.headers['server-timing'], undefined)
})

test('the page of a request id shows its exchanges, with commands that have no id', async (t) => {
  const app = await catalogueApp(t)
  const headers = { accept: 'text/html', 'x-request-id': requestId }
  for (const url of ['/status/302', '/status/200']) await app.inject({ url, headers })
  const url = `/inspector?request_id=${requestId}`
  const { body } = await app.inject({ url, headers: { accept: 'text/html' } })
  const targets = [...body.matchAll(/<p class="line">.*?<code>(.*?)<\/code>/g)].map(([, to]) => to)
  assert.deepEqual(targets, ['/status/302', '/status/200'])
  assert.equal(body.match(new RegExp(`x-request-id</span>: ${requestId}`, 'g'))?.length, 2)
  assert.deepEqual(await findInvalid(body, url), [])
})

test('the page of an older exchange has the diagram of its chain', async (t) => {
  const app = await catalogueApp(t, { settings: { INSPECTOR: 'all' } })
  const first = await app.inject({ url: '/status/302', headers: { accept: 'text/html' } })
  const [, id = ''] = /desc="([^"]+)"/.exec(String(first.headers['server-timing'])) ?? []
  await app.inject('/status/200')
  for (let count = 0; count < 210; count += 1) await app.inject('/health')
  const { body } = await app.inject({ url: `/inspector/${id}`, headers: { accept: 'text/html' } })
  assert.deepEqual(
    [...body.matchAll(/<code>(\/status\/\d+)<\/code> <svg/g)].map(([, target]) => target),
    ['/status/302', '/status/200'],
  )
})

test('a request id finds the latest 21 exchanges', async (t) => {
  const app = await catalogueApp(t)
  const headers = { accept: 'text/html', 'x-request-id': requestId }
  for (let index = 0; index < 30; index += 1) {
    await app.inject({ url: `/health?${String(index)}`, headers })
  }
  const response = await app.inject({ url: `/inspector?request_id=${requestId}`, headers: json })
  const { exchanges } = response.json<{ exchanges: { target: string }[] }>()
  const targets = exchanges.map(({ target }) => target)
  assert.deepEqual([targets.length, targets.at(0), targets.at(-1)], [21, '/health?9', '/health?29'])
})

const header = { 'x-request-id': requestId }
for (const [what, field, given, count] of [
  ['a random id', requestId, {}, 1],
  ['a random id in place of X-Request-Id', requestId, { 'x-request-id': 'proxy.123' }, 1],
  ['an id that is not random', 'proxy.123', header, 1],
  ['two ids', `${requestId}&_request_id=${requestId}`, {}, 0],
] as const) {
  test(`the exchange of a form with ${what} is found ${String(count)} times`, async (t) => {
    const app = await catalogueApp(t)
    const headers = { accept: 'text/html', 'content-type': formType, ...given }
    const payload = `name=Rome&_request_id=${field}`
    const sent = await app.inject({ method: 'POST', url: '/places', headers, payload })
    assert.equal(sent.statusCode, 201)
    const url = `/inspector?request_id=${requestId}`
    const { exchanges } = (await app.inject({ url, headers: json })).json<{
      exchanges: unknown[]
    }>()
    assert.equal(exchanges.length, count)
  })
}

test('a request id that no exchange has finds none', async (t) => {
  const app = await catalogueApp(t)
  const response = await app.inject({ url: `/inspector?request_id=${requestId}`, headers: json })
  assert.deepEqual(response.json(), { exchanges: [] })
})

for (const query of [
  '?request_id=',
  '?request_id=1',
  '?request_id=proxy.123',
  '?request_id=0193a1c2-7d1f-7a55-9c3e-2f1d8e7a6b90',
  `?request_id=${requestId}0`,
  `?request_id=${requestId}%0a`,
  `?request_id=${requestId}&request_id=${requestId}`,
  `?request_id[a]=${requestId}`,
  '?status=abc',
  '?status=600',
]) {
  test(`exchanges are not listed by ${query}`, async () => {
    const app = sharedApp()
    const response = await app.inject({ url: `/inspector${query}`, headers: json })
    assert.equal(response.statusCode, 400)
  })
}

test('the exchanges of a request id have no secrets', async (t) => {
  const app = await catalogueApp(t)
  const headers = { accept: 'text/html', 'x-request-id': requestId, cookie: 'a=c0ffee' }
  await app.inject({ url: '/people?token=c0ffee', headers })
  const { body } = await app.inject({ url: `/inspector?request_id=${requestId}`, headers: json })
  assert.match(body, /people\?token=/)
  assert.doesNotMatch(body, /c0ffee/)
})

test('after more bodies than fit into the memory for those that arrive, the next one is recorded', async (t) => {
  // The smallest, of which a quarter is for requests that are not over.
  const settings = { INSPECTOR: 'all', INSPECTOR_MAX_BYTES: String(4 * 1024 ** 2) }
  const app = await catalogueApp(t, { settings })
  const text = 'a'.repeat(65_536)
  const headers = { 'content-type': 'text/plain', 'x-request-id': requestId }
  for (let count = 0; count < 40; count += 1)
    await app.inject({ method: 'POST', url: '/users/post', headers, payload: text })
  const response = await app.inject({ url: `/inspector?request_id=${requestId}`, headers: json })
  const { exchanges } = response.json<{ exchanges: { requestBody?: { text?: string } }[] }>()
  assert.equal(exchanges.at(-1)?.requestBody?.text, text)
})
