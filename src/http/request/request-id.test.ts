import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testApp, type TestApp } from '../../../test/support/test-app.ts'

const proxy = '10.0.0.1'
const behindProxy = {
  settings: { TRUSTED_PROXIES: proxy, ALLOWED_HOSTS: '*', INSPECTOR: 'all' },
}

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

async function sendWith(app: TestApp, id: string | undefined, url = '/health') {
  const headers = {
    accept: 'application/json',
    referer: 'http://localhost/',
    ...(id !== undefined && { 'x-request-id': id }),
  }
  const response = await app.inject({ url, headers, remoteAddress: proxy })
  const { 'x-request-id': given, 'server-timing': timing } = response.headers
  const exchangeId =
    /^exchange;desc="(.*)"$/.exec(String(timing))?.[1] ?? assert.fail(String(timing))
  return { response, given, exchangeId }
}

test('a valid request id of a trusted proxy is used for the response and its log line', async (t) => {
  const app = await testApp(t, behindProxy)
  const ids = [
    'a',
    'x'.repeat(128),
    '6d3f0c5e-8a0f-4c6b-9d37-2f6a1c1f7b1e',
    '7c4a8d09ca3762af61e59520943dc26494f8941b',
    'Root=1-67891233-abcdef012345678912345678',
    'Self=1-67891234-12;Root=1-67891233-ab',
    'host/Ab+c==',
    'req_1.2:3@4',
    '-',
    '__proto__',
  ]
  for (const id of ids) {
    await t.test(id, async () => {
      const { given } = await sendWith(app, id)
      assert.equal(given, id)
      assert.equal((JSON.parse(app.logLines.at(-1) ?? '') as { reqId: string }).reqId, id)
    })
  }
})

test('a client cannot choose its request id', async (t) => {
  const headers = { 'x-request-id': 'victim-1' }
  for (const options of [behindProxy, {}]) {
    const app = await testApp(t, options)
    const response = await app.inject({ url: '/health', headers, remoteAddress: '192.0.2.1' })
    assert.match(String(response.headers['x-request-id']), uuid)
    assert.ok(!app.logLines.join('').includes('victim-1'))
  }
})

test('an invalid request id is replaced by a generated one', async (t) => {
  const app = await testApp(t, behindProxy)
  const ids = [
    undefined,
    '',
    ' ',
    'x'.repeat(129),
    'two words',
    'a,b',
    '"a"',
    "a'b",
    'a\\b',
    '<b>',
    '%0d%0a',
    'a\tb',
    'é',
    '{"a":1}',
    '\u001b[31m',
  ]
  for (const id of ids) {
    await t.test(String(id), async () => {
      const { given, exchangeId } = await sendWith(app, id)
      assert.match(String(given), uuid)
      assert.equal(exchangeId, given)
      assert.equal((JSON.parse(app.logLines.at(-1) ?? '') as { reqId: string }).reqId, given)
    })
  }
})

test('two request ids are ignored', async (t) => {
  const app = await testApp(t, behindProxy)
  const headers = { 'x-request-id': ['a', 'b'] }
  const response = await app.inject({ url: '/health', headers, remoteAddress: proxy })
  assert.match(String(response.headers['x-request-id']), uuid)
})

test('an exchange cannot be read under an id that its client chose', async (t) => {
  const app = await testApp(t, behindProxy)
  const chosen = '6d3f0c5e-8a0f-4c6b-9d37-2f6a1c1f7b1e'
  const first = await sendWith(app, chosen, '/mirror/query?a=mine')
  const second = await sendWith(app, chosen, '/mirror/query?a=yours')
  assert.equal((await app.inject(`/inspector/${chosen}`)).statusCode, 404)
  assert.match(first.exchangeId, uuid)
  assert.notEqual(first.exchangeId, second.exchangeId)
  for (const [id, url] of [
    [first.exchangeId, '/mirror/query?a=mine'],
    [second.exchangeId, '/mirror/query?a=yours'],
  ] as const) {
    await t.test(`${id} ${url}`, async () => {
      const shown = await app.inject({
        url: `/inspector/${id}`,
        headers: { accept: 'application/json' },
      })
      assert.equal(shown.json<{ target: string }>().target, url)
      assert.equal(shown.json<{ id: string }>().id, id)
    })
  }
})

test('the instance of a problem is a URI, whatever the request id', async (t) => {
  const app = await testApp(t, behindProxy)
  const rows = [
    ['6d3f0c5e-8a0f-4c6b-9d37-2f6a1c1f7b1e', 'urn:uuid:6d3f0c5e-8a0f-4c6b-9d37-2f6a1c1f7b1e'],
    ['abc', 'data:,abc'],
    ['Root=1-67;a/b+c', 'data:,Root%3D1-67%3Ba%2Fb%2Bc'],
    ['not usable', undefined],
  ] as const
  for (const [id, expected] of rows) {
    await t.test(id, async () => {
      const { response, given } = await sendWith(app, id, '/nowhere')
      const { instance } = response.json<{ instance: string }>()
      assert.equal(instance, expected ?? `urn:uuid:${String(given)}`)
      assert.ok(URL.canParse(instance))
    })
  }
})
