import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { Compile } from 'typebox/schema'
import { exchange, textBody } from '../../test/support/exchanges.ts'
import { sendRaw } from '../../test/support/request-both-ways.ts'
import { catalogueApp, useApp } from '../../test/support/test-app.ts'
import type { Exchange } from './exchange.ts'
import { toHar } from './har.ts'

const sharedApp = useApp({}, catalogueApp)

const load = createRequire(import.meta.url)
const schemas = load('har-schema') as Readonly<Record<string, object>>

/** The schema of HAR with the schemas that it refers to in their places. */
function resolve(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(resolve)
  if (typeof schema !== 'object' || schema === null) return schema
  const { $ref, ...own } = schema as { $ref?: string }
  if ($ref !== undefined) return resolve(schemas[$ref.replace('.json#', '')])
  const members = Object.entries(own).filter(([name]) => name !== '$id' && name !== '$schema')
  return Object.fromEntries(members.map(([name, value]) => [name, resolve(value)]))
}

const har = Compile(resolve(schemas.har) as object)

const binary = { size: 3, isCut: false, hex: '00ff41' }
const cases: Readonly<Record<string, Partial<Exchange>>> = {
  'a GET': {},
  'a query string': { target: '/topic?a=1&a=2&b=%20%C3%A9&c' },
  'a path that is no URI': { target: '//x:y/%zz|[a]{^}\\é#b?c=[d]•' },
  'an absolute target': { method: 'GET', target: 'http://other.example/a?b=c' },
  'an asterisk as the target': { method: 'OPTIONS', target: '*' },
  'a text body': { method: 'POST', requestBody: textBody('a=1'), responseBody: textBody('é') },
  'a binary body': { method: 'POST', requestBody: binary, responseBody: binary },
  'no origin, of an earlier version': { origin: '', target: '/a?b=c' },
  'a redirect': { status: 303, responseFields: [['location', '/people']] },
  'no response': { status: undefined, responseFields: [], times: { end: 3 }, isCutOff: true },
  'unordered times': { times: { body: 4, firstByte: 2, end: 5 } },
}

for (const [name, parts] of Object.entries(cases)) {
  test(`an exchange with ${name} is a valid HAR`, () => {
    const value: unknown = JSON.parse(JSON.stringify(toHar([exchange(parts), exchange()])))
    assert.deepEqual(har.Errors(value)[1], [])
    assert.equal(har.Check({ log: { version: '1.2' } }), false)
  })
}

test('a HAR has what the exchange has', () => {
  const parts = {
    method: 'POST',
    target: '/b?c=d',
    requestBody: textBody('é'),
    responseBody: binary,
  }
  const [entry] = toHar([exchange(parts)]).log.entries
  assert.ok(entry)
  const { request, response, timings, time } = entry
  assert.equal(request.url, 'http://localhost:3000/b?c=d')
  assert.deepEqual(request.queryString, [{ name: 'c', value: 'd' }])
  assert.deepEqual(request.postData, { mimeType: 'x-unknown', text: 'é' })
  assert.equal(request.bodySize, 2)
  const [cut] = toHar([exchange({ requestBody: { ...textBody('é'), isCut: true } })]).log.entries
  assert.match(JSON.stringify(cut?.request), /"comment":"Only the start/)
  const content = { size: 3, mimeType: 'application/json', text: 'AP9B', encoding: 'base64' }
  assert.deepEqual(response.content, content)
  assert.equal(response._error, undefined)
  const [lost] = toHar([exchange({ isCutOff: true })]).log.entries
  assert.equal(lost?.response._error, 'cut off')
  assert.deepEqual([timings.send, timings.wait, timings.receive, time], [1, 3, 1, 5])
})

const withoutHost = [
  'GET /?a=b HTTP/1.0\r\n\r\n',
  'GET /?a=b HTTP/1.1\r\nConnection: close\r\n\r\n',
  ...['a/b', '[', 'a:99999999'].map(
    (host) => `GET /?a=b HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
  ),
  'GET http://[:::]/?a=b HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
]

for (const message of withoutHost) {
  test(`a HAR can have ${JSON.stringify(message)}`, async () => {
    const app = sharedApp()
    await sendRaw(app, message)
    const response = await app.inject('/inspector.har')
    assert.equal(response.statusCode, 200)
    const [{ request } = assert.fail()] = response.json<ReturnType<typeof toHar>>().log.entries
    assert.match(request.url, /^http:\/\/localhost(:\d+)?\//)
    assert.deepEqual(request.queryString, [{ name: 'a', value: 'b' }])
    assert.deepEqual(har.Errors(response.json())[1], [])
  })
}

test('an archive has up to 1,000 exchanges, the oldest first', async (t) => {
  const app = await catalogueApp(t, { settings: { INSPECTOR: 'all' } })
  for (let at = 0; at < 205; at += 1) await app.inject(`/mirror/query?a=${String(at)}`)
  await app.inject('/nowhere')
  const { log } = (await app.inject('/inspector.har?path=mirror')).json<{
    log: { entries: { request: { queryString: { value: string }[] } }[] }
  }>()
  assert.deepEqual(
    log.entries.map(({ request }) => Number(request.queryString[0]?.value)),
    Array.from({ length: 205 }, (_, at) => at),
  )
})

test('archives of one client take turns, and one that is not read does not hold up another', async (t) => {
  const app = await catalogueApp(t, { settings: { INSPECTOR: 'all' } })
  const origin = await app.listen({ port: 0 })
  const payload = 'x'.repeat(60_000)
  for (let count = 0; count < 100; count += 1)
    await app.inject({ method: 'POST', url: '/responses/echo', payload })
  const unread = Array.from({ length: 3 }, () => fetch(`${origin}/inspector.har`))
  const archives = await Promise.all(
    Array.from({ length: 3 }, async () => (await fetch(`${origin}/inspector.har`)).text()),
  )
  for (const archive of archives) assert.equal(archive.match(/"startedDateTime"/g)?.length, 100)
  for (const response of unread) await (await response).body?.cancel()
  const { body } = await app.inject('/inspector.har')
  assert.equal(body.match(/"startedDateTime"/g)?.length, 100)
})
