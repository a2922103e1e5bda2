import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { test, type TestContext } from 'node:test'
import { makeCertificate } from '../../test/support/tls-client.ts'
import {
  sendRaw,
  listen,
  openSocket,
  startWatched,
  toGet,
  toRequest,
} from '../../test/support/watched-vitrine.ts'
import { until } from '../../test/support/until.ts'

const send = toRequest('GET /health HTTP/1.1', ['Host: x'])

/** Connections that are certainly open: each has received a response, whose headers are returned. */
async function hold(t: TestContext, origin: string, count: number) {
  const held: { socket: Socket; head: string }[] = []
  for (let index = 0; index < count; index += 1) {
    const socket = openSocket(origin)
    t.after(() => socket.destroy())
    socket.write(send)
    const [data] = (await once(socket, 'data')) as [Buffer]
    held.push({ socket, head: data.toString() })
  }
  return held
}

test('connections over MAX_CONNECTIONS_PER_CLIENT are dropped until others end', async (t) => {
  const { origin, assertSound } = await startWatched(t, { MAX_CONNECTIONS_PER_CLIENT: '5' })
  const [first] = await hold(t, origin, 5)
  const over = await sendRaw(origin, toGet('/health'))
  assert.deepEqual([over.text, over.isClosed], ['', true])
  // Another address of this machine is another client.
  const port = Number(new URL(origin).port)
  const other = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.2' })
  other.write(toGet('/health'))
  assert.deepEqual((await listen(other)).statuses, [200])
  first?.socket.destroy()
  await until(async () => (await sendRaw(origin, toGet('/health'))).text !== '')
  await assertSound()
})

test('addresses in TRUSTED_PROXIES may have any number of connections', async (t) => {
  const settings = { MAX_CONNECTIONS_PER_CLIENT: '2', TRUSTED_PROXIES: '10.0.0.1,127.0.0.0/8' }
  const { origin, assertSound } = await startWatched(t, settings)
  await hold(t, origin, 5)
  await assertSound()
})

test('over HTTPS the connections of a client are limited before the handshake', async (t) => {
  const settings = { ...(await makeCertificate(t)), MAX_CONNECTIONS_PER_CLIENT: '2' }
  const { origin, assertSound } = await startWatched(t, settings)
  const sockets = Array.from({ length: 3 }, () => openSocket(origin))
  t.after(() => {
    for (const socket of sockets) socket.destroy()
  })
  const countEnded = () =>
    sockets.filter((socket) => socket.resume().readableEnded || socket.destroyed).length
  await until(() => countEnded() > 0)
  assert.equal(countEnded(), 1)
  await assertSound()
})

test('idle connections are closed after a second when nine tenths of all are in use', async (t) => {
  const { origin, assertSound } = await startWatched(t, { MAX_CONNECTIONS: '10' })
  const held = await hold(t, origin, 9)
  const times = held.map(({ head }) => /^keep-alive: timeout=(\d+)/im.exec(head)?.[1])
  assert.deepEqual(times, [...Array.from({ length: 8 }, () => '72'), '1'])
  const last = held[8]?.socket ?? assert.fail()
  await until(() => last.resume().readableEnded || last.destroyed)
  await assertSound()
})
