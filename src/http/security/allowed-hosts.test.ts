import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sendBothWays, sendRaw } from '../../../test/support/request-both-ways.ts'
import { failedStart } from '../../../test/support/failed-start.ts'
import { mirror } from '../../../test/support/mirror.ts'
import { testApp, useApp } from '../../../test/support/test-app.ts'
import { loadConfig } from '../../config/config.ts'
import { isLoopback } from '../../config/hosts.ts'

type Row = readonly [status: number, host: string, settings?: Readonly<Record<string, string>>]

const named = { ALLOWED_HOSTS: 'vitrine.example, *.glass.example, [2001:db8::1]' }
const open = { HOST: '0.0.0.0' }

const rows: readonly Row[] = [
  [200, 'localhost'],
  [200, 'LOCALHOST.:3000'],
  [200, 'shop.localhost:8080'],
  [200, '127.0.0.1:3000'],
  [200, '192.168.0.7'],
  [200, '[::1]:3000'],
  [421, 'attacker.example'],
  [421, 'attacker.example:3000'],
  [421, 'localhost.attacker.example'],
  [421, 'notlocalhost'],
  [421, '127.0.0.1.attacker.example'],
  [421, 'ip'],
  [421, 'attacker.example', { HOST: 'localhost' }],
  [421, 'attacker.example', { HOST: '::1' }],
  [421, 'attacker.example', { HOST: '127.0.0.2' }],
  [200, 'attacker.example', open],
  [200, 'attacker.example', { ALLOWED_HOSTS: '*' }],
  [200, 'vitrine.example:3000', named],
  [200, 'VITRINE.example', named],
  [200, 'a.b.glass.example', named],
  [200, '[2001:DB8:0::1]', named],
  [421, 'glass.example', named],
  [421, 'evilglass.example', named],
  [421, 'localhost', named],
  [421, '127.0.0.1', named],
  [421, 'attacker.example', { ...open, ...named }],
]

for (const [settings = {}, ofSettings] of Map.groupBy(rows, ([, , settings]) => settings)) {
  const mirrored = useApp({ demos: [mirror], settings })

  for (const [expected, host] of ofSettings) {
    test(`Host: ${host} with ${JSON.stringify(settings)} gets ${String(expected)}`, async () => {
      const send = async (path: string, method = 'GET', headers = {}) =>
        (await sendBothWays(mirrored(), { method, path, headers: { host, ...headers } })).status
      assert.equal(await send('/mirror'), expected)
      assert.equal(await send('/mirror', 'POST', { origin: `http://${host}` }), expected)
      assert.equal(await send('/nowhere'), expected === 200 ? 404 : 421)
      assert.equal(await send('/health/live'), 200)
    })
  }
}

test('DNS rebinding: a page cannot write, and the error names the setting', async (t) => {
  const app = await testApp(t)
  const headers = {
    host: 'attacker.example:3000',
    origin: 'http://attacker.example:3000',
    'content-type': 'application/json',
    accept: 'application/json',
  }
  const received = await app.inject({
    method: 'POST',
    url: '/places',
    headers,
    body: '{"name":1}',
  })
  assert.equal(received.statusCode, 421)
  const { type, detail } = received.json<{ type: string; detail: string }>()
  assert.match(type, /\/problems\/misdirected-request$/)
  assert.match(detail, /^The host attacker\.example is not served here\. .*ALLOWED_HOSTS/)
  assert.equal((await app.inject('/places.json')).body, '[]')
})

const behindProxy = { TRUSTED_PROXIES: '127.0.0.1', ALLOWED_HOSTS: 'vitrine.example' }
const forwardedRows: readonly (readonly [status: number, host: string, forwarded?: string])[] = [
  [200, '127.0.0.1:3000', 'vitrine.example'],
  [200, 'localhost', 'vitrine.example:8443'],
  [200, 'vitrine.example', 'vitrine.example'],
  [200, 'vitrine.example'],
  [421, '127.0.0.1:3000'],
  [421, '127.0.0.1:3000', 'other.example'],
  [421, 'attacker.example', 'vitrine.example'],
  [421, 'attacker.example'],
]

