import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { asJson } from '../support/client.ts'
import {
  emptyService,
  openService,
  runFailing,
  runSucceeding,
  type TestService,
} from '../support/data-folder.ts'
import { findFreePort } from '../support/free-port.ts'
import { startVitrine } from '../support/start-vitrine.ts'
import { makeCertificate } from '../support/tls-client.ts'
import { until } from '../support/until.ts'

const behindProxy = { TRUSTED_PROXIES: '127.0.0.1', ALLOWED_HOSTS: '*' }

async function openProxied(t: TestContext, services: TestService) {
  const { origin, send, stop } = await openService(t, services)
  const from = (client: string, path = '/locations', message = {}) =>
    send(path, { ...message, headers: { 'x-forwarded-for': client, ...headersOf(message) } })
  const becomes = (client: string, status: number) =>
    until(async () => (await from(client)).status === status)
  return { origin, from, becomes, stop }
}

const headersOf = ({ headers = {} }: { headers?: Record<string, string> }) => headers

/** What is blocked, by what, and which client is not. */
const rows: [address: string, shown: string, blocked: string[], others: string[]][] = [
  [
    '203.0.113.7',
    '203.0.113.7',
    ['203.0.113.7', '::ffff:203.0.113.7', '203.0.113.7:4711'],
    ['203.0.113.8'],
  ],
  [
    '203.0.113.7/24',
    '203.0.113.0/24',
    ['203.0.113.0', '203.0.113.255'],
    ['203.0.114.0', '2001:db8::1'],
  ],
  ['10.255.1.2/9', '10.128.0.0/9', ['10.128.0.0', '10.255.255.255'], ['10.127.255.255']],
  ['::ffff:203.0.113.7', '203.0.113.7', ['203.0.113.7'], ['203.0.113.6']],
  ['::ffff:203.0.113.7/120', '203.0.113.0/24', ['203.0.113.9'], ['203.0.114.9']],
  [
    '2001:DB8:0:1::5',
    '2001:db8:0:1::/64',
    ['2001:db8:0:1::5', '[2001:db8:0:1:a:b:c:d]:99'],
    ['2001:db8:0:2::5'],
  ],
  ['2001:db8::5/128', '2001:db8::5/128', ['2001:db8::5'], ['2001:db8::6']],
  [
    '2001:db8:ffff::/33',
    '2001:db8:8000::/33',
    ['2001:db8:8000::1', '2001:db8:ffff:1::'],
    ['2001:db8:7fff::1'],
  ],
]

test('a running service blocks and unblocks', async (t) => {
  const services = await emptyService(t, behindProxy)
  const { from, becomes } = await openProxied(t, services)
  for (const [address, shown, blocked, others] of rows) {
    await t.test(address, async () => {
      const output = await runSucceeding(services, 'block', address)
      assert.ok(output.startsWith(`Blocked ${shown}. `), output)
      for (const client of blocked) await becomes(client, 403)
      for (const client of [...others, '127.0.0.1'])
        assert.equal((await from(client)).status, 200, client)
      assert.equal(await runSucceeding(services, 'unblock', shown), `Unblocked ${shown}`)
      for (const client of blocked) await becomes(client, 200)
    })
  }
})

test('a blocked client gets a problem for each request, and stores nothing', async (t) => {
  const services = await emptyService(t, behindProxy)
  await runSucceeding(services, 'block', '203.0.113.7')
  const { from, becomes } = await openProxied(t, services)
  await becomes('203.0.113.7', 403)
  const created = asJson('POST', { name: 'Pier' })
  const form = {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: '_method=PUT&name=Pier',
  }
  for (const [path, message] of [
    ['/locations', created],
    ['/locations/pier', form],
    ['/health', {}],
    ['/assets/base.css', {}],
    ['/nowhere', {}],
    ['/%zz', {}],
    ['/httpbin/anything', created],
    ['/users', { method: 'OPTIONS' }],
  ] as const) {
    const { status, headers, text } = await from('203.0.113.7', path, message)
    assert.deepEqual([path, status, headers.connection], [path, 403, 'close'])
    if (headers['content-type'] === 'application/problem+json')
      assert.match(text, /"type":"[^"]*\/problems\/blocked-client"/)
  }
  assert.equal((await from('203.0.113.8')).text, '[]')
})

test('an event stream of a blocked client ends', { timeout: 120_000 }, async (t) => {
  const services = await emptyService(t, behindProxy)
  const { origin, from, becomes } = await openProxied(t, services)
  const headers = { 'x-forwarded-for': '203.0.113.7', accept: 'text/event-stream' }
  const stream = await fetch(`${origin}/inspector/events`, { headers })
  assert.equal(stream.status, 200)
  const ended = stream.text()
  await runSucceeding(services, 'block', '203.0.113.7')
  await becomes('203.0.113.7', 403)
  await from('203.0.113.8', '/locations', asJson('POST', { name: 'Pier' }))
  assert.match(await ended, /^retry: /)
})

test('the port that redirects to HTTPS blocks too', async (t) => {
  const port = String(await findFreePort())
  const settings = { ...(await makeCertificate(t)), REDIRECT_HTTP_PORT: port, PORT: '0' }
  const services = await emptyService(t, settings)
  await startVitrine(t, services.settings)
  const url = `http://127.0.0.1:${port}/locations`
  const send = async () => (await fetch(url, { redirect: 'manual' })).status
  assert.equal(await send(), 308)
  await runSucceeding(services, 'block', '127.0.0.1')
  await until(async () => (await send()) === 403)
})

test('blocks are kept across restarts and resets, and are listed', async (t) => {
  const services = await emptyService(t, behindProxy)
  const first = await openProxied(t, services)
  await runSucceeding(services, 'block', '203.0.113.7')
  await runSucceeding(services, 'block', '2001:db8::/32')
  await runSucceeding(services, 'reset')
  await first.stop()
  const { becomes } = await openProxied(t, services)
  await becomes('2001:db8:5::1', 403)
  const listed = (await runSucceeding(services, 'blocked')).split('\n').toSorted()
  assert.match(listed.join('\n'), /^2001:db8::\/32 2\S+Z\n203\.0\.113\.7 2\S+Z$/)
})

test('a full database can still block', async (t) => {
  const services = await emptyService(t, { MAX_RECORDS: '1' })
  for (const address of ['203.0.113.7', '203.0.113.8'])
    await runSucceeding(services, 'block', address)
  assert.equal((await runSucceeding(services, 'blocked')).split('\n').length, 2)
})

for (const address of [
  '',
  '203.0.113',
  '0.0.0.0/0',
  '203.0.113.7/33',
  '::/0',
  '2001:db8::/129',
  'fe80::1%eth0',
  'vitrine.example',
  '203.0.113.07',
  '10.0.0.0/8/8',
  '::ffff:0:0/96',
]) {
  test(`block does not take "${address}"`, async (t) => {
    const services = await emptyService(t)
    const line =
      'vitrine: block requires an IPv4 or IPv6 address, or a network such as 203.0.113.0/24'
    assert.equal(await runFailing(services, 'block', address), line)
  })
}

test('unblock names an address that is not blocked', async (t) => {
  const services = await emptyService(t)
  await runSucceeding(services, 'block', '203.0.113.0/24')
  const line = 'vitrine: cannot unblock: 203.0.113.7 is not blocked; vitrine blocked lists what is'
  assert.equal(await runFailing(services, 'unblock', '203.0.113.7'), line)
})
