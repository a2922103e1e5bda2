import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { createBin } from '../../test/support/bins.ts'
import { openEvents } from '../../test/support/event-stream.ts'
import { createRecord } from '../../test/support/resources.ts'
import { ann, enter, logIn } from '../../test/support/sign-in.ts'
import { catalogueApp, useApp, type TestApp } from '../../test/support/test-app.ts'
import { words } from '../../test/support/words.ts'
import type { Exchange, Summary } from '../exchanges/exchange.ts'

type Headers = Readonly<Record<string, string>>

const secret = { 'x-inspector': 'a secret of 16 c' }
const other = { 'x-inspector': 'another secret, 2' }
const keyCookie = `inspector=${encodeURIComponent(secret['x-inspector'])}`
const page = { accept: 'text/html' }
const json = { accept: 'application/json' }

async function addOwners(app: TestApp) {
  const ben = { name: 'Ben', password: 'other horse' }
  const { cookie } = await enter(app)
  const { cookie: cookieOfBen } = await enter(app, ben)
  const owners: Readonly<Record<string, Headers>> = {
    none: {},
    'X-Inspector': secret,
    'another X-Inspector': other,
    session: { cookie },
    'another session': { cookie: cookieOfBen },
    'session and X-Inspector': { cookie, ...secret },
    'the cookie': { cookie: keyCookie },
    'the cookie and another X-Inspector': { cookie: keyCookie, ...other },
    'session and the cookie': { cookie: `${cookie}; ${keyCookie}` },
    'session, the cookie and another X-Inspector': { cookie: `${cookie}; ${keyCookie}`, ...other },
  }
  return owners
}

const toShared = (INSPECTOR: string) => {
  const app = useApp({ settings: { INSPECTOR } }, catalogueApp)
  let owners: ReturnType<typeof addOwners> | undefined
  return async () => ({ app: app(), owners: await (owners ??= addOwners(app())) })
}
const shared = { own: toShared('own'), all: toShared('all'), off: toShared('off') }

/** Whether the viewer finds the exchange by its id, and by its request id. */
async function isFound(app: TestApp, requestId: string, id: string, viewer: Headers = {}) {
  const headers = { ...json, ...viewer }
  const one = await app.inject({ url: `/inspector/${id}`, headers })
  const chain = await app.inject({ url: `/inspector?request_id=${requestId}`, headers })
  const count = chain.json<{ exchanges: Exchange[] }>().exchanges.length
  for (const { headers } of [one, chain]) assert.equal(headers['cache-control'], 'no-store')
  assert.equal(one.statusCode === 200, count === 1)
  return count === 1
}

const rows: readonly (readonly [
  mode: keyof typeof shared,
  sender: string,
  viewer: string,
  isFound: boolean,
])[] = [
  ['own', 'X-Inspector', 'X-Inspector', true],
  ['own', 'X-Inspector', 'another X-Inspector', false],
  ['own', 'X-Inspector', 'none', false],
  ['own', 'X-Inspector', 'session', false],
  ['own', 'session', 'session', true],
  ['own', 'session', 'session and X-Inspector', false],
  ['own', 'session', 'another session', false],
  ['own', 'session', 'none', false],
  ['own', 'session and X-Inspector', 'X-Inspector', true],
  ['own', 'session and X-Inspector', 'session', false],
  ['own', 'session and the cookie', 'X-Inspector', true],
  ['own', 'session, the cookie and another X-Inspector', 'another X-Inspector', true],
  ['own', 'session, the cookie and another X-Inspector', 'the cookie', false],
  ['own', 'the cookie', 'X-Inspector', true],
  ['own', 'X-Inspector', 'the cookie', true],
  ['own', 'the cookie', 'none', false],
  ['own', 'the cookie and another X-Inspector', 'the cookie', false],
  ['own', 'session and the cookie', 'session', false],
  ['own', 'session and the cookie', 'the cookie', true],
  ['own', 'none', 'none', false],
  ['all', 'session', 'none', true],
  ['all', 'none', 'another X-Inspector', true],
  ['off', 'session', 'session', false],
]

for (const [mode, sender, viewer, expected] of rows) {
  const outcome = expected ? 'is found' : 'is not found'
  test(`INSPECTOR=${mode}: the exchange of ${sender} ${outcome} by ${viewer}`, async () => {
    const { app, owners } = await shared[mode]()
    const headers = { ...json, ...owners[sender] }
    const requestId = randomUUID()
    const sent = await app.inject({
      url: '/mirror/query',
      headers: { ...headers, 'x-request-id': requestId },
    })
    assert.equal(sent.statusCode, 200)
    const found = await app.inject({
      url: `/inspector?request_id=${requestId}`,
      headers: { ...json, ...owners[sender] },
    })
    const [exchange] = found.json<{ exchanges: Exchange[] }>().exchanges
    const id = exchange?.id ?? requestId
    assert.equal(await isFound(app, requestId, id, owners[viewer]), expected)
    if (expected && mode === 'own') assert.equal(exchange?.isOwn, true)
  })
}