const forwarding = useApp({ demos: [mirror], settings: behindProxy })
for (const [expected, host, forwarded] of forwardedRows) {
  test(`behind a proxy: Host ${host}, forwarded ${String(forwarded)}: ${String(expected)}`, async () => {
    const headers = { host, ...(forwarded !== undefined && { 'x-forwarded-host': forwarded }) }
    const { status } = await sendBothWays(forwarding(), { path: '/mirror', headers })
    assert.equal(status, expected)
  })
}

test('without a trusted proxy X-Forwarded-Host changes nothing', async (t) => {
  const app = await testApp(t, { demos: [mirror] })
  const headers = { host: 'attacker.example', 'x-forwarded-host': 'localhost' }
  assert.equal((await sendBothWays(app, { path: '/mirror', headers })).status, 421)
})

test('on a loopback address a trusted proxy needs ALLOWED_HOSTS', async (t) => {
  const { status, lines } = await failedStart(t, { TRUSTED_PROXIES: '127.0.0.1' })
  assert.equal(status, 2)
  assert.deepEqual(lines, [
    'vitrine: ALLOWED_HOSTS must be set if HOST is a loopback address and TRUSTED_PROXIES is set: to the host names of the proxy, such as vitrine.example',
  ])
  assert.doesNotThrow(() => loadConfig({ ...open, TRUSTED_PROXIES: '10.0.0.1' }, ['users']))
})

test('HTTP/1.0 without Host is accepted: no browser sends it', async (t) => {
  const app = await testApp(t, { demos: [mirror] })
  assert.match(await sendRaw(app, 'GET /mirror HTTP/1.0\r\n\r\n'), /^HTTP\/1\.1 200 /)
})

for (const text of [
  'vitrine.example:3000',
  'http://vitrine.example',
  '*.',
  'a*',
  '*.*.a',
  '::1',
  'a b',
]) {
  test(`ALLOWED_HOSTS=${text} is invalid`, () => {
    assert.throws(
      () => loadConfig({ ALLOWED_HOSTS: text }, ['users']),
      /^Error: ALLOWED_HOSTS must/,
    )
  })
}

for (const [host, expected] of [
  ['127.0.0.1', true],
  ['127.1', true],
  ['127.255.0.9', true],
  ['localhost', true],
  ['::1', true],
  ['0:0:0:0:0:0:0:1', true],
  ['::ffff:127.0.0.1', true],
  ['0.0.0.0', false],
  ['::', false],
  ['192.168.0.7', false],
  ['::ffff:10.0.0.1', false],
  ['127.example', false],
] as const) {
  test(`${host} is ${expected ? '' : 'not '}a loopback address`, () => {
    assert.equal(isLoopback(host), expected)
  })
}

for (const [host, path, text] of [
  ['evil.example:', '/', 'The host evil.example is not served here.'],
  ['localhost', 'https://localhost/', 'An https: URL cannot be requested over plain HTTP.'],
] as const) {
  test(`the 421 for Host: ${host} and ${path} contains the reason`, async (t) => {
    const app = await testApp(t)
    const message = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`
    const response = await sendRaw(app, message)
    assert.match(response, /^HTTP\/1\.1 421 /)
    assert.ok(response.includes(text), response)
  })
}

test('ALLOWED_HOSTS=none is an invalid setting', () => {
  assert.throws(() => loadConfig({ ALLOWED_HOSTS: 'none' }, []), /ALLOWED_HOSTS/)
})

test('the error for an unknown host has no link to that host', async (t) => {
  const app = await testApp(t)
  const request = (accept: string) =>
    app.inject({ url: '/', headers: { host: 'evil.example', accept } })
  const page = await request('text/html')
  assert.equal(page.statusCode, 421)
  assert.match(String(page.headers['content-type']), /^text\/plain/)
  const { type } = (await request('application/json')).json<{ type: string }>()
  assert.equal(type, '/problems/misdirected-request')
})
