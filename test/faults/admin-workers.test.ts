import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test, type TestContext } from 'node:test'
import { notReady, ready, startWithAdmin } from '../admin.ts'
import { until } from '../until.ts'
import { openClient } from './client.ts'
import { ended, openConnection } from './stopping.ts'

const patience = { timeout: 300_000 }

async function startTwo(t: TestContext) {
  const vitrine = await startWithAdmin(t, { WORKERS: '2' })
  const workers = async () => {
    const { pid } = vitrine.process
    const path = `/proc/${String(pid)}/task/${String(pid)}/children`
    return (await readFile(path, 'utf8')).split(' ').filter(Boolean).map(Number)
  }
  await until(async () => (await workers()).length === 2)
  // As many connections as there are turns until both have had some.
  const senders = () => Array.from({ length: 6 }, () => openClient(t, vitrine.origin))
  return { ...vitrine, workers, senders }
}

async function kill(pid: number | undefined, workers: () => Promise<number[]>): Promise<void> {
  process.kill(pid ?? NaN, 'SIGKILL')
  await until(async () => {
    const living = await workers()
    return living.length === 2 && !living.includes(pid ?? NaN)
  })
}

test('the requests of all workers are counted together', patience, async (t) => {
  const { senders, metrics, ready: readiness } = await startTwo(t)
  assert.deepEqual(await readiness(), ready)
  for (const send of senders()) {
    for (let round = 0; round < 5; round += 1) await send(`/users/${String(round)}`)
  }
  const { sum, samples } = await metrics()
  const labels = { method: 'GET', route: '/users/:id' }
  assert.equal(sum('http_requests_total', { ...labels, status: '404' }), 30)
  assert.equal(sum('http_request_duration_seconds_count', labels), 30)
  assert.equal(sum('http_requests_in_flight'), 0)
  assert.equal(sum('vitrine_info'), 1)
  assert.equal(samples.filter(({ name }) => name === 'vitrine_info').length, 1)
})

test('the counts of a worker survive its death, and a sum never decreases', patience, async (t) => {
  const { senders, metrics, workers, ready: readiness } = await startTwo(t)
  const count = async () => (await metrics()).sum('http_requests_total', { route: '/mirror/query' })
  let sent = 0
  for (let round = 0; round < 3; round += 1) {
    for (const send of senders()) {
      // On its way to a worker that dies a request may be lost.
      const response = await send('/mirror/query').catch(() => undefined)
      if (response?.status === 200) sent += 1
    }
    await until(async () => (await count()) >= sent)
    await kill((await workers())[0], workers)
    assert.ok((await count()) >= sent)
  }
  assert.ok(sent > 0)
  await until(async () => (await readiness())[0] === 200)
})

test('frozen workers block neither the probes nor the metrics', patience, async (t) => {
  const { senders, metrics, workers, ready: readiness, send } = await startTwo(t)
  for (const one of senders()) await one('/mirror/query')
  const count = async () => (await metrics()).sum('http_requests_total', { route: '/mirror/query' })
  assert.equal(await count(), 6)
  const [one = NaN, other = NaN] = await workers()
  try {
    process.kill(one, 'SIGSTOP')
    await until(async () => (await readiness())[0] === 200)
    assert.equal(await count(), 6)
    process.kill(other, 'SIGSTOP')
    assert.deepEqual(await readiness(), notReady('starting'))
    assert.equal(await count(), 6)
    assert.equal((await send('/health/live')).status, 200)
  } finally {
    for (const pid of [one, other]) process.kill(pid, 'SIGCONT')
  }
  await until(async () => (await readiness())[0] === 200)
})

test(
  'workers that receive the signal to stop are draining until all have ended',
  patience,
  async (t) => {
    const { origin, process: child, ready: readiness, send } = await startTwo(t)
    const content = '{"name":"Late"}'
    const connection = await openConnection(t, origin)
    const head = `POST /users/post HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${String(content.length)}\r\n\r\n`
    connection.write(head + content.slice(0, 5))
    const { write } = await openConnection(t, origin)
    write('GET / HTTP/1.1\r\n')
    child.kill('SIGTERM')
    await until(async () => (await readiness())[1] === 'draining')
    assert.deepEqual(await readiness(), notReady('draining'))
    assert.equal((await send('/metrics')).status, 200)
    connection.write(content.slice(5))
    assert.match(await connection.response(), /^HTTP\/1.1 200 /)
    write('Host: localhost\r\n\r\n')
    await ended(child)
    assert.equal(child.exitCode, 0)
  },
)

test('an exchange is found in another worker', patience, async (t) => {
  const { senders, send, metrics } = await startTwo(t)
  const clients = senders()
  const shown = await clients[0]?.('/api/json', { headers: { accept: 'text/html' } })
  const id = String(shown?.headers['x-request-id'])
  const results = await Promise.all(
    clients.map(async (other) => {
      await Promise.all([metrics(), send('/health/ready')])
      return (await other(`/inspector/${id}`)).status
    }),
  )
  assert.deepEqual(
    results,
    clients.map(() => 200),
  )
})
