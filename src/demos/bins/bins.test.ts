import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { createBin, type NewBin } from '../../../test/support/bins.ts'
import { temporaryFolder } from '../../../test/support/start-vitrine.ts'
import { testApp, useApp } from '../../../test/support/test-app.ts'
import { findInvalid } from '../../../test/support/valid-html.ts'

const sharedApp = useApp()

test('a bin has an id that cannot be guessed, and a secret that no other response has', async () => {
  const app = sharedApp()
  const [one, other] = [await createBin(app), await createBin(app)]
  assert.match(one.id, /^[\w-]{27}$/)
  assert.match(one.secret, /^vbs_[\w-]{32}$/)
  assert.notEqual(one.id.slice(7), other.id.slice(7))
  assert.equal(one.url, `http://localhost:80/b/${one.id}`)
  for (const path of ['', '/one']) assert.equal((await app.inject(one.url + path)).statusCode, 200)
  assert.deepEqual(
    (await one.list()).map(({ path }) => path),
    ['/', '/one'],
  )
  const week = Date.now() + 7 * 86_400_000
  assert.ok(Math.abs(Date.parse(one.expiresAt) - week) < 60_000)
  const read = await one.read()
  assert.deepEqual(read.json<NewBin>().response, { status: 200, json: { ok: true } })
  assert.ok(!read.body.includes(one.secret))
})

const withoutSecret: [title: string, headers: (secret: string) => Record<string, string>][] = [
  ['no secret', () => ({})],
  ['another secret', (secret) => ({ authorization: `Bearer ${secret.replace(/.$/, '*')}` })],
  ['another scheme', (secret) => ({ authorization: `Basic ${secret}` })],
  ['the cookie of another bin', (secret) => ({ cookie: `bin-0abcdef=${secret}` })],
]
const reads: [method: 'GET' | 'PATCH' | 'DELETE', path: string][] = [
  ['GET', ''],
  ['PATCH', ''],
  ['DELETE', ''],
  ['GET', '/requests'],
  ['DELETE', '/requests'],
  ['GET', '/events'],
  ['GET', '/requests/{n}'],
  ['DELETE', '/requests/{n}'],
  ['GET', '/requests/{n}/body'],
  ['GET', '/requests/{n}/files/1'],
]
for (const [title, toHeaders] of withoutSecret) {
  test(`with ${title} nothing of a bin can be read or changed`, async (t) => {
    const app = sharedApp()
    const bin = await createBin(app)
    await bin.send('/a')
    const [captured] = await bin.list()
    for (const [method, path] of reads) {
      await t.test(`${method} ${path}`, async () => {
        const url = `/bins/${bin.id}${path.replace('{n}', captured?.id ?? '')}`
        const payload = method === 'PATCH' ? { payload: { response: {} } } : {}
        const headers = { accept: '*/*', ...toHeaders(bin.secret) }
        const response = await app.inject({ method, url, headers, ...payload })
        assert.equal(response.statusCode, 401)
        assert.match(String(response.headers['www-authenticate']), /^Bearer /)
      })
    }
    assert.equal((await bin.list()).length, 1)
  })
}

const wrongBins: [payload: object, detail: string, pointer?: string][] = [
  [
    { status: 418 },
    'The member status is not allowed. A bin has only the members response and name.',
  ],
  [[], 'The body must be a JSON object or a form.'],
  ...['x'.repeat(101), 'a\nb', '\ud800', 7, null].map((name): [object, string, string] => [
    { name },
    'name must be one line of text with at most 100 characters.',
    '#/name',
  ]),
  ...['x', 7].map((response): [object, string, string] => [
    { response },
    'response must be an object, such as {"status":503}.',
    '#/response',
  ]),
  [
    { response: { sequence: [{}, 500] } },
    'response.sequence[1] must be an object, such as {"status":503,"times":2}.',
    '#/response/sequence/1',
  ],
  [{ response: { status: 999 } }, 'response.status must be at most 599.', '#/response/status'],
  [
    { response: { sequence: [{}, { delay: 99 }] } },
    'response.sequence[1].delay is too long: the response must take at most 10 seconds (MAX_DURATION_SECONDS).',
    '#/response/sequence/1/delay',
  ],
]
wrongBins.push([
  { response: { sequence: [{ status: 503, tims: 2 }] } },
  'response.sequence[0].tims is not allowed: use times.',
  '#/response/sequence/0/tims',
])
for (const [payload, detail, pointer] of wrongBins) {
  test(`a bin is neither created nor changed with ${JSON.stringify(payload)}`, async () => {
    const app = sharedApp()
    const bin = await createBin(app)
    const headers = { authorization: `Bearer ${bin.secret}` }
    for (const options of [
      { method: 'POST', url: '/bins', payload },
      { method: 'PATCH', url: `/bins/${bin.id}`, payload, headers },
    ] as const) {
      const response = await app.inject(options)
      assert.equal(response.statusCode, 400)
      const problem = response.json<{ detail: string; errors?: { pointer: string }[] }>()
      assert.equal(problem.detail, detail)
      assert.equal(problem.errors?.[0]?.pointer, pointer)
    }
  })
}

