import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emptyDatabase } from '../../../test/support/empty-database.ts'
import { browserAccept } from '../../../test/support/resources.ts'
import { ann, enter, isLoggedIn, logIn, readSession } from '../../../test/support/sign-in.ts'
import { temporaryFolder } from '../../../test/support/start-vitrine.ts'
import { testApp, useApp } from '../../../test/support/test-app.ts'

const sharedApp = useApp()

const url = '/session'
const page = { accept: browserAccept }

test('a session ends when it was not used for the idle time, and not before', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() })
  const app = await testApp(t, { settings: { SESSION_IDLE_SECONDS: '100' } })
  const { cookie } = await enter(app)
  const unused = await logIn(app)
  for (let use = 0; use < 5; use += 1) {
    t.mock.timers.tick(99_000)
    const { authenticated, expiresAt } = await readSession(app, cookie)
    assert.equal(authenticated, true)
    assert.equal(expiresAt, new Date(Date.now() + 100_000).toISOString())
  }
  assert.equal(await isLoggedIn(app, unused), false)
  t.mock.timers.tick(100_000)
  assert.equal(await isLoggedIn(app, cookie), false)
  t.mock.timers.setTime(Date.now() - 50_000)
  assert.equal(await isLoggedIn(app, cookie), false)
})

test('a session ends after its absolute lifetime however often it is used', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() })
  const settings = { SESSION_IDLE_SECONDS: '100', SESSION_MAX_SECONDS: '250' }
  const app = await testApp(t, { settings })
  const { cookie } = await enter(app)
  const latest = new Date(Date.now() + 250_000).toISOString()
  for (const seconds of [90, 90]) {
    await t.test(String(seconds), async () => {
      t.mock.timers.tick(seconds * 1000)
      assert.equal(await isLoggedIn(app, cookie), true)
    })
  }
  assert.equal((await readSession(app, cookie)).expiresAt, latest)
  t.mock.timers.tick(70_000)
  assert.equal(await isLoggedIn(app, cookie), false)
})

const changes: [title: string, change: object][] = [
  ['deleting the user', { method: 'DELETE' }],
  ['PATCH of the password', { method: 'PATCH', payload: { password: 'another' } }],
  ['PATCH of the password to the same', { method: 'PATCH', payload: { password: ann.password } }],
  ['PUT of the user', { method: 'PUT', payload: { ...ann, password: 'another' } }],
]
for (const [title, change] of changes) {
  test(`${title} ends every session of the user, and no other session`, async () => {
    const app = sharedApp()
    const { _id, cookie } = await enter(app)
    const second = await logIn(app)
    const { cookie: other } = await enter(app, { name: 'Bob', password: 'b' })
    assert.match(String((await app.inject({ url: `/users/${_id}`, ...change })).statusCode), /^20/)
    assert.equal(await isLoggedIn(app, cookie), false)
    assert.equal(await isLoggedIn(app, second), false)
    assert.equal(await isLoggedIn(app, other), true)
    const { statusCode } = await app.inject({ url, headers: { ...page, cookie } })
    assert.equal(statusCode, 302)
  })
}

test('a session survives a change of the user’s name, and shows the new name', async () => {
  const app = sharedApp()
  const { _id, cookie } = await enter(app)
  await app.inject({ method: 'PATCH', url: `/users/${_id}`, payload: { name: '<b>Anna' } })
  assert.equal((await readSession(app, cookie)).user?.name, '<b>Anna')
  const { body } = await app.inject({ url, headers: { ...page, cookie } })
  assert.match(body, /&lt;b&gt;Anna/)
})

test('with READ_ONLY a session is neither extended nor removed', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() })
  const DATABASE_URL = await emptyDatabase(`sqlite:${await temporaryFolder(t)}/vitrine.db`)
  const settings = { DATABASE_URL, SESSION_IDLE_SECONDS: '100' }
  const app = await testApp(t, { settings })
  const { cookie } = await enter(app)
  const { expiresAt } = await readSession(app, cookie)
  t.mock.timers.tick(50_000)
  const reader = await testApp(t, { settings: { ...settings, READ_ONLY: 'on' } })
  assert.equal((await readSession(reader, cookie)).expiresAt, expiresAt)
  t.mock.timers.tick(100_000)
  assert.equal(await isLoggedIn(reader, cookie), false)
  t.mock.timers.setTime(Date.parse(String(expiresAt)) - 1000)
  assert.equal(await isLoggedIn(app, cookie), true)
})

test('a user created again under the id of a deleted one has none of its sessions', async () => {
  const app = sharedApp()
  const { _id, cookie } = await enter(app)
  await app.inject({ method: 'DELETE', url: `/users/${_id}` })
  await app.inject({ method: 'PUT', url: `/users/${_id}`, payload: ann })
  assert.equal(await isLoggedIn(app, cookie), false)
})
