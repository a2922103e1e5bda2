import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { createRecord } from '../../../test/support/resources.ts'
import { ann } from '../../../test/support/sign-in.ts'
import { testApp } from '../../../test/support/test-app.ts'
import { loadConfig } from '../../config/config.ts'

const proxy = '10.0.0.1'
const ALLOWED_HOSTS = 'vitrine.example,inner,localhost'
const forwarded = {
  host: 'inner:3000',
  'x-forwarded-proto': 'https',
  'x-forwarded-host': 'vitrine.example',
}

function openBehindProxy(t: TestContext) {
  return testApp(t, {
    settings: {
      DEMOS: 'users,sessions,mirror,places',
      TRUSTED_PROXIES: '10.0.0.0/8',
      ALLOWED_HOSTS,
    },
  })
}

test('URLs have the protocol and host that a trusted proxy forwards', async (t) => {
  const app = await openBehindProxy(t)
  const headers = { ...forwarded, accept: 'application/json' }
  const rejected = await app.inject({ url: '/nowhere', headers, remoteAddress: proxy })
  assert.equal(rejected.json<{ type: string }>().type, 'https://vitrine.example/problems/not-found')
  for (const url of ['/docs', '/problems/not-found']) {
    await t.test(url, async () => {
      const { body } = await app.inject({ url, headers: forwarded, remoteAddress: proxy })
      assert.match(body, /https:\/\/vitrine\.example/)
      assert.doesNotMatch(body, /inner:3000/)
    })
  }
})

test('the origin of an unsafe request is compared with the forwarded origin', async (t) => {
  const app = await openBehindProxy(t)
  const create = async (origin: string, remoteAddress: string) => {
    const payload = { name: 'Rome' }
    const headers = { ...forwarded, origin }
    return (await app.inject({ method: 'POST', url: '/places', headers, payload, remoteAddress }))
      .statusCode
  }
  assert.equal(await create('https://vitrine.example', proxy), 201)
  assert.equal(await create('https://vitrine.example:443', proxy), 201)
  assert.equal(await create('http://vitrine.example', proxy), 403)
  assert.equal(await create('http://inner:3000', proxy), 403)
  // Forwarding headers of an untrusted client are ignored.
  assert.equal(await create('https://vitrine.example', '192.0.2.1'), 403)
  assert.equal(await create('http://inner:3000', '192.0.2.1'), 201)
})

test('OpenAPI has the names of the session cookie over HTTP and HTTPS', async (t) => {
  const app = await openBehindProxy(t)
  await createRecord(app, '/users', ann)
  const payload = { username: ann.name, password: ann.password }
  const findName = async (headers: Record<string, string>) => {
    const request = {
      method: 'POST',
      url: '/login',
      headers,
      payload,
      remoteAddress: proxy,
    } as const
    return String((await app.inject(request)).headers['set-cookie']).split('=')[0] ?? ''
  }
  const { components } = (await app.inject('/openapi.json')).json<{
    components: { securitySchemes: { session: { name: string; description: string } } }
  }>()
  const { name, description } = components.securitySchemes.session
  assert.equal(name, await findName({ host: 'localhost' }))
  assert.ok(description.includes(`\`${await findName(forwarded)}\``))
})

test('cookies and HSTS are those of HTTPS when the proxy forwards https', async (t) => {
  const app = await openBehindProxy(t)
  await createRecord(app, '/users', ann)
  const payload = { username: ann.name, password: ann.password }
  const enter = (headers: Record<string, string>, remoteAddress: string) =>
    app.inject({ method: 'POST', url: '/login', headers, payload, remoteAddress })
  const secure = await enter(forwarded, proxy)
  assert.match(String(secure.headers['set-cookie']), /^__Host-session=.*; Secure/)
  assert.equal(secure.headers['strict-transport-security'], 'max-age=31536000')
  for (const [headers, remoteAddress] of [
    [forwarded, '192.0.2.1'],
    [{ ...forwarded, 'x-forwarded-proto': 'http' }, proxy],
    [{}, proxy],
    [{ forwarded: 'proto=https;host=vitrine.example' }, proxy],
  ] as const) {
    await t.test(remoteAddress, async () => {
      const plain = await enter(headers, remoteAddress)
      assert.match(String(plain.headers['set-cookie']), /^session=(?!.*Secure)/)
      assert.equal(plain.headers['strict-transport-security'], undefined)
    })
  }
})

