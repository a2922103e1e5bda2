import assert from 'node:assert/strict'
import { suite, test, type TestContext } from 'node:test'
import type { InjectOptions } from 'fastify'
import { dataApp } from '../support/data-app.ts'
import { backends } from '../support/sandbox-backends.ts'
import { catalogueApp, type TestApp } from '../support/test-app.ts'

const posts = [{ id: 1, title: 'One' }]
const visitors = { SANDBOXES: 'visitor' }
const notice = 'shared; send X-Sandbox for your own'
const key = 'sandbox-of-ann-0001'
const browser = {
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
  'sec-fetch-site': 'none',
  accept: 'text/html,*/*;q=0.8',
}

const openPosts = (t: TestContext, settings: Record<string, string> = {}) =>
  dataApp(t, { posts }, { settings: { ...visitors, ...settings } })
const post = (app: TestApp, request: InjectOptions = {}, title = 'Own') =>
  app.inject({ ...request, method: 'POST', url: '/posts', payload: { title } })
const count = async (app: TestApp, request: InjectOptions = {}) =>
  (await app.inject({ ...request, url: '/posts' })).json<unknown[]>().length
const toCookie = (value: unknown) => String(value).split(';', 1)[0] ?? ''

test('a client without a key works in the sandbox of its address', async (t) => {
  const app = await openPosts(t)
  const created = await post(app, { remoteAddress: '192.0.2.1' })
  assert.deepEqual([created.statusCode, created.headers['vitrine-sandbox']], [201, notice])
  assert.equal(created.headers['set-cookie'], undefined)
  assert.equal(await count(app, { remoteAddress: '192.0.2.1' }), 2)
  assert.equal(await count(app, { remoteAddress: '192.0.2.2' }), 1)
  assert.equal(await count(app, { headers: { 'x-sandbox': key } }), 1)
})

const clients: [title: string, address: string, forwarded: string | undefined, isSame: boolean][] =
  [
    ['another port of the same address', '192.0.2.1', undefined, true],
    ['the same address within IPv6', '::ffff:192.0.2.1', undefined, true],
    ['another address', '192.0.2.3', undefined, false],
    ['an address that a client claims', '192.0.2.3', '192.0.2.1', false],
    ['an address that a proxy names', '127.0.0.1', '192.0.2.1', true],
    ['the last address that a proxy names', '127.0.0.1', '192.0.2.1, 192.0.2.3', false],
  ]
for (const [title, remoteAddress, forwarded, isSame] of clients) {
  test(`the sandbox of an address: ${title}`, async (t) => {
    const settings = { TRUSTED_PROXIES: '127.0.0.1', ALLOWED_HOSTS: 'localhost' }
    const app = await openPosts(t, settings)
    await post(app, { remoteAddress: '192.0.2.1' })
    const headers = { ...(forwarded && { 'x-forwarded-for': forwarded }) }
    assert.equal(await count(app, { remoteAddress, headers }), isSame ? 2 : 1)
  })
}

const networks: [address: string, isSame: boolean][] = [
  ['2001:db8:0:1::2', true],
  ['2001:DB8:0:1:ffff::', true],
  ['2001:db8:0:2::1', false],
]
for (const [remoteAddress, isSame] of networks) {
  test(`the address ${remoteAddress} ${isSame ? 'has' : 'does not have'} the sandbox of 2001:db8:0:1::1`, async (t) => {
    const app = await openPosts(t)
    await post(app, { remoteAddress: '2001:db8:0:1::1' })
    assert.equal(await count(app, { remoteAddress }), isSame ? 2 : 1)
  })
}

const begun: [client: string, request: InjectOptions][] = [
  ['a browser that opens a page', { url: '/posts', headers: browser }],
  [
    'a browser over plain HTTP',
    { url: '/posts', headers: { accept: 'text/html', 'upgrade-insecure-requests': '1' } },
  ],
  ['a script of a page', { url: '/posts', headers: { 'sec-fetch-site': 'same-origin' } }],
  ['a script over plain HTTP', { url: '/posts', headers: { referer: 'http://localhost/docs' } }],
  [
    'a form of a page',
    {
      method: 'POST',
      url: '/posts',
      payload: { title: 'a' },
      headers: { origin: 'http://localhost' },
    },
  ],
  ['a browser that opens the page of its sandbox', { url: '/_vitrine/sandbox', headers: browser }],
]
for (const [client, request] of begun) {
  test(`a sandbox of its own gets ${client}`, async (t) => {
    const app = await openPosts(t)
    await post(app)
    const response = await app.inject(request)
    const [cookie = '', ...attributes] = String(response.headers['set-cookie']).split('; ')
    assert.match(cookie, /^sandbox=[\w-]{22}$/)
    assert.deepEqual(attributes, ['Path=/', 'HttpOnly', 'SameSite=Lax'])
    assert.match(String(response.headers['cache-control']), /no-store/)
    assert.equal(response.headers['vitrine-sandbox'], undefined)
    const written = request.method === 'POST' ? 2 : 1
    assert.equal(await count(app, { headers: { cookie } }), written)
    const next = await app.inject({ ...request, headers: { ...request.headers, cookie } })
    assert.equal(next.headers['set-cookie'], undefined)
  })
}

