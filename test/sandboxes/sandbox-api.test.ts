import assert from 'node:assert/strict'
import { test } from 'node:test'
import { catalogueApp, type TestApp } from '../support/test-app.ts'
import { dataApp } from '../support/data-app.ts'

const key = 'sandbox-of-ann-0001'
const own = { 'x-sandbox': key }
const posts = [
  { id: 1, title: 'One' },
  { id: 2, title: 'Two' },
]

const post = (app: TestApp, title: string, headers: Record<string, string> = own) =>
  app.inject({ method: 'POST', url: '/posts', headers, payload: { title } })
const count = async (app: TestApp, headers: Record<string, string>) =>
  (await app.inject({ url: '/posts', headers })).json<unknown[]>().length

interface Described {
  records: number
  expiresAt: string | null
  readUrl?: string
  writeUrl?: string
}

const describe = async (app: TestApp, headers: Record<string, string> = own) =>
  (await app.inject({ url: '/_vitrine/sandbox', headers })).json<Described>()

test('a sandbox is described, with links that do not contain its key', async (t) => {
  const app = await dataApp(t, { posts })
  const before = await describe(app)
  assert.deepEqual([before.records, before.expiresAt], [2, null])
  await post(app, 'Three')
  const { records, expiresAt, readUrl, writeUrl } = await describe(app)
  assert.equal(records, 3)
  const hours = (Date.parse(expiresAt ?? '') - Date.now()) / 3_600_000
  assert.ok(hours > 23.9 && hours <= 24)
  assert.match(String(readUrl), /\/s\/join\/r\.[\w-]{43}$/)
  assert.match(String(writeUrl), /\/s\/join\/w\.[\w-]{43}$/)
  assert.equal((await app.inject('/_vitrine/sandbox')).statusCode, 404)
})

/** Joins with a link, and returns the cookie. */
async function join(app: TestApp, url = '') {
  const { pathname } = new URL(url)
  const page = await app.inject({ url: pathname, headers: { accept: 'text/html' } })
  assert.equal(page.statusCode, 200, page.body)
  assert.equal(page.headers['set-cookie'], undefined)
  const joined = await app.inject({ method: 'POST', url: pathname })
  const [cookie = ''] = String(joined.headers['set-cookie']).split(';', 1)
  return { cookie }
}

test('a link joins a sandbox to write, and another one to read', async (t) => {
  const app = await dataApp(t, { posts })
  await post(app, 'Three')
  const { readUrl, writeUrl } = await describe(app)
  const [reader, writer] = [await join(app, readUrl), await join(app, writeUrl)]
  assert.equal((await post(app, 'Four', writer)).statusCode, 201)
  assert.deepEqual([await count(app, own), await count(app, reader)], [4, 4])
  assert.equal((await post(app, 'Five', reader)).statusCode, 403)
  const reset = { method: 'POST', url: '/_vitrine/sandbox/reset', headers: reader } as const
  assert.equal((await app.inject(reset)).statusCode, 403)
  const described = await describe(app, reader)
  assert.deepEqual([described.readUrl, described.writeUrl], [readUrl, undefined])
  const cleared = await app.inject({ method: 'DELETE', url: '/inspector', headers: reader })
  assert.equal(cleared.statusCode, 403)
  const inspector = await app.inject({
    url: '/inspector',
    headers: { ...reader, accept: 'text/html' },
  })
  assert.doesNotMatch(inspector.body, />Clear( mine)?</)
  assert.equal(await count(app, {}), 2)
})

test('a page of another site cannot join', async (t) => {
  const app = await dataApp(t, { posts })
  const { writeUrl = '' } = await describe(app)
  const headers = { origin: 'https://other.example' }
  const joined = await app.inject({ method: 'POST', url: new URL(writeUrl).pathname, headers })
  assert.equal(joined.statusCode, 403)
})

test('a reset brings the sandbox back, and changes no other', async (t) => {
  const app = await dataApp(t, { posts })
  await post(app, 'Three')
  await post(app, 'Shared', {})
  const tag = String((await app.inject({ url: '/posts/1', headers: own })).headers.etag)
  const reset = { method: 'POST', url: '/_vitrine/sandbox/reset', headers: own } as const
  assert.equal((await app.inject(reset)).statusCode, 204)
  assert.deepEqual([await count(app, own), await count(app, {})], [2, 3])
  const again = await app.inject({ url: '/posts/1', headers: { ...own, 'if-none-match': tag } })
  assert.equal(again.statusCode, 200)
})

