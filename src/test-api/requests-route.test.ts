import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataApp } from '../../test/support/data-app.ts'
import type { OpeningTest, TestApp } from '../../test/support/test-app.ts'

const url = '/_vitrine/requests'
const posts = [{ id: 1 }]
const $responses = {
  'POST /orders': [
    { when: { 'json.quantity:gt': 10 }, status: 422 },
    { when: { 'header.authorization': 'Bearer right' }, status: 201 },
  ],
  'GET /ping': {},
}
const open = (t: OpeningTest, more = {}) =>
  dataApp(t, { posts, $responses }, { settings: { TEST_API: 'on', INSPECTOR: 'all', ...more } })

interface Received {
  method: string
  target: string
  path: string
  status: number
  requestFields: [string, string][]
  requestBody?: { text: string }
  stub?: string
  alternative?: number
  nearest?: unknown
}
const list = async (app: TestApp, query = '', headers = {}) =>
  (await app.inject({ url: `${url}?${query}`, headers })).json<Received[]>()

const order = (app: TestApp, quantity: number, headers = {}) =>
  app.inject({ method: 'POST', url: '/orders?token=t0p', payload: { quantity }, headers })

test('received requests have their stub, or why none responded, and are not masked', async (t) => {
  const app = await open(t)
  await order(app, 11)
  const cookie = 'session=0123456789abcdef; own=1'
  await order(app, 3, { authorization: 'Bearer wrong', cookie, 'x-inspector': 'k'.repeat(16) })
  await app.inject('/posts')
  const all = await list(app)
  assert.deepEqual(
    all.map(({ method, path, status, stub, alternative }) => [
      method,
      path,
      status,
      stub,
      alternative,
    ]),
    [
      ['POST', '/orders?token=t0p', 422, 'POST /orders', 1],
      ['POST', '/orders?token=t0p', 404, undefined, undefined],
      ['GET', '/posts', 200, undefined, undefined],
    ],
  )
  const [first, second] = all
  assert.equal(first?.requestBody?.text, '{"quantity":11}')
  assert.deepEqual(second?.nearest, {
    stub: 'POST /orders',
    differences: [{ name: 'json.quantity:gt', expected: 10, actual: 3 }],
  })
  const fields = Object.fromEntries(second.requestFields)
  assert.deepEqual([fields.authorization, fields.cookie], ['Bearer wrong', 'own=1'])
  assert.equal(fields['x-inspector'], undefined)
})

test('filters are those of the inspector, with stub and unmatched', async (t) => {
  const app = await open(t)
  await order(app, 11)
  await order(app, 3)
  await app.inject('/ping')
  const count = async (query: string) => {
    const response = await app.inject(`${url}?${query}`)
    assert.equal(Number(response.headers['x-total-count']), response.json<[]>().length)
    return response.json<[]>().length
  }
  assert.equal(await count('stub=POST%20/orders'), 1)
  assert.equal(await count('unmatched=true'), 1)
  assert.equal(await count('method=post&status=4xx'), 2)
  assert.equal(await count('path=/ping&alternative=1'), 1)
  const page = await app.inject(`${url}?per_page=1&page=2`)
  assert.equal(page.headers['x-total-count'], '3')
  assert.equal(page.json<Received[]>()[0]?.status, 404)
})

for (const query of ['methd=POST', 'unmatched=maybe', 'wait=61', 'count=0', 'page=0'])
  test(`${query} gets 400`, async (t) => {
    assert.equal((await (await open(t)).inject(`${url}?${query}`)).statusCode, 400)
  })

test('it waits until so many match, or until the time is over', async (t) => {
  const app = await open(t)
  const found = list(app, 'path=/ping&count=2&wait=60')
  for (let sent = 0; sent < 2; sent += 1) await app.inject('/ping')
  assert.equal((await found).length, 2)
  assert.deepEqual(await list(app, 'path=/other&wait=1'), [])
})

test('hundreds of clients wait, and other requests are handled meanwhile', async (t) => {
  const app = await open(t)
  const waiting = Array.from({ length: 300 }, () => list(app, 'path=/ping&count=20&wait=60'))
  for (let sent = 0; sent < 20; sent += 1) assert.equal((await app.inject('/ping')).statusCode, 200)
  for (const found of await Promise.all(waiting)) assert.equal(found.length, 20)
})

test('each sandbox has its own requests, and the key is hidden', async (t) => {
  const app = await open(t)
  const headers = { 'x-sandbox': 'a-key-of-a-sandbox' }
  await app.inject('/s/a-key-of-a-sandbox/ping')
  assert.deepEqual(await list(app), [])
  const [own] = await list(app, '', headers)
  assert.deepEqual([own?.target, own?.path], ['/s/******/ping', '/ping'])
})

test('the inspector has the stub and the alternative, and not the values of the request', async (t) => {
  const app = await open(t)
  await order(app, 5, { authorization: 'Bearer wrong' })
  await order(app, 5, { authorization: 'Bearer right' })
  const read = async (path: string) =>
    (await app.inject({ url: path, headers: { accept: 'application/json' } })).body
  const { exchanges } = JSON.parse(await read('/inspector?stub=POST%20/orders')) as {
    exchanges: { id: string; alternative: number }[]
  }
  assert.deepEqual(
    exchanges.map(({ alternative }) => alternative),
    [2],
  )
  const id = exchanges[0]?.id ?? ''
  assert.match(await read(`/inspector/${id}`), /"stub":"POST \/orders","alternative":2/)
  const accept = 'text/html'
  const page = (await app.inject({ url: `/inspector/${id}`, headers: { accept } })).body
  assert.match(page, /<dt>Stub<\/dt><dd><code>POST \/orders<\/code>, alternative 2/)
  const missed = JSON.parse(await read('/inspector?status=404')) as { exchanges: { id: string }[] }
  assert.doesNotMatch(await read(`/inspector/${missed.exchanges[0]?.id ?? ''}`), /Bearer wrong/)
})

test('with INSPECTOR=off it gets 409, and without the test API 404', async (t) => {
  const off = await (await open(t, { INSPECTOR: 'off' })).inject(url)
  assert.deepEqual([off.statusCode, off.json<{ status: number }>().status], [409, 409])
  assert.equal((await (await open(t, { TEST_API: 'off' })).inject(url)).statusCode, 404)
})
