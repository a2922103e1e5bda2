import assert from 'node:assert/strict'
import { test } from 'node:test'
import { browserAccept } from '../../../test/support/resources.ts'
import {
  ann,
  cookieOf,
  enter,
  isLoggedIn,
  logIn,
  readSession,
} from '../../../test/support/sign-in.ts'
import { testApp, type TestApp, useApp } from '../../../test/support/test-app.ts'

const sharedApp = useApp()

const url = '/session'
const page = { accept: browserAccept }

async function renew(app: TestApp, cookie: string, headers: Record<string, string> = {}) {
  return app.inject({ method: 'POST', url, headers: { ...headers, cookie } })
}

test('a renewal gives the same user a new session id, and ends the old one at once', async () => {
  const app = sharedApp()
  const { _id, cookie } = await enter(app)
  const other = await logIn(app)
  const response = await renew(app, cookie)
  assert.equal(response.statusCode, 200)
  const status = { code: 0, msg: 'renewal success' }
  assert.deepEqual(response.json(), { data: { redirect: url }, status })
  const renewed = cookieOf(response.headers) ?? ''
  assert.notEqual(renewed, cookie)
  assert.equal((await readSession(app, renewed)).user?._id, _id)
  assert.equal(await isLoggedIn(app, cookie), false)
  assert.equal(await isLoggedIn(app, other), true)
})

test('a form that renews gets 303 to the session', async () => {
  const app = sharedApp()
  const { cookie } = await enter(app)
  const response = await renew(app, cookie, page)
  assert.equal(response.statusCode, 303)
  assert.equal(response.headers.location, url)
  assert.equal(await isLoggedIn(app, cookieOf(response.headers) ?? ''), true)
})

test('a renewal does not extend the absolute lifetime', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() })
  const settings = { SESSION_IDLE_SECONDS: '100', SESSION_MAX_SECONDS: '150' }
  const app = await testApp(t, { settings })
  const { cookie } = await enter(app)
  const before = await readSession(app, cookie)
  t.mock.timers.tick(90_000)
  const response = await renew(app, cookie)
  assert.match(String(response.headers['set-cookie']), /; Max-Age=60;/)
  const renewed = cookieOf(response.headers) ?? ''
  assert.equal((await readSession(app, renewed)).createdAt, before.createdAt)
  t.mock.timers.tick(60_000)
  assert.equal(await isLoggedIn(app, renewed), false)
})

test('of many renewals at once one succeeds, and the others get 401', async () => {
  const app = sharedApp()
  const { cookie } = await enter(app)
  const responses = await Promise.all(Array.from({ length: 10 }, () => renew(app, cookie)))
  const renewed = responses.filter(({ statusCode }) => statusCode === 200)
  assert.equal(renewed.length, 1)
  for (const { statusCode, headers } of responses) {
    if (statusCode === 200) continue
    assert.equal(statusCode, 401)
    // It would take away the cookie that the one response has set.
    assert.equal(headers['set-cookie'], undefined)
  }
  assert.equal(await isLoggedIn(app, cookieOf(renewed[0]?.headers ?? {}) ?? ''), true)
})

test('a renewal without a session gets 401, and one from another site 403', async () => {
  const app = sharedApp()
  const { cookie } = await enter(app)
  for (const invalid of ['', `session=${'A'.repeat(43)}`]) {
    for (const headers of [{}, page]) {
      const response = await renew(app, invalid, headers)
      assert.equal(response.statusCode, 401)
      assert.match(String(response.headers['www-authenticate']), /^Cookie\b/)
      assert.equal(response.headers['set-cookie'], undefined)
    }
  }
  assert.equal((await renew(app, cookie, { 'sec-fetch-site': 'cross-site' })).statusCode, 403)
  assert.equal(await isLoggedIn(app, cookie), true)
})

test('the page shows the change of the session id, with both ids masked', async (t) => {
  const app = sharedApp()
  const { cookie: first } = await enter(app)
  const read = async (cookie: string) =>
    (await app.inject({ url, headers: { ...page, cookie } })).body
  const atLogin = await read(first)
  assert.match(atLogin, /Logging in gave you a new id/)
  assert.match(atLogin, /You had no id before/)
  const second = await logIn(app, ann, { cookie: first })
  const third = cookieOf((await renew(app, second)).headers) ?? ''
  const shown = await read(third)
  assert.match(shown, /Renewing gave you a new id/)
  assert.ok(shown.includes(`Cookie: session=<mark>******${second.slice(-4)}</mark>`))
  const field = `<mark>******${third.slice(-4)}</mark>; Max-Age=`
  assert.ok(shown.includes(`Set-Cookie: session=${field}`))
  for (const cookie of [first, second, third]) {
    await t.test(cookie, () => {
      assert.ok(!shown.includes(cookie.slice('session='.length, -5)))
    })
  }
})

test('the page counts down with a script, and lists the attributes that this connection lacks', async (t) => {
  const app = await testApp(t, { settings: { SESSION_IDLE_SECONDS: '1800' } })
  const { cookie } = await enter(app)
  const { body } = await app.inject({ url, headers: { ...page, cookie } })
  assert.match(body, /data-seconds="(1800|1799)"><time /)
  assert.match(body, /moves this time to 30 minutes later/)
  assert.match(body, /<form method="post" action="\/session">/)
  for (const name of ['HttpOnly', 'SameSite=Lax', 'Path=/', 'Max-Age=43200']) {
    await t.test(name, () => {
      assert.ok(body.includes(`<th scope="row"><code>${name}</code></th>`))
    })
  }
  assert.equal(body.match(/Not set/g)?.length, 2)
})
