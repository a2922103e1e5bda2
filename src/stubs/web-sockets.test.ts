import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test, type TestContext } from 'node:test'
import { WebSocket } from 'ws'
import { dataApp } from '../../test/support/data-app.ts'

type Steps = readonly object[]

async function open(t: TestContext, responses: object, settings: Record<string, string> = {}) {
  const posts = [{ id: 1, title: 'Hello' }]
  const app = await dataApp(t, { posts, $responses: responses }, { settings })
  return { app, origin: await app.listen({ host: '127.0.0.1', port: 0 }) }
}

/** What a client gets that sends these messages, each after one that it has received. */
async function talk(url: string, sent: readonly string[] = [], options: object = {}) {
  const socket = new WebSocket(url.replace('http:', 'ws:'), options)
  const received: string[] = []
  const left = [...sent]
  socket.on('message', (message: Buffer) => {
    received.push(message.toString())
    const next = left.shift()
    if (next !== undefined) socket.send(next)
  })
  const { promise, resolve } = Promise.withResolvers<unknown[]>()
  socket.on('error', () => undefined)
  socket.on('unexpected-response', (_request, { statusCode }) => {
    resolve([statusCode])
  })
  socket.on('close', (code, reason) => {
    resolve([received, code, reason.toString()])
  })
  return promise
}

const subscribe = { expect: { 'json.type': 'subscribe' } }
const end = { close: 1000 }

const scripts: Record<string, [steps: Steps, sent: string[], ending: unknown[]]> = {
  'values of the request': [
    [{ send: 'hi {{ query.name }}' }, { close: 4001, reason: 'enough {{ path.id }}' }],
    [],
    [['hi Ann'], 4001, 'enough 7'],
  ],
  'JSON, whose members keep their type': [
    [{ send: 'a' }, subscribe, { send: { id: '{{ json.id }}', from: '{{ query.name }}' } }, end],
    ['{"type":"subscribe","id":7}'],
    [['a', '{"id":7,"from":"Ann"}'], 1000, ''],
  ],
  'a message as text, which is no template': [
    [{ send: 'a' }, { expect: {} }, { send: '{{ body }}' }, end],
    ['{{ query.name }}'],
    [['a', '{{ query.name }}'], 1000, ''],
  ],
  'an expected text': [
    [{ send: 'a' }, { expect: 'bye {{ query.name }}' }, end],
    ['bye Ann'],
    [['a'], 1000, ''],
  ],
  'another message than that expected': [
    [{ send: 'a' }, subscribe, end],
    ['{"type":"other"}'],
    [['a'], 1008, 'Expected: json.type is "subscribe" (the request has "other")'],
  ],
  'a pause, and no Close frame': [
    [{ send: 'a' }, { wait: 0.01 }, { send: 'b' }, { drop: true }],
    [],
    [['a', 'b'], 1006, ''],
  ],
  'a template that takes too long': [
    [{ send: '{% for a in (1..99999999) %}{% for b in (1..99999999) %}a{% endfor %}{% endfor %}' }],
    [],
    [
      [],
      1011,
      'The stub GET /ws/:id could not be rendered: memory alloc limit exceeded, line:1, col:1.',
    ],
  ],
  'the end of the time': [
    [{ send: 'a' }],
    [],
    [['a'], 1001, 'The connection has reached its maximum duration.'],
  ],
}
for (const [what, [websocket, sent, ending]] of Object.entries(scripts)) {
  test(`a WebSocket of a stub has ${what}`, async (t) => {
    const settings = { MAX_DURATION_SECONDS: '0.3' }
    const { origin } = await open(t, { 'GET /ws/:id': { websocket } }, settings)
    assert.deepEqual(await talk(`${origin}/ws/7?name=Ann`, sent), ending)
  })
}

test('messages are kept until a step expects them, and their bytes are limited', async (t) => {
  const websocket = [{ wait: 0.1 }, { expect: 'one' }, { expect: 'two' }, end]
  const many = [{ wait: 0.2 }, ...Array<object>(50).fill({ expect: {} }), end]
  const settings = { MAX_BODY_BYTES: '1000' }
  const { origin } = await open(
    t,
    { 'GET /x': { websocket }, 'GET /y': { websocket: many } },
    settings,
  )
  const send = async (path: string, messages: string[]) => {
    const socket = new WebSocket(`${origin.replace('http:', 'ws:')}${path}`)
    await once(socket, 'open')
    for (const message of messages) socket.send(message)
    return (await once(socket, 'close'))[0] as number
  }
  assert.equal(await send('/x', ['one', 'two', 'three']), 1000)
  assert.equal(await send('/y', Array<string>(50).fill('a'.repeat(900))), 1009)
  assert.equal(await send('/y', ['a'.repeat(1001)]), 1009)
})