const others: [client: string, request: InjectOptions][] = [
  ['a program', { url: '/posts' }],
  ['a program that prefers HTML', { url: '/posts', headers: { accept: 'text/html' } }],
  ['fetch of Node', { url: '/posts', headers: { 'sec-fetch-mode': 'cors' } }],
  [
    'a script of another site',
    { url: '/posts', headers: { ...browser, 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' } },
  ],
  ['a frame', { url: '/posts', headers: { ...browser, 'sec-fetch-dest': 'iframe' } }],
  [
    'a form of another site',
    {
      method: 'POST',
      url: '/posts',
      payload: { title: 'a' },
      headers: { ...browser, origin: 'https://other.example' },
    },
  ],
  ['a page that needs no data', { url: '/demos/mirror', headers: browser }],
  ['the documentation', { url: '/docs', headers: browser }],
  ['the page of an operation', { url: '/docs/getDocs', headers: browser }],
  ['a page that does not exist', { url: '/nowhere', headers: browser }],
]
for (const [client, request] of others) {
  test(`no cookie gets ${client}`, async (t) => {
    const app = await openPosts(t)
    const { headers } = await app.inject(request)
    assert.equal(headers['set-cookie'], undefined)
    assert.equal(headers['vitrine-sandbox'], notice)
  })
}

for (const headers of [
  { 'x-sandbox': key },
  { cookie: `sandbox=${key}` },
  { ...browser, cookie: `sandbox=${key}` },
]) {
  test(`a key is used as it is: ${JSON.stringify(headers)}`, async (t) => {
    const app = await openPosts(t)
    const response = await app.inject({ url: '/posts', headers })
    assert.equal(response.headers['set-cookie'], undefined)
    assert.equal(response.headers['vitrine-sandbox'], undefined)
  })
}

test('a shared cache may store what is the same in each sandbox', async (t) => {
  const app = await catalogueApp(t, { settings: visitors })
  for (const url of ['/learn', '/problems', '/assets/icon.svg']) {
    for (const headers of [{}, { ...browser, cookie: `sandbox=${key}` }]) {
      const response = await app.inject({ url, headers })
      assert.match(String(response.headers['cache-control']), /^public/)
      assert.equal(response.headers['vitrine-sandbox'], undefined)
      assert.doesNotMatch(String(response.headers.vary), /Cookie/)
      assert.ok(!response.body.includes('data-part="sandbox"'))
    }
  }
})

for (const url of ['/posts', '/posts/1', '/posts.csv', '/']) {
  test(`what a sandbox changes is private and varies by its key: ${url}`, async (t) => {
    const app = await openPosts(t)
    const { headers } = await app.inject(url)
    assert.match(String(headers['cache-control']), /^private/)
    assert.match(String(headers.vary), /X-Sandbox, Cookie/)
  })
}

test('a stored page of one sandbox is not valid in another', async (t) => {
  const app = await openPosts(t)
  for (const remoteAddress of ['192.0.2.1', '192.0.2.2'])
    await post(app, { remoteAddress }, `Of ${remoteAddress}`)
  const { headers } = await app.inject({ url: '/posts', remoteAddress: '192.0.2.1' })
  const again = { 'if-none-match': String(headers.etag) }
  const own = await app.inject({ url: '/posts', remoteAddress: '192.0.2.1', headers: again })
  const other = await app.inject({ url: '/posts', remoteAddress: '192.0.2.2', headers: again })
  assert.deepEqual([own.statusCode, other.statusCode], [304, 200])
})

test('a browser and a program of the same address do not see each other', async (t) => {
  const app = await openPosts(t)
  await post(app)
  const opened = await app.inject({ url: '/posts', headers: browser })
  const cookie = toCookie(opened.headers['set-cookie'])
  await post(app, { headers: { cookie } })
  await post(app, { headers: { cookie } })
  assert.equal(await count(app, { headers: { cookie } }), 3)
  assert.equal(await count(app), 2)
})

test('the sandbox of an address is described without links, and can be reset', async (t) => {
  const app = await openPosts(t)
  await post(app)
  const { records, ...rest } = (await app.inject('/_vitrine/sandbox')).json<{ records: number }>()
  assert.equal(records, 2)
  assert.deepEqual(Object.keys(rest), ['expiresAt'])
  assert.equal(
    (await app.inject({ method: 'POST', url: '/_vitrine/sandbox/reset' })).statusCode,
    204,
  )
  assert.equal(await count(app), 1)
})

for (const [backend, skip, toSettings] of backends) {
  suite(`visitors on ${backend}`, { skip }, () => {
    test('the sandbox of an address is there after a restart', async (t) => {
      const settings = await toSettings()
      const app = await openPosts(t, settings)
      await post(app)
      await app.close()
      assert.equal(await count(await openPosts(t, settings)), 2)
    })
  })
}

test('with PRESET=public, visitors have sandboxes', async (t) => {
  const app = await dataApp(t, { posts }, { settings: { PRESET: 'public' } })
  assert.equal((await app.inject('/posts')).headers['vitrine-sandbox'], notice)
})

test('a service that is read-only has sandboxes for visitors too, and stores nothing', async (t) => {
  const app = await openPosts(t, { READ_ONLY: 'on' })
  assert.equal(await count(app), 1)
  assert.equal((await post(app)).statusCode, 403)
})