test('a page without an owner is found by those who know its random id, and none can remove it', async () => {
  const { app } = await shared.own()
  const requestId = randomUUID()
  const headers = { ...page, 'x-request-id': requestId }
  const response = await app.inject({ url: '/topic', headers })
  const [, id = ''] = /desc="(.*)"/.exec(String(response.headers['server-timing'])) ?? []
  assert.notEqual(id, requestId)
  for (const viewer of [{}, secret])
    await app.inject({ method: 'DELETE', url: '/inspector', headers: viewer })
  assert.equal(await isFound(app, requestId, id), true)
})

test('without a key, the exchange of a login belongs to the new session only', async (t) => {
  const app = await catalogueApp(t, { settings: { INSPECTOR: 'own' } })
  const owners = await addOwners(app)
  const requestId = randomUUID()
  const before = owners['another session'] ?? {}
  const cookie = await logIn(app, ann, { ...before, 'x-request-id': requestId })
  const find = async (viewer: Headers) => {
    const url = `/inspector?request_id=${requestId}`
    const response = await app.inject({ url, headers: { ...json, ...viewer } })
    return response.json<{ exchanges: Exchange[] }>().exchanges
  }
  const [exchange] = await find({ cookie })
  assert.equal(exchange?.target, '/login')
  assert.doesNotMatch(JSON.stringify(exchange), new RegExp(ann.password))
  assert.deepEqual(await find(before), [])
  assert.deepEqual(await find({}), [])
})

test('of several viewers at the same time, each gets the events of its own exchanges', async (t) => {
  const app = await catalogueApp(t, { settings: { INSPECTOR: 'own' } })
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  const url = `${origin}/inspector/events?path=/topic`
  const [own, others] = await Promise.all([secret, other].map((key) => openEvents(t, url, key)))
  for (const [target, headers] of [
    ['/topic?first', secret],
    ['/topic?of-another', other],
    ['/topic?last', secret],
  ] as const) {
    await app.inject({ url: target, headers })
  }
  const toTarget = (event?: { value: unknown }) => (event?.value as Summary).target
  assert.deepEqual((await own?.take(2))?.map(toTarget), ['/topic?first', '/topic?last'])
  assert.equal(toTarget(await others?.next()), '/topic?of-another')
})

test('with INSPECTOR=off no response has an exchange id', async () => {
  const { app } = await shared.off()
  const { headers } = await app.inject({ url: '/topic', headers: page })
  assert.equal(headers['server-timing'], undefined)
})

for (const INSPECTOR of ['all', 'own']) {
  test(`INSPECTOR=${INSPECTOR}: a short key gets 400, but not from a request bin`, async (t) => {
    const app = await catalogueApp(t, { settings: { INSPECTOR } })
    const headers = { ...json, 'x-inspector': 'fifteen-letters' }
    for (const url of words`/inspector /inspector.har /inspector/events /api/json /nowhere`) {
      const { statusCode, body } = await app.inject({ url, headers })
      assert.equal(statusCode, 400, url)
      assert.match(body, /The key in X-Inspector must have at least 16 characters\./)
    }
    const bin = await createBin(app)
    assert.equal((await bin.send('', { headers })).statusCode, 200)
  })
}

test('the exchanges of a login, after it and after a logout belong to the key of the client', async (t) => {
  const app = await catalogueApp(t, { settings: { INSPECTOR: 'own' } })
  await createRecord(app, '/users', ann)
  for (const key of [{ cookie: keyCookie }, secret]) {
    const started = await logIn(app, ann, key)
    const cookie = [started, ...('cookie' in key ? [key.cookie] : [])].join('; ')
    const headers = { ...json, ...key, cookie }
    await app.inject({ url: '/session', headers })
    await app.inject({ method: 'POST', url: '/logout', headers })
    const list = async (viewer: Headers) => {
      const listed = await app.inject({ url: '/inspector', headers: { ...json, ...viewer } })
      return listed.json<{ exchanges: Summary[] }>().exchanges.map(({ target }) => target)
    }
    assert.deepEqual(await list(secret), ['/logout', '/session', '/login'])
    assert.deepEqual(await list({ cookie: started }), [])
    await app.inject({ method: 'DELETE', url: '/inspector', headers: { ...json, ...secret } })
  }
})

for (const [accept, type] of [
  ['*/*', 'text/html; charset=utf-8'],
  ['application/json', 'application/json; charset=utf-8'],
  ['text/plain', undefined],
] as const) {
  test(`the list for Accept: ${accept} is ${type ?? '406'}`, async () => {
    const { app } = await shared.own()
    const { statusCode, headers } = await app.inject({ url: '/inspector', headers: { accept } })
    assert.equal(statusCode, type === undefined ? 406 : 200)
    if (type !== undefined) assert.equal(headers['content-type'], type)
  })
}
