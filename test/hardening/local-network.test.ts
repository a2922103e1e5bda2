import assert from 'node:assert/strict'
import { request as openRequest, type IncomingMessage } from 'node:http'
import { once } from 'node:events'
import { networkInterfaces } from 'node:os'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { browserAccept, formType } from '../support/resources.ts'
import { asMultipart } from '../support/multipart-form.ts'
import { useWatched, type WatchedVitrine } from '../support/watched-vitrine.ts'

interface TestResponse {
  status: number
  headers: IncomingMessage['headers']
  body: string
}

/** An address of this machine that is not its loopback, where there is one. */
function findAddress(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? [])
  return (
    addresses.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.2'
  )
}

const watched = useWatched({ HOST: '0.0.0.0' })

function onNetwork(): WatchedVitrine & { site: string } {
  const vitrine = watched()
  return { ...vitrine, site: `http://${findAddress()}:${new URL(vitrine.origin).port}` }
}

interface TestRequest {
  method?: string
  /** Undefined takes one away that a browser would send. */
  headers?: Readonly<Record<string, string | undefined>>
  body?: string | Buffer
}

/** The headers of a browser over plain HTTP on a local network, where it leaves out Sec-Fetch-*. */
async function browse(
  url: string,
  { method = 'GET', headers, body }: TestRequest = {},
): Promise<TestResponse> {
  const { origin } = new URL(url)
  const all: Record<string, string | undefined> = {
    'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    accept: browserAccept,
    referer: `${origin}/`,
    ...(method !== 'GET' && { origin }),
    ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
    ...headers,
  }
  const fields = Object.entries(all).filter(([, value]) => value !== undefined)
  const request = openRequest(url, { agent: false, method, headers: Object.fromEntries(fields) })
  request.end(body)
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  return { status: response.statusCode ?? 0, headers: response.headers, body: await text(response) }
}

function asForm(fields: Record<string, string>): TestRequest {
  const headers = { 'content-type': formType }
  return { method: 'POST', headers, body: new URLSearchParams(fields).toString() }
}

