import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBin, type Captured } from '../../../test/support/bins.ts'
import { asMultipart } from '../../../test/support/multipart-form.ts'
import { findInvalid } from '../../../test/support/valid-html.ts'
import { testApp, useApp } from '../../../test/support/test-app.ts'

const sharedApp = useApp()

test('a browser gets the secret as a cookie that only the pages of its bins receive', async () => {
  const app = sharedApp()
  const headers = { accept: 'text/html' }
  const created = await app.inject({ method: 'POST', url: '/bins', headers })
  const page = String(created.headers.location)
  assert.equal(created.statusCode, 303)
  const cookie = String(created.headers['set-cookie'])
  assert.match(cookie, /^bin-[\w-]+=vbs_[\w-]+; Path=\/bins; .*HttpOnly; SameSite=Lax$/)
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

test('the link with the secret sets the cookie, and a wrong one does not', async () => {
  const app = sharedApp()
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

test('the page of a request asks a browser for the secret, and a link with it opens the page', async () => {
  const bin = await createBin(sharedApp())
  await bin.send('/hook')
  const [{ url } = { url: '' }] = await bin.list()
  const open = (query: string, accept = 'text/html') =>
    bin.read(url.replace(`/bins/${bin.id}`, '') + query, {
      headers: { accept, authorization: '' },
    })
  const locked = await open('')
  assert.equal(locked.statusCode, 401)
  assert.match(locked.body, new RegExp(`<form action="${url}">`))
  assert.doesNotMatch(locked.body, /log in/i)
  const opened = await open(`?secret=${bin.secret}`)
  assert.deepEqual([opened.statusCode, opened.headers.location], [303, url])
  assert.match(String(opened.headers['set-cookie']), new RegExp(`=${bin.secret};`))
  const json = await open(`?secret=${bin.secret}`, 'application/json')
  assert.equal(json.json<{ path: string }>().path, '/hook')
})

test('the link to a request opens this request only, without a cookie', async () => {
  const app = sharedApp()
  const bin = await createBin(app)
  const { headers, payload } = asMultipart([{ name: 'f', fileName: 'a.txt', content: 'text' }])
  await bin.send('/hook', { method: 'POST', headers, payload })
  await bin.send('/other')
  const [first, second] = await bin.list()
  const { url = '' } = first ?? {}
  const page = await bin.read(`/requests/${first?.id ?? ''}`, { headers: { accept: 'text/html' } })
  const [, link = '', secret = ''] =
    /<a href="([^"]*\?secret=(vbs_[\w-]{32}))">this link/.exec(page.body) ?? []
  assert.equal(new URL(link).pathname, url)
  assert.notEqual(secret, bin.secret)
  const open = (path: string, accept = 'text/html', method: 'GET' | 'DELETE' = 'GET') =>
    app.inject({ method, url: path, headers: { accept } })
  const shown = await open(link)
  assert.deepEqual([shown.statusCode, shown.headers['set-cookie']], [200, undefined])
  assert.deepEqual(await findInvalid(shown.body, 'shared'), [])
  assert.doesNotMatch(
    shown.body,
    new RegExp(`this link|Remove|${bin.secret}|href="/bins/${bin.id}"`),
  )
  const shared = (await open(link, 'application/json')).json<Captured>()
  assert.deepEqual([shared.id, shared.shareUrl], [first?.id, undefined])
  const owned = (await bin.read(`/requests/${shared.id}`)).json<Captured>()
  assert.equal(owned.shareUrl, link)
  for (const [, path = ''] of shown.body.matchAll(/href="([^"]*secret=[^"]*)"/g))
    assert.equal((await open(path)).statusCode, 200)
  assert.equal((await open(`${url}/files/1?secret=${secret}`)).body, 'text')
  assert.equal((await open(`${url}?secret=${secret}`, 'text/html', 'DELETE')).statusCode, 401)
  const bins = `/bins/${bin.id}`
  for (const path of [
    second?.url ?? '',
    bins,
    `${bins}/requests`,
    `${bins}/events`,
    `${bins}/diff`,
  ])
    assert.equal((await open(`${path}?secret=${secret}`, '*/*')).statusCode, 401)
  const bearer = { authorization: `Bearer ${secret}` }
  assert.equal((await app.inject({ url: bins, headers: bearer })).statusCode, 401)
  await bin.read(`/requests/${first?.id ?? ''}`, { method: 'DELETE' })
  assert.equal((await open(link)).statusCode, 404)
})

test('a browser keeps the cookies of the twenty newest bins', async () => {
  const app = sharedApp()
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

test('before a browser forgets its oldest bin, the page of its bins warns', async () => {
  const app = sharedApp()
  const own: string[] = []
  const headers = () => ({ accept: 'text/html', cookie: own.join('; ') })
  const open = async () => (await app.inject({ url: '/bins', headers: headers() })).body
  for (let count = 1; count <= 20; count += 1) {
    assert.doesNotMatch(await open(), /it loses the secret of this bin/)
    const created = await app.inject({ method: 'POST', url: '/bins', headers: headers() })
    own.push(String(created.headers['set-cookie']).split(';')[0] ?? '')
  }
  const [, oldest = ''] =
    /it loses the secret of this bin:\n<a href="([^"]*)"/.exec(await open()) ?? []
  const ids = own.map((one) => one.slice('bin-'.length, one.indexOf('=')))
  assert.equal(oldest, `/bins/${ids.toSorted()[0] ?? ''}`)
})