test('the response null is the default one', async () => {
  const bin = await createBin(sharedApp(), { status: 500 })
  const changed = await bin.read('', { method: 'PATCH', payload: { response: null } })
  assert.deepEqual(changed.json<NewBin>().response, { status: 200, json: { ok: true } })
  assert.equal((await bin.send()).body, '{"ok":true}')
})

test('the pages of bins are valid HTML, and show what was captured as text', async (t) => {
  const bin = await createBin(sharedApp(), { body: '</textarea><script>' })
  const headers = { accept: 'text/html' }
  const payload = { '<script>': "</code><script>'" }
  await bin.send('/<script>"', { method: 'POST', payload, headers: { 'x-a': '<script>"' } })
  const [captured] = await bin.list()
  for (const path of ['', '?q=%22%3Cscript%3E', `/requests/${captured?.id ?? ''}`]) {
    await t.test(path, async () => {
      const { statusCode, body } = await bin.read(path, { headers })
      assert.equal(statusCode, 200)
      assert.deepEqual(await findInvalid(body, path), [])
      assert.doesNotMatch(body, /<script>/)
    })
  }
})

test('a search without a match is not taken for an empty bin', async () => {
  const bin = await createBin(sharedApp())
  const headers = { accept: 'text/html' }
  assert.match((await bin.read('', { headers })).body, /No requests yet\./)
  assert.match((await bin.read('?q=x', { headers })).body, /No request matches\./)
})

test('two requests of a bin are compared, and all are exported as HAR and message/http', async () => {
  const bin = await createBin(sharedApp())
  await bin.send('/a', { method: 'POST', payload: 'one\ntwo' })
  await bin.send('/a', { method: 'POST', payload: 'one\nthree' })
  const ids = (await bin.list()).map(({ id }) => id)
  const diff = await bin.read(`/diff?a=${ids[0] ?? ''}&b=${ids[1] ?? ''}`)
  assert.match(diff.body, /"kind":"removed","text":"two"/)
  assert.match(diff.body, /"kind":"added","text":"three"/)
  assert.doesNotMatch(diff.body, /"Response /)
  assert.equal((await bin.read(`/diff?a=${ids[0] ?? ''}&b=x`)).statusCode, 404)
  const { log } = (await bin.read('/requests.har')).json<{
    log: { entries: { request: { postData: { text: string } } }[] }
  }>()
  assert.deepEqual(
    log.entries.map(({ request }) => request.postData.text),
    ['one\ntwo', 'one\nthree'],
  )
  const headers = { accept: 'message/http' }
  const message = await bin.read(`/requests/${ids[0] ?? ''}`, { headers })
  assert.match(message.body, /^POST \/b\/[^]*\r\n\r\none\ntwo/)
})

test('a form changes the response, clears the bin and removes it', async () => {
  const app = sharedApp()
  const bin = await createBin(app)
  await bin.send()
  const send = (path: string, fields: Record<string, string>) =>
    bin.read(path, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' },
      payload: new URLSearchParams(fields).toString(),
    })
  const changed = await send('', { _method: 'PATCH', response: '{"status": 202}' })
  assert.deepEqual([changed.statusCode, changed.headers.location], [303, `/bins/${bin.id}`])
  const cookie = String(changed.headers['set-cookie']).split(';', 1)[0]
  const saved = await bin.read('', { headers: { accept: 'text/html', cookie } })
  assert.match(saved.body, /<p class="notice" role="status">Saved\.<\/p>/)
  for (const [text, problem] of [
    ['{"a<', 'JSON'],
    ['{"status": 99}', 'status'],
  ] as const) {
    const failed = await send('', { _method: 'PATCH', response: text })
    assert.equal(failed.statusCode, 400)
    assert.deepEqual(await findInvalid(failed.body, text), [])
    const [, shown = ''] = /<textarea[^>]*>([^]*)<\/textarea>/.exec(failed.body) ?? []
    assert.equal(shown, text.replaceAll('"', '&quot;').replaceAll('<', '&lt;'))
    assert.match(failed.body, new RegExp(`<span class="error" id="problem">.*${problem}`))
  }
  assert.equal((await send('/requests', { _method: 'DELETE' })).statusCode, 303)
  assert.deepEqual(await bin.list(), [])
  assert.equal((await bin.send()).statusCode, 202)
  const removed = await send('', { _method: 'DELETE' })
  assert.deepEqual([removed.statusCode, removed.headers.location], [303, '/bins'])
  assert.equal((await bin.send()).statusCode, 404)
  assert.equal((await bin.read()).statusCode, 404)
})

test('with READ_ONLY no bin is created, and none captures', async (t) => {
  const folder = await temporaryFolder(t)
  const DATABASE_URL = `sqlite:${join(folder, 'vitrine.db')}`
  const bin = await createBin(await testApp(t, { settings: { DATABASE_URL } }))
  const app = await testApp(t, { settings: { DATABASE_URL, READ_ONLY: 'on' } })
  assert.equal((await app.inject({ method: 'POST', url: '/bins' })).statusCode, 403)
  for (const method of ['GET', 'POST'] as const)
    assert.equal((await app.inject({ method, url: bin.url })).statusCode, 403)
  assert.deepEqual(await bin.list(), [])
})
