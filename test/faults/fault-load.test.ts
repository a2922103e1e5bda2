import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test, type TestContext } from 'node:test'
import { startWithAdmin } from '../support/admin.ts'
import { readUsage } from '../support/process-usage.ts'
import { makeCertificate } from '../support/tls-client.ts'
import { limit } from '../support/stopping.ts'
import { until } from '../support/until.ts'
import { fetchOver, openSession, openSocket, readToEnd } from '../responses/read-faults.ts'

const http1 =
  'reset-before-head close-before-head reset-in-head slow-head garbage duplicate-length length-and-chunked reset-in-body short-body bad-chunk stall endless-body'
const names = {
  'HTTP/1.1': http1.split(' '),
  'HTTP/1.1 over TLS': http1.split(' '),
  'HTTP/2': ['short-body', 'stall', 'endless-body', 'stream-reset', 'goaway'],
}
const megabyte = 1024 ** 2

type Start = Awaited<ReturnType<typeof startWithAdmin>>

async function start(t: TestContext, isTls: boolean, settings: Record<string, string> = {}) {
  const NODE_OPTIONS = '--max-old-space-size=96'
  const certificate = isTls ? await makeCertificate(t) : {}
  return startWithAdmin(t, { ALLOWED_HOSTS: '*', NODE_OPTIONS, ...certificate, ...settings })
}

async function readHeld({ metrics, process: { pid } }: Start) {
  const { sum } = await metrics()
  const count = (type: string) => sum('nodejs_active_resources', { type })
  return {
    sockets: count('TCPSocketWrap'),
    timers: count('Timeout'),
    inFlight: sum('http_requests_in_flight'),
    bytes: readUsage(pid)?.residentBytes ?? 0,
  }
}

const toPath = (name: string, seconds: number) =>
  `/responses/fault/${name}?seconds=${String(seconds)}`

interface Many {
  vitrine: Start
  version: string
  path: string
  /** Whether the clients leave when the first byte arrives. */
  isLeaving?: boolean
}

const count = 80

async function sendMany(t: TestContext, { vitrine, version, path, isLeaving = false }: Many) {
  const { origin } = vitrine
  const sendOver = async () => {
    const session = openSession(t, origin)
    const leave = () => {
      if (isLeaving) session.destroy()
    }
    await Promise.all([1, 2, 3, 4].map(async () => fetchOver(session, path, leave)))
    session.destroy()
  }
  const send = async () => {
    const socket = openSocket(origin)
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
    if (isLeaving) socket.once('data', () => socket.destroy())
    await readToEnd(socket)
  }
  if (version === 'HTTP/2') await Promise.all(Array.from({ length: count / 4 }, sendOver))
  else await Promise.all(Array.from({ length: count }, send))
}

for (const [version, faults] of Object.entries(names)) {
  test(`${String(count)} faults at once over ${version} leave nothing behind`, limit, async (t) => {
    const settings = { MAX_DURATION_SECONDS: '3600', MAX_BODY_BYTES: '65536' }
    const vitrine = await start(t, version !== 'HTTP/1.1', settings)
    await sendMany(t, { vitrine, version, path: '/health' })
    const before = await readHeld(vitrine)
    for (const name of faults) {
      await t.test(name, async () => {
        await sendMany(t, { vitrine, version, path: toPath(name, 0.2) })
        await sendMany(t, { vitrine, version, path: toPath(name, 3600), isLeaving: true })
        await until(async () => {
          const { sockets, timers, inFlight } = await readHeld(vitrine)
          return sockets <= before.sockets && timers <= before.timers && inFlight === 0
        })
      })
    }
    const { bytes } = await readHeld(vitrine)
    t.diagnostic(`${((bytes - before.bytes) / megabyte).toFixed(1)} MB more`)
    assert.ok(bytes - before.bytes < 100 * megabyte)
  })
}

test('clients that do not read an endless body take little memory', limit, async (t) => {
  const settings = { MAX_BODY_BYTES: String(64 * megabyte), SEND_IDLE_SECONDS: '3' }
  const vitrine = await start(t, false, settings)
  const before = await readHeld(vitrine)
  const sockets = Array.from({ length: 200 }, () => openSocket(vitrine.origin).pause())
  for (const socket of sockets) {
    socket.on('error', () => undefined)
    socket.write(`GET ${toPath('endless-body', 0)} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
  }
  await Promise.all(sockets.map((socket) => once(socket, 'readable')))
  await until(async () => (await readHeld(vitrine)).inFlight === 0)
  const { bytes } = await readHeld(vitrine)
  t.diagnostic(`${((bytes - before.bytes) / megabyte).toFixed(1)} MB more`)
  assert.ok(bytes - before.bytes < 100 * megabyte)
  for (const socket of sockets) socket.destroy()
})

for (const isTls of [false, true]) {
  test(
    `SIGTERM ends the service despite faults, ${isTls ? 'with' : 'without'} TLS`,
    limit,
    async (t) => {
      const { origin, process: child } = await start(t, isTls, { MAX_DURATION_SECONDS: '3600' })
      const sockets = ['stall', 'slow-head', 'endless-body'].map((name) => {
        const socket = openSocket(origin)
        socket.on('error', () => undefined)
        socket.write(`GET ${toPath(name, 3600)} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
        t.after(() => socket.destroy())
        return socket
      })
      await Promise.all(sockets.map((socket) => once(socket, 'readable')))
      child.kill('SIGTERM')
      assert.deepEqual(await once(child, 'exit'), [0, null])
    },
  )
}