test('forms, the login and the edit script work over plain HTTP on a local network', async () => {
  const { site, assertSound } = onNetwork()
  const created = await browse(`${site}/users/`, asForm({ name: 'Ann', password: 'secret' }))
  assert.equal(created.status, 201, created.body)
  const user = `${site}${created.headers.location ?? ''}`

  const byScript = await browse(`${user}/`, {
    method: 'PATCH',
    headers: { 'content-type': `${formType};charset=UTF-8`, accept: 'application/json' },
    body: 'name=Anna&password=',
  })
  assert.equal(byScript.status, 200, byScript.body)
  assert.match(byScript.body, /"redirect":"\/users\//)
  const byForm = await browse(`${user}/`, asForm({ _method: 'PATCH', name: 'Anne', password: '' }))
  assert.equal(byForm.status, 303, byForm.body)
  assert.match((await browse(user)).body, /Anne/)

  const login = await browse(`${site}/login`, asForm({ username: 'Anne', password: 'secret' }))
  assert.equal(login.status, 303, login.body)
  const [cookie = ''] = login.headers['set-cookie'] ?? []
  assert.match(cookie, /^session=/)
  assert.doesNotMatch(cookie, /Secure|__Host-/i)
  const headers = { cookie: cookie.split(';', 1)[0] ?? '' }
  const session = await browse(`${site}/session`, { headers })
  assert.equal(session.status, 200)
  assert.match(session.body, /Anne/)
  assert.equal((await browse(`${site}/logout`, { method: 'POST', headers })).status, 303)
  assert.equal((await browse(`${site}/session`, { headers })).status, 302)

  assert.equal((await browse(`${site}/mirror/field`, asForm({ a: 'glass' }))).body, 'glass')
  const file = { name: 'upfiles', fileName: 'a.txt', type: 'text/plain', content: 'glass' }
  const form = asMultipart([file])
  const sent = { method: 'POST', headers: form.headers, body: form.payload }
  assert.equal((await browse(`${site}/profile`, sent)).status, 200)
  assert.equal((await browse(`${user}/`, asForm({ _method: 'DELETE' }))).status, 303)
  assert.equal((await browse(user)).status, 404)
  await assertSound()
})

test('nothing on plain HTTP sends a browser to HTTPS', async (t) => {
  const { site, assertSound } = onNetwork()
  const paths = ['/', '/people', '/people/new', '/login', '/session', '/uploads', '/topic.html']
  for (const path of [
    ...paths,
    '/nowhere',
    '/assets/base.css',
    '/mirror/status/302',
    '/mirror/status/500',
  ]) {
    await t.test(path, async () => {
      const { headers, body } = await browse(site + path)
      assert.doesNotMatch(String(headers['content-security-policy']), /upgrade-insecure-requests/)
      assert.equal(headers['strict-transport-security'], undefined)
      assert.equal(headers['set-cookie'], undefined)
      assert.doesNotMatch(String(headers.location), /^https:/)
      assert.doesNotMatch(body, /upgrade-insecure-requests|https:\/\//)
    })
  }
  await assertSound()
})

test('a write from another site is blocked on a local network', async (t) => {
  const { site, assertSound } = onNetwork()
  const { hostname, port } = new URL(site)
  const otherOrigins = [
    'http://evil.example',
    `https://${hostname}:${port}`,
    `http://${hostname}`,
    `http://${hostname}:${String(Number(port) + 1)}`,
    `http://127.0.0.1:${port}`,
    `http://localhost:${port}`,
    `http://${hostname}.evil.example:${port}`,
    'null',
  ]
  const content = asForm({ name: 'bad', password: 'bad' })
  for (const origin of otherOrigins) {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      await t.test(`${origin} ${method}`, async () => {
        const headers = { ...content.headers, origin }
        const { status } = await browse(`${site}/people`, { ...content, method, headers })
        assert.deepEqual([origin, method, status], [origin, method, 403])
      })
    }
  }
  // The other site names itself as the host, as after a change of its address in the DNS.
  const rebound = { host: `evil.example:${port}`, origin: `http://${hostname}:${port}` }
  const headers = { ...content.headers, ...rebound }
  assert.equal((await browse(`${site}/people`, { ...content, headers })).status, 403)
  const list = await browse(`${site}/people`, { headers: { accept: 'application/json' } })
  assert.equal(list.body, '[]')
  await assertSound()
})

test('a link cannot turn a GET into a write on a local network', async (t) => {
  const { site, assertSound } = onNetwork()
  const created = await browse(`${site}/people`, asForm({ name: 'Ann', password: 'secret' }))
  const user = `${site}${created.headers.location ?? ''}`
  const { hostname, port } = new URL(site)
  const rows: [status: number, referer: string | undefined, more?: Record<string, string>][] = [
    [403, undefined],
    [403, ''],
    [403, 'http://evil.example/page'],
    [403, `http://127.0.0.1:${port}/people`],
    [403, `https://${hostname}:${port}/people`],
    [403, `http://${hostname}/people`],
    [403, `${site}.evil.example/`],
    [403, `${site}/people`, { 'sec-purpose': 'prefetch' }],
    [403, `${site}/people`, { purpose: 'prefetch' }],
    [403, `${site}/people`, { 'sec-fetch-site': 'cross-site' }],
    [403, `${site}/people`, { 'sec-fetch-site': 'none' }],
  ]
  for (const [expected, referer, more = {}] of rows) {
    for (const method of ['GET', 'HEAD']) {
      await t.test(`${String(expected)} ${method}`, async () => {
        const ways: [string, Record<string, string>][] = [
          [`${user}?_method=DELETE`, {}],
          [`${user}/?_method=delete`, {}],
          [user, { 'x-http-method-override': 'DELETE' }],
        ]
        for (const [url, override] of ways) {
          const headers = { referer, ...more, ...override }
          const { status } = await browse(url, { method, headers })
          assert.deepEqual([method, referer, status], [method, referer, expected])
        }
      })
    }
  }
  assert.equal((await browse(user)).status, 200)
  const ours = await browse(`${user}?_method=DELETE`, { headers: { referer: `${site}/people` } })
  assert.equal(ours.status, 303)
  await assertSound()
})