test('without TRUSTED_PROXIES forwarding headers are ignored', async (t) => {
  const app = await testApp(t, {
    settings: { DEMOS: 'users,sessions,mirror,places', ALLOWED_HOSTS },
  })
  const headers = { ...forwarded, accept: 'application/json' }
  const { json, headers: fields } = await app.inject({ url: '/nowhere', headers })
  assert.equal(json<{ type: string }>().type, 'http://inner:3000/problems/not-found')
  assert.equal(fields['strict-transport-security'], undefined)
})

test('an invalid forwarded host or protocol is rejected from a proxy, and ignored from a client', async (t) => {
  const app = await openBehindProxy(t)
  const cases: Record<string, string>[] = [
    { 'x-forwarded-host': 'no host' },
    { 'x-forwarded-host': 'a/b' },
    { 'x-forwarded-host': '<script>' },
    { 'x-forwarded-host': '[::1' },
    { 'x-forwarded-host': 'vitrine.example, ' },
    { 'x-forwarded-host': 'user@vitrine.example' },
    { 'x-forwarded-proto': 'javascript' },
    { 'x-forwarded-proto': 'https://' },
  ]
  for (const fields of cases) {
    const headers = { ...forwarded, ...fields, accept: 'application/json' }
    for (const url of ['/mirror/query', '/%ff', '/nowhere']) {
      const response = await app.inject({ url, headers, remoteAddress: proxy })
      const what = `${url} ${JSON.stringify(fields)}`
      assert.equal(response.statusCode, 400, what)
      assert.doesNotMatch(response.body, /script|a\/b|user@/, what)
    }
    const unusual = await app.inject({ url: '/mirror/query', headers, remoteAddress: '192.0.2.1' })
    assert.equal(unusual.statusCode, 200)
  }
})

test('of several forwarded values the one of the last proxy is used', async (t) => {
  const app = await openBehindProxy(t)
  const headers = {
    'x-forwarded-proto': 'http, https',
    'x-forwarded-host': 'evil.example, vitrine.example',
    accept: 'application/json',
  }
  const { body } = await app.inject({ url: '/nowhere', headers, remoteAddress: proxy })
  assert.match(body, /https:\/\/vitrine\.example\//)
})

test('TRUSTED_PROXIES takes addresses and networks, and never every address', async (t) => {
  const good = [
    '127.0.0.1',
    '10.0.0.0/8, 192.168.1.1',
    '::1,2001:db8::/32',
    '::ffff:10.0.0.1',
    '::ffff:10.0.0.0/104',
    'fe80::1%eth0',
    '0.0.0.0/1',
  ]
  for (const TRUSTED_PROXIES of good) {
    await t.test(TRUSTED_PROXIES, async () => {
      const app = await testApp(t, {
        settings: { DEMOS: 'users,sessions,mirror,places', TRUSTED_PROXIES, ALLOWED_HOSTS: '*' },
      })
      assert.equal((await app.inject('/mirror/query')).statusCode, 200)
    })
  }
  const bad = 'all true 1 loopback 10.0.0.1/33 0.0.0.0/0 ::/0 ::1/129 10.0.0'.split(' ')
  for (const TRUSTED_PROXIES of bad) {
    await t.test(TRUSTED_PROXIES, () => {
      const load = () => loadConfig({ TRUSTED_PROXIES, ALLOWED_HOSTS }, ['users'])
      assert.throws(load, /^Error: TRUSTED_PROXIES must be /, TRUSTED_PROXIES)
    })
  }
})
