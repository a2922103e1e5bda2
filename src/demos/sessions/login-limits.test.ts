import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRecord } from '../../../test/support/resources.ts'
import { ann, isLoggedIn, logIn } from '../../../test/support/sign-in.ts'
import { testApp, useApp } from '../../../test/support/test-app.ts'

const sharedApp = useApp()

test('logins have a stricter limit in addition to the one for all requests', async (t) => {
  const app = await testApp(t, { settings: { RATE_LIMIT: '100', LOGIN_RATE_LIMIT: '3' } })
  await createRecord(app, '/users', ann)
  const post = (payload: object) => app.inject({ method: 'POST', url: '/login', payload })
  const { headers } = await post({ username: 'Ann', password: 'wrong' })
  assert.equal(headers['ratelimit-policy'], '"default";q=100;w=60, "login";q=3;w=60')
  assert.match(String(headers.ratelimit), /"default";r=98;.*"login";r=2;/)
  const cookie = await logIn(app)
  assert.equal((await post({})).statusCode, 422)
  const rejected = await post({ username: 'Ann', password: ann.password })
  assert.equal(rejected.statusCode, 429)
  assert.deepEqual(rejected.json<Record<string, unknown>>()['violated-policies'], ['login'])
  assert.match(rejected.body, /3 logins per minute/)
  // Everything else works, including the renewal of a session.
  const renewed = await app.inject({ method: 'POST', url: '/session', headers: { cookie } })
  assert.equal(renewed.statusCode, 200)
  assert.equal(renewed.headers['ratelimit-policy'], '"default";q=100;w=60')
  assert.equal((await app.inject('/login')).statusCode, 200)
})

test('a login is counted however it is requested', async (t) => {
  const app = await testApp(t, { settings: { LOGIN_RATE_LIMIT: '1' } })
  const payload = { username: 'Ann', password: 'wrong' }
  assert.equal((await app.inject('/login')).headers.ratelimit, undefined)
  const first = await app.inject({ method: 'POST', url: '/login/', payload })
  assert.equal(first.headers['ratelimit-policy'], '"login";q=1;w=60')
  assert.equal(first.statusCode, 401)
  const ways = [
    { method: 'POST', url: '/login', payload },
    { method: 'POST', url: '/%6cogin?', payload },
    { method: 'PUT', url: '/login?_method=post', payload },
    { method: 'PATCH', url: '/login', payload: { ...payload, _method: 'POST' } },
    { method: 'DELETE', url: '/login', payload, headers: { 'x-http-method-override': 'POST' } },
    { method: 'POST', url: '/login', payload: 'no json' },
  ] as const
  for (const way of ways) {
    await t.test(`${way.method} ${way.url}`, async () => {
      assert.equal((await app.inject(way)).statusCode, 429)
    })
  }
})

test('PRESET=public limits logins without a limit for all requests', async (t) => {
  const app = await testApp(t, { settings: { PRESET: 'public', RATE_LIMIT: 'off' } })
  const payload = { username: 'nobody', password: 'x' }
  const { headers } = await app.inject({ method: 'POST', url: '/login', payload })
  assert.equal(headers['ratelimit-policy'], '"login";q=10;w=60')
})

test('a login over the limit is rejected until a session ends, and ends none', async (t) => {
  const app = await testApp(t, { settings: { MAX_RECORDS: '2' } })
  await createRecord(app, '/users', ann)
  const cookies = [await logIn(app), await logIn(app)]
  const payload = { username: ann.name, password: ann.password }
  const rejected = await app.inject({ method: 'POST', url: '/login', payload })
  assert.equal(rejected.statusCode, 507)
  assert.equal(rejected.headers['set-cookie'], undefined)
  for (const cookie of cookies) assert.ok(await isLoggedIn(app, cookie))
  const [cookie = ''] = cookies
  await app.inject({ method: 'POST', url: '/logout', headers: { cookie } })
  assert.ok(await isLoggedIn(app, await logIn(app)))
})

for (const username of ['a\u0000', '\ud800']) {
  test(`a login with the name ${JSON.stringify(username)} is rejected`, async () => {
    const app = sharedApp()
    const headers = { 'content-type': 'application/json' }
    const payload = JSON.stringify({ username, password: 'x' })
    const { statusCode } = await app.inject({ method: 'POST', url: '/login', headers, payload })
    assert.ok([400, 401].includes(statusCode))
  })
}

test('of a Set-Cookie field the name and the attributes are shown', async () => {
  const app = sharedApp()
  await app.inject({
    method: 'PUT',
    url: '/users/ann',
    payload: { name: 'Ann', password: 'c0ffee-c0ffee' },
  })
  const payload = { username: 'Ann', password: 'c0ffee-c0ffee' }
  const response = await app.inject({
    method: 'POST',
    url: '/login',
    payload,
    headers: { accept: 'text/html' },
  })
  const id = /desc="(.*)"/.exec(String(response.headers['server-timing']))?.[1] ?? ''
  const { body } = await app.inject({ url: `/inspector/${id}`, headers: { accept: 'text/plain' } })
  assert.match(body, /^set-cookie: session=••••••; .*HttpOnly/im)
})

test('a response that shows a session is not stored by caches', async (t) => {
  const app = sharedApp()
  for (const accept of ['text/html', 'application/json', 'image/png']) {
    for (const url of ['/session', '/login']) {
      await t.test(`${url} ${accept}`, async () => {
        const { headers } = await app.inject({ url, headers: { accept } })
        assert.equal(headers['cache-control'], 'no-store')
      })
    }
  }
})
