import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect as connectSession } from 'node:http2'
import type { Socket } from 'node:net'
import { test, type TestContext } from 'node:test'
import { startWithAdmin } from '../../test/support/admin.ts'
import { makeCertificate } from '../../test/support/tls-client.ts'
import {
  openSocket,
  sendRaw,
  startWatched,
  toGet,
  toRequest,
} from '../../test/support/watched-vitrine.ts'
import { until } from '../../test/support/until.ts'

const behindProxy = {
  TRUSTED_PROXIES: '127.0.0.1',
  MAX_CONNECTIONS_PER_CLIENT: '5',
  RESPONSE_FAULTS: 'on',
}
const oneClient = 'X-Forwarded-For: 203.0.113.9, 192.0.2.1'
const otherClient = 'X-Forwarded-For: 192.0.2.2'
const upgrade = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13']
const form = 'Content-Type: application/x-www-form-urlencoded'

const longRequests: readonly [what: string, message: string][] = [
  ['streams of events', toRequest('GET /inspector/events HTTP/1.1', ['Host: x', oneClient])],
  ['delayed responses', toRequest('GET /httpbin/delay/10 HTTP/1.1', ['Host: x', oneClient])],
  [
    'bodies that arrive slowly',
    toRequest(
      'POST /users/post HTTP/1.1',
      ['Host: x', oneClient, form, 'Content-Length: 9'],
      'half',
    ),
  ],
  [
    'WebSockets',
    toRequest('GET /httpbin/websocket/echo HTTP/1.1', [
      ...['Host: x', oneClient, ...upgrade, 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=='],
    ]),
  ],
]

function openRequest(t: TestContext, origin: string, message: string): Socket {
  const socket = openSocket(origin)
  t.after(() => socket.destroy())
  socket.write(message)
  return socket.resume()
}

for (const [what, message] of longRequests) {
  test(`behind a proxy, one client cannot hold all connections with ${what}`, async (t) => {
    const { origin, assertSound } = await startWatched(t, behindProxy)
    const held = Array.from({ length: 5 }, () => openRequest(t, origin, message))
    const request = async (field: string) => {
      const { text, statuses } = await sendRaw(origin, toGet('/api/json', field))
      return { text, status: statuses[0] }
    }
    await until(async () => (await request(oneClient)).status === 429)
    const { text } = await request(oneClient)
    assert.match(text, /^retry-after: 1\r$/im)
    assert.match(text, /MAX_CONNECTIONS_PER_CLIENT/)
    assert.equal((await request(otherClient)).status, 200)
    // Health checks and what error pages need are always sent.
    assert.deepEqual((await sendRaw(origin, toGet('/health', oneClient))).statuses, [200])
    for (const socket of held) socket.destroy()
    await until(async () => (await request(oneClient)).status === 200)
    await assertSound()
  })
}

test('the streams of an HTTP/2 connection are limited together', async (t) => {
  const settings = { ...(await makeCertificate(t)), MAX_CONNECTIONS_PER_CLIENT: '5' }
  const { origin } = await startWatched(t, settings)
  const session = connectSession(origin, { rejectUnauthorized: false })
  // The process is killed before the connection is closed.
  session.on('error', () => undefined)
  t.after(() => {
    session.destroy()
  })
  const statusOf = async (path: string) => {
    const stream = session.request({ ':path': path })
    // The end of the process resets it too, after its response.
    stream.on('error', () => undefined)
    const [headers] = (await once(stream, 'response')) as [{ ':status': number }]
    return headers[':status']
  }
  const path = '/inspector/events'
  const statuses = await Promise.all(Array.from({ length: 7 }, () => statusOf(path)))
  assert.deepEqual(statuses.toSorted(), [200, 200, 200, 200, 200, 429, 429])
})

test('at MAX_CONNECTIONS the log has one line, and the service is not ready', async (t) => {
  const settings = { MAX_CONNECTIONS: '5', ALLOWED_HOSTS: '*', LOG_LEVEL: 'warn' }
  const { origin, process: child, ready, metrics } = await startWithAdmin(t, settings)
  let written = ''
  child.stdout?.on('data', (chunk: Buffer) => (written += chunk.toString()))
  const send = toRequest('GET /inspector/events HTTP/1.1', ['Host: x'])
  const held = Array.from({ length: 5 }, () => openRequest(t, origin, send))
  await until(async () => (await metrics()).sum('http_connections') === 5)
  assert.deepEqual(await ready(), [503, 'no free connection', '1'])
  for (let index = 0; index < 3; index += 1) {
    assert.equal((await sendRaw(origin, toGet('/health'))).text, '')
  }
  const limit = { limit: 'MAX_CONNECTIONS' }
  assert.equal((await metrics()).sum('http_connections_dropped_total', limit), 3)
  await until(() => written.includes('\n'))
  assert.match(written, /^.*MAX_CONNECTIONS \(5\) is reached: further connections are closed"}\n$/)
  held[0]?.destroy()
  await until(async () => (await ready())[0] === 200)
  assert.deepEqual((await sendRaw(origin, toGet('/health'))).statuses, [200])
})
