import assert from 'node:assert/strict'
import { test } from 'node:test'
import { catalogueApp, type TestApp, useApp } from '../../test/support/test-app.ts'
import { findInvalid } from '../../test/support/valid-html.ts'
import type { Exchange, Summary } from '../exchanges/exchange.ts'

const settings = { INSPECTOR: 'own', TRUSTED_PROXIES: '127.0.0.1', ALLOWED_HOSTS: '*' }

const sharedApp = useApp({ settings }, catalogueApp)
const key = 'a-key_of-16-or-more'
const page = { accept: 'text/html' }
const form = { ...page, 'content-type': 'application/x-www-form-urlencoded' }

const choose = (app: TestApp, headers = {}, payload = `key=${key}`) =>
  app.inject({ method: 'POST', url: '/inspector/key', headers: { ...form, ...headers }, payload })

for (const [protocol, expected] of [
  ['http', `inspector=${key}; Path=/; HttpOnly; SameSite=Lax`],
  ['https', `__Host-inspector=${key}; Path=/; HttpOnly; Secure; SameSite=Lax`],
] as const) {
  test(`over ${protocol} a key is a cookie, and the list has its requests`, async () => {
    const app = sharedApp()
    const headers = { host: 'localhost', 'x-forwarded-proto': protocol }
    const chosen = await choose(app, headers)
    assert.equal(chosen.statusCode, 303)
    assert.equal(chosen.headers.location, '/inspector?mine=1')
    assert.equal(chosen.headers['set-cookie'], expected)
    const cookie = expected.split(';')[0]
    await app.inject({ url: '/topic?a=browser', headers: { ...headers, ...page, cookie } })
    await app.inject({ url: '/topic?a=curl', headers: { 'x-inspector': key } })
    await app.inject({ url: '/topic?a=other', headers: page })
    const { body } = await app.inject({
      url: '/inspector',
      headers: { ...headers, ...page, cookie },
    })
    assert.match(body, /a=curl[^]*a=browser/)
    assert.doesNotMatch(body, /a=other|Only mine/)
    assert.ok(body.includes(`curl -H 'X-Inspector: ${key}'`))
    assert.deepEqual(await findInvalid(body, '/inspector'), [])
  })
}

for (const payload of [
  '',
  'key=',
  'key=too-short',
  `key=${key}%0d%0aa`,
  'key[]=a',
  `key=${'k'.repeat(201)}`,
]) {
  test(`the key of ${payload.slice(0, 30)} gets 422`, async () => {
    const app = sharedApp()
    const { statusCode, headers } = await choose(app, {}, payload)
    assert.equal(statusCode, 422)
    assert.equal(headers['set-cookie'], undefined)
  })
}

test('another site cannot set a key', async () => {
  const app = sharedApp()
  const rejected = [
    await choose(app, { origin: 'https://other.example' }),
    await choose(app, { 'sec-fetch-site': 'cross-site' }),
    await choose(app, { 'sec-fetch-site': 'same-site' }),
    await app.inject({
      url: `/inspector/key?_method=POST&key=${key}`,
      headers: { ...page, 'sec-fetch-site': 'cross-site' },
    }),
  ]
  for (const { statusCode, headers } of rejected) {
    assert.equal(statusCode, 403)
    assert.equal(headers['set-cookie'], undefined)
  }
})

test('without a key the page has a form and no list, and with a session it has both', async () => {
  const app = sharedApp()
  const { body } = await app.inject({ url: '/inspector', headers: page })
  assert.match(body, /action="\/inspector\/key"/)
  assert.doesNotMatch(body, /class="exchanges"/)
  assert.deepEqual(await findInvalid(body, '/inspector'), [])
  const session = `session=${'s'.repeat(43)}`
  for (const [cookie, expected] of [
    [session, /You are logged in/],
    [`${session}; inspector=${key}`, /They stay in this list after you log in/],
  ] as const) {
    const { body } = await app.inject({ url: '/inspector', headers: { ...page, cookie } })
    assert.match(body, expected)
    assert.match(body, /action="\/inspector\/key"/)
    assert.match(body, /class="exchanges"/)
    assert.deepEqual(await findInvalid(body, '/inspector'), [])
  }
})

test('a recorded exchange does not show the key', async (t) => {
  const app = await catalogueApp(t, { settings })
  const headers = { ...page, cookie: `inspector=${key}` }
  assert.match((await app.inject({ url: '/inspector', headers })).body, new RegExp(key))
  await app.inject({ url: '/httpbin/cookies', headers })
  const listed = await app.inject({
    url: '/inspector',
    headers: { ...headers, accept: 'application/json' },
  })
  const { exchanges } = listed.json<{ exchanges: Summary[] }>()
  assert.equal(exchanges.length, 1)
  const all = await app.inject({ url: '/inspector.har?assets=1', headers })
  assert.match(all.body, /Request inspector/)
  assert.doesNotMatch(all.body, new RegExp(key))
  const [one] = exchanges
  const exchange = await app.inject({
    url: `/inspector/${one?.id ?? ''}`,
    headers: { ...headers, accept: 'application/json' },
  })
  assert.doesNotMatch(JSON.stringify(exchange.json<Exchange>()), new RegExp(key))
})

test('each page suggests another key', async (t) => {
  const app = await catalogueApp(t, { settings: { INSPECTOR: 'own' } })
  const suggest = async () =>
    /name="key" value="(\w{16,})"/.exec(
      (await app.inject({ url: '/inspector', headers: { accept: 'text/html' } })).body,
    )?.[1]
  const first = await suggest()
  assert.ok(first)
  assert.notEqual(await suggest(), first)
})