test('the reset of the API for tests takes a key', async (t) => {
  const app = await dataApp(t, { posts }, { settings: { TEST_API: 'on' } })
  await post(app, 'Three')
  await post(app, 'Shared', {})
  const reset = { method: 'POST', url: '/_vitrine/reset', headers: own } as const
  assert.equal((await app.inject(reset)).statusCode, 204)
  assert.deepEqual([await count(app, own), await count(app, {})], [2, 3])
})

test('the export is a data file', async (t) => {
  const app = await dataApp(t, { posts })
  await post(app, 'Three')
  const exported = await app.inject({ url: '/_vitrine/sandbox/export', headers: own })
  assert.match(String(exported.headers['content-disposition']), /^attachment; filename="?sandbox/)
  const again = await dataApp(t, exported.json<object>())
  assert.equal(await count(again, {}), 3)
})

const base = `/s/${key}`
const located: [
  title: string,
  method: 'GET' | 'POST',
  url: string,
  header: string,
  value: RegExp,
][] = [
  ['a created record', 'POST', '/locations', 'location', /^\/locations\/[\w-]+$/],
  ['the pages of a list', 'GET', '/locations?page=1&per_page=1', 'link', /^<\/locations\?/],
  ['a redirect to a page', 'GET', '/session', 'location', /^\/login$/],
  ['a redirect of httpbin', 'GET', '/httpbin/redirect/2', 'location', /^\/httpbin\//],
]
for (const [title, method, url, header, value] of located) {
  test(`below /s/KEY, ${title} is linked below it`, async (t) => {
    const app = await catalogueApp(t)
    const accept = url === '/session' ? 'text/html' : 'application/json'
    const payload = method === 'POST' ? { payload: { name: 'Pier' } } : {}
    const send = (path: string) =>
      app.inject({ method, url: path, headers: { accept }, ...payload })
    assert.match(String((await send(url)).headers[header]), value)
    const below = String((await send(base + url)).headers[header])
    assert.match(below.replace(base, ''), value)
    assert.ok(below.includes(`${base}/`), below)
  })
}

test('below /s/KEY, all links of a page are below it', async (t) => {
  const app = await catalogueApp(t)
  for (const url of [
    '/',
    '/locations',
    '/locations/new',
    '/docs',
    '/inspector',
    '/nowhere',
    '/bins',
  ]) {
    const { body } = await app.inject({ url: base + url, headers: { accept: 'text/html' } })
    const links = [...body.matchAll(/\s(?:href|action|src)="(\/[^"]*)"/g)].map(
      ([, link = '']) => link,
    )
    assert.ok(links.length > 0)
    assert.deepEqual(
      links.filter((link) => !link.startsWith(`${base}/`)),
      [],
    )
  }
})

test('the envelope of a change redirects below /s/KEY', async (t) => {
  const app = await catalogueApp(t)
  const created = await app.inject({
    method: 'POST',
    url: `${base}/locations`,
    payload: { name: 'Pier' },
  })
  const url = String(created.headers.location)
  const changed = await app.inject({ method: 'PATCH', url, payload: { name: 'Mole' } })
  assert.equal(changed.json<{ data: { redirect: string } }>().data.redirect, url)
})

test('the key is in no log line, and in no recorded exchange', async (t) => {
  const app = await catalogueApp(t)
  for (const headers of [own, { cookie: `sandbox=${key}` }])
    await app.inject({ url: '/locations', headers: { ...headers, accept: 'text/html' } })
  await app.inject({
    url: `${base}/locations?a=1`,
    headers: { accept: 'text/html', referer: `http://localhost${base}/` },
  })
  await app.inject({ method: 'POST', url: `${base}/locations`, payload: { name: 'Pier' } })
  for (const url of ['/inspector', '/inspector.har']) {
    const { body } = await app.inject({ url, headers: { ...own, accept: 'application/json' } })
    assert.ok(body.includes('/locations'))
    assert.ok(!body.includes(key))
  }
  assert.ok(!app.logLines.join('').includes(key))
})
