import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asForm } from '../../../test/support/resources.ts'
import {
  findExchange,
  findExchanges,
  startRecording,
  type Headers,
} from '../../../test/support/recorded.ts'
import { catalogueApp, useApp } from '../../../test/support/test-app.ts'

const sharedApp = useApp({}, catalogueApp)

test('a condition was compared with the ETag of the response, also if it is compressed', async () => {
  const { app, id } = await startRecording(sharedApp())
  const url = '/assets/base.css'
  for (const [tag, status] of [
    ['"other"', 200],
    ['', 304],
  ] as const) {
    const headers = { 'accept-encoding': 'gzip', 'x-request-id': id, 'if-modified-since': 'now' }
    const { etag = '' } = (await app.inject({ url, headers })).headers
    assert.match(etag, /\+gzip"$/)
    const sent = { ...headers, 'if-none-match': tag || etag }
    assert.equal((await app.inject({ url, headers: sent })).statusCode, status)
    const found = (await findExchanges(app, id)).at(-1)
    assert.deepEqual(found?.preconditions?.etags, [etag])
    const { body } = await app.inject(`/inspector/${found.id}`)
    const shown = etag.replaceAll('"', '&quot;')
    assert.ok(body.includes(`was compared with <code>${shown}</code>: `))
  }
})

for (const [tag, lacksQuotes] of [
  ['abc', true],
  ['"abc"', false],
  ['W/"abc"', false],
  ['*', false],
] as const) {
  test(`the entity tag ${tag} ${lacksQuotes ? 'is said to lack' : 'lacks no'} quotation marks`, async () => {
    const { app, id } = await startRecording(sharedApp())
    await app.inject({ url: '/places', headers: { 'if-none-match': tag, 'x-request-id': id } })
    const { body } = await app.inject(`/inspector/${(await findExchange(app, id)).id}`)
    assert.match(body, /was compared with/)
    assert.equal(body.includes('An entity tag has quotation marks'), lacksQuotes)
  })
}

for (const [tag, isWeak] of [
  ['W/"abc"', true],
  ['"abc"', false],
] as const) {
  test(`If-Match: ${tag} ${isWeak ? 'is' : 'is not'} said to be weak`, async () => {
    const { app, id } = await startRecording(sharedApp())
    await app.inject({ url: '/places', headers: { 'if-match': tag, 'x-request-id': id } })
    const { body } = await app.inject(`/inspector/${(await findExchange(app, id)).id}`)
    assert.equal(body.includes('If-Match never matches a weak entity tag'), isWeak)
  })
}

test('a condition in a field of a form was compared with the ETag', async () => {
  const { app, id } = await startRecording(sharedApp())
  await app.inject({ method: 'PUT', url: '/places/x', payload: { name: 'Rome' } })
  const { headers, payload } = asForm({ _method: 'PATCH', _if_match: '"old"', name: 'Roma' })
  const sent = { ...headers, 'x-request-id': id }
  const { statusCode } = await app.inject({
    method: 'POST',
    url: '/places/x',
    headers: sent,
    payload,
  })
  assert.equal(statusCode, 412)
  const { body } = await app.inject(`/inspector/${(await findExchange(app, id)).id}`)
  assert.match(body, /The field <code>_if_match<\/code> was compared with <code>W/)
})

test('a 406 shows the representations of the resource', async () => {
  const { app, id } = await startRecording(sharedApp())
  const headers = { accept: 'image/png', 'x-request-id': id }
  assert.equal((await app.inject({ url: '/places', headers })).statusCode, 406)
  const { negotiation, id: own } = await findExchange(app, id)
  assert.equal(negotiation?.chosen, undefined)
  const offers = 'text/html, application/json, text/plain, text/csv, application/x-ndjson'
  assert.equal(negotiation?.offers.join(', '), offers)
  const { body } = await app.inject(`/inspector/${own}`)
  assert.ok(body.includes(`None is acceptable. Available: ${offers}.`))
})

for (const [url, accept, sent, others] of [
  ['/places/none', 'application/json', 'application/problem+json', 'text/plain, text/html'],
  ['/nothing', 'application/problem+json', 'application/problem+json', 'text/plain, text/html'],
  ['/places/none', '*/*', 'text/plain', 'text/html, application/problem+json'],
  ['/places/none', 'text/html;q=0.9', 'text/html', 'text/plain, application/problem+json'],
  ['/nothing', 'application/json', 'application/problem+json', 'text/plain, text/html'],
] as const) {
  test(`a 404 of ${url} with ${accept} does not offer what was sent`, async () => {
    const { app, id } = await startRecording(sharedApp())
    const headers = { accept, 'x-request-id': id }
    assert.equal((await app.inject({ url, headers })).statusCode, 404)
    const { body } = await app.inject(`/inspector/${(await findExchange(app, id)).id}`)
    const [, shown = '', also = ''] =
      /Representation<\/dt><dd><code>(.*?)<\/code>.* Also available: (.*)\.<\/dd>/.exec(body) ?? []
    assert.deepEqual([shown, also], [sent, others])
  })
}

const conditions: readonly (readonly [string, string, Headers, string])[] = [
  ['GET', '/places/x', { 'if-none-match': '*' }, 'not modified'],
  ['GET', '/places/x', { 'if-none-match': '"other"' }, 'proceed'],
  ['GET', '/places/x', { 'if-match': '"other"' }, 'failed'],
  ['PATCH', '/places/x', { 'if-match': '*' }, 'proceed'],
  ['DELETE', '/places/x', { 'if-match': '"other"' }, 'failed'],
  ['GET', '/health', { 'if-none-match': '"other"' }, 'proceed'],
]

for (const [method, url, headers, outcome] of conditions) {
  test(`${method} ${url} with ${JSON.stringify(headers)} shows the outcome ${outcome}`, async () => {
    const { app, id } = await startRecording(sharedApp())
    await app.inject({ method: 'PUT', url: '/places/x', payload: { name: 'Rome' } })
    const payload = method === 'PATCH' ? { payload: { name: 'Roma' } } : {}
    const sent = { ...headers, accept: 'application/json', 'x-request-id': id }
    await app.inject({ method: method as 'GET', url, headers: sent, ...payload })
    const { preconditions } = await findExchange(app, id)
    assert.equal(preconditions?.outcome, outcome)
    assert.ok(preconditions.etags.length > 0)
  })
}

test('without conditions there is no outcome', async () => {
  const { app, id } = await startRecording(sharedApp())
  await app.inject({ url: '/health', headers: { 'x-request-id': id } })
  assert.equal((await findExchange(app, id)).preconditions, undefined)
})
