import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBin } from '../../../test/bins.ts'
import { findInvalid } from '../../../test/valid-html.ts'
import { testApp } from '../../../test/test-app.ts'

test('a browser gets the secret as a cookie that only the pages of its bins receive', async (t) => {
  const app = await testApp(t)
  const headers = { accept: 'text/html' }
  const created = await app.inject({ method: 'POST', url: '/bins', headers })
  const page = String(created.headers.location)
  assert.equal(created.statusCode, 303)
  const cookie = String(created.headers['set-cookie'])
  assert.match(cookie, /^bin-[\w-]+=vbs_[\w-]+; Path=\/bins; .*HttpOnly; SameSite=Strict$/)
  const own = { ...headers, cookie: cookie.split(';')[0] }
  const shown = await app.inject({ url: page, headers: own })
  assert.equal(shown.statusCode, 200)
  assert.equal(shown.headers['cache-control'], 'no-store')
  const [secret = ''] = /vbs_[\w-]+/.exec(cookie) ?? []
  assert.match(shown.body, new RegExp(`--secret ${secret}`))
  assert.match((await app.inject({ url: '/bins', headers: own })).body, new RegExp(page))
  assert.equal((await app.inject({ url: page, headers })).statusCode, 401)
})

test('the inspector shows neither captured requests nor what their owner reads', async (t) => {
  const app = await testApp(t, { settings: { INSPECTOR: 'all' } })
  const bin = await createBin(app)
  const headers = { accept: 'text/html' }
  const sent = await bin.send('/hook', { method: 'POST', payload: 'private', headers })
  const read = await bin.read('', { headers })
  for (const response of [sent, read]) {
    assert.equal(response.statusCode, 200)
    assert.equal(response.headers['server-timing'], undefined)
    const url = `/inspector/${String(response.headers['x-request-id'])}`
    assert.equal((await app.inject(url)).statusCode, 404)
  }
  const list = await app.inject({ url: '/inspector', headers: { accept: 'application/json' } })
  const { exchanges } = list.json<{ exchanges: { target: string }[] }>()
  assert.deepEqual(
    exchanges.map(({ target }) => target),
    ['/bins'],
  )
})

test('the link with the secret sets the cookie, and a wrong one does not', async (t) => {
  const app = await testApp(t)
  const { id, secret } = await createBin(app)
  const headers = { accept: 'text/html' }
  const open = (given: string) => app.inject({ url: `/bins/${id}?secret=${given}`, headers })
  const [right, wrong] = [await open(secret), await open(secret.replace(/.$/, '*'))]
  assert.deepEqual([right.statusCode, right.headers.location], [303, `/bins/${id}`])
  assert.match(String(right.headers['set-cookie']), new RegExp(`^bin-${id}=${secret};`))
  assert.deepEqual([wrong.statusCode, wrong.headers['set-cookie']], [401, undefined])
  assert.match(String(wrong.headers['www-authenticate']), /^Bearer/)
  assert.match(wrong.body, /The secret is not that of this bin\./)
  const locked = await app.inject({ url: `/bins/${id}`, headers })
  assert.equal(locked.statusCode, 401)
  assert.match(locked.body, new RegExp(`<form action="/bins/${id}">`))
  for (const { body } of [wrong, locked]) assert.deepEqual(await findInvalid(body, '401'), [])
})

test('a browser keeps the cookies of the twenty newest bins', async (t) => {
  const app = await testApp(t)
  const ids = Array.from(
    { length: 21 },
    (_, index) => `0${(index + 10).toString(36)}zzzzz${'a'.repeat(20)}`,
  )
  const cookie = ids.map((id) => `bin-${id}=x`).join('; ')
  const headers = { accept: 'text/html', cookie }
  const created = await app.inject({ method: 'POST', url: '/bins', headers })
  const [first = '', ...others] = [created.headers['set-cookie'] ?? []].flat()
  assert.match(first, /=vbs_/)
  assert.deepEqual(
    others.map((one) => one.split('=')[0]),
    [ids[1], ids[0]].map((id) => `bin-${id ?? ''}`),
  )
})