test('WebSockets are alternatives and steps of a sequence as others are', async (t) => {
  const { origin, app } = await open(t, {
    'GET /x': [
      { when: { 'header.authorization': 'Bearer a' }, websocket: [{ send: 'a' }, end] },
      { status: 401 },
    ],
    'GET /y': { sequence: [{ status: 503 }, { websocket: [{ send: 'b' }, end] }] },
    'GET /plain': { body: 'plain' },
    'GET /reset': { fault: 'reset-before-head' },
  })
  const headers = { authorization: 'Bearer a' }
  assert.deepEqual(await talk(`${origin}/x`, [], { headers }), [['a'], 1000, ''])
  assert.deepEqual(await talk(`${origin}/x`), [401])
  assert.deepEqual(await talk(`${origin}/y`), [503])
  assert.deepEqual(await talk(`${origin}/y`), [['b'], 1000, ''])
  assert.deepEqual(await talk(`${origin}/plain`), [200])
  assert.deepEqual(await talk(`${origin}/reset`), [[], 1006, ''])
  assert.deepEqual(await talk(`${origin}/posts`), [200])
  assert.deepEqual(await talk(`${origin}/s/abcdefghijklmnop/x`, [], { headers }), [['a'], 1000, ''])
  const listed = await app.inject({ url: '/inspector', headers: { accept: 'application/json' } })
  const { exchanges } = listed.json<{
    exchanges: { target: string; status: number; isCutOff: boolean }[]
  }>()
  const ofSocket = exchanges.find(({ target, status }) => target === '/x' && status !== 401)
  assert.deepEqual([ofSocket?.status, ofSocket?.isCutOff], [101, false])
})

test('a request that is no handshake gets 426, and one of another site or with drop disabled 403', async (t) => {
  const responses = { 'GET /x': { websocket: [end] }, 'GET /d': { websocket: [{ drop: true }] } }
  const settings = { CORS_ORIGINS: 'http://allowed.example', RESPONSE_FAULTS: 'off' }
  const { origin, app } = await open(t, responses, settings)
  const response = await app.inject({ url: '/x', headers: { accept: 'application/json' } })
  assert.equal(response.statusCode, 426)
  assert.equal(response.headers.upgrade, 'websocket')
  assert.match(response.json<{ type: string }>().type, /\/problems\/upgrade-required$/)
  assert.deepEqual(await talk(`${origin}/x`, [], { protocolVersion: 8 }), [426])
  assert.deepEqual(await talk(`${origin}/x`, [], { origin: 'http://other.example' }), [403])
  assert.deepEqual(await talk(`${origin}/x`, [], { origin: 'null' }), [403])
  for (const allowed of ['http://allowed.example', origin])
    assert.deepEqual(await talk(`${origin}/x`, [], { origin: allowed }), [[], 1000, ''])
  assert.deepEqual(await talk(`${origin}/d`), [403])
})

test('the service stops although a WebSocket of a stub waits', async (t) => {
  const websocket = [{ send: 'a' }, { wait: 9 }, { expect: 'b' }]
  const { origin, app } = await open(t, { 'GET /x': { websocket } })
  const socket = new WebSocket(`${origin.replace('http:', 'ws:')}/x`)
  await once(socket, 'message')
  const closed = once(socket, 'close')
  await app.close()
  assert.equal((await closed)[0], 1001)
})

const invalid: readonly [given: object, problem: RegExp][] = [
  [{ websocket: [] }, /websocket/],
  [{ websocket: 'hi' }, /websocket must be/],
  [{ websocket: [{}] }, /websocket\/0 must have one of send, wait, expect, close and drop/],
  [{ websocket: [{ send: 'a', wait: 1 }] }, /websocket\/0 must have one of/],
  [{ websocket: [{ sent: 'a' }] }, /websocket\/0\/sent is not allowed: use send/],
  [{ websocket: [{ wait: '1' }] }, /websocket\/0\/wait must be a number/],
  [{ websocket: [{ wait: 6 }, { wait: 6 }] }, /websocket is too long/],
  [{ websocket: [{ send: '{{ a' }] }, /websocket\/0\/send is not a valid template/],
  [{ websocket: [{ expect: { a: 1 } }] }, /websocket\/0\/expect\/a is an unknown name/],
  [{ websocket: [{ expect: 1 }] }, /websocket\/0\/expect must be/],
  [{ websocket: [{ close: 1005 }] }, /websocket\/0\/close must be 1000 to 1014/],
  [{ websocket: [{ close: 4000, reason: 'a'.repeat(124) }] }, /websocket\/0\/reason is longer/],
  [{ websocket: [{ send: 'a', reason: 'b' }] }, /websocket\/0\/reason needs close/],
  [{ websocket: [end, { send: 'a' }] }, /websocket\/0\/close must be the last step/],
  [{ websocket: [{ drop: false }] }, /websocket\/0\/drop/],
  [{ websocket: [end], status: 200 }, /\/status cannot be used with websocket/],
  [{ sequence: [{ websocket: [{}] }] }, /sequence\/0\/websocket\/0 must have one of/],
]
for (const [given, problem] of invalid) {
  test(`${JSON.stringify(given).slice(0, 60)} is not valid`, async (t) => {
    await assert.rejects(open(t, { 'GET /x': given }), problem)
  })
}
