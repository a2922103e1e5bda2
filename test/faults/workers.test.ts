import assert from 'node:assert/strict'
import { createServer, type AddressInfo } from 'node:net'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { get as httpGet } from 'node:http'
import { test } from 'node:test'
import { makeCertificate } from '../hardening/tls-client.ts'
import { failedStart } from '../failed-start.ts'
import { settingsIn, temporaryFolder } from '../start-vitrine.ts'
import { until } from '../until.ts'
import { asJson, toCookie } from './client.ts'
import { ended, get, limit, openConnection, startInFolder } from './stopping.ts'
import { findWorkers, killWorker, openClients, patience, startWorkers } from './workers.ts'

const rounds = Number(process.env.FAULT_ROUNDS ?? 5)
const rehearsal = { timeout: 300_000 + rounds * 10_000 }
/** Far longer than any response takes: without a response by then there will be none. */
const hangingMs = 60_000

test(
  'no worker shows a record older than the last acknowledged write of any worker',
  patience,
  async (t) => {
    const { origin } = await startWorkers(t)
    const senders = openClients(t, origin)
    const [send] = senders
    assert.ok(send)
    const created = await send(
      '/locations',
      asJson('POST', { name: '0', latitude: 1, longitude: 2 }),
    )
    const path = created.headers.location ?? ''
    for (let round = 1; round <= 30; round += 1) {
      const writer = senders[round % senders.length] ?? send
      await writer(path, asJson('PATCH', { name: String(round) }))
      const responses = await Promise.all(senders.map((reader) => reader(path)))
      const lists = await Promise.all(senders.map((reader) => reader('/locations')))
      assert.equal(new Set(responses.map(({ headers }) => headers.etag)).size, 1)
      assert.equal(new Set(lists.map(({ headers }) => headers.etag)).size, 1)
      for (const { text } of [...responses, ...lists]) {
        assert.match(text, new RegExp(`"name":"${String(round)}"`))
      }
    }
  },
)

test('a login on one worker is valid on all, and so is a logout', patience, async (t) => {
  const { origin } = await startWorkers(t)
  const senders = openClients(t, origin)
  const [send] = senders
  assert.ok(send)
  const account = { name: 'Ann', password: 'correct horse' }
  await send('/users', asJson('POST', account))
  const cookie = toCookie(
    await send('/login', asJson('POST', { username: 'Ann', password: account.password })),
  )
  const named = async () => {
    const responses = await Promise.all(
      senders.map((one) => one('/session', { headers: { cookie } })),
    )
    return responses.filter(({ text }) => text.includes('Ann')).length
  }
  assert.equal(await named(), senders.length)
  await send('/logout', { method: 'POST', headers: { cookie } })
  assert.equal(await named(), 0)
})

test('the workers count the requests and logins of a client together', patience, async (t) => {
  const settings = { WORKERS: '3', RATE_LIMIT: '20', LOGIN_RATE_LIMIT: '5' }
  const { origin, process: child } = await startInFolder(t, settings)
  await until(async () => (await findWorkers(child.pid)).length === 3)
  const senders = openClients(t, origin)
  const login = asJson('POST', { username: 'Ann', password: 'wrong' })
  const logins = await Promise.all(senders.map((send) => send('/login', login)))
  assert.equal(logins.filter(({ status }) => status === 401).length, 5)
  const others = [...senders, ...senders, ...senders].map((send) => send('/api/json'))
  const left = (await Promise.all(others)).filter(({ status }) => status === 200)
  assert.equal(left.length, 20 - senders.length)
})

test('another worker replaces one that is killed', patience, async (t) => {
  const { origin, process: child } = await startWorkers(t)
  await until(async () => (await findWorkers(child.pid)).length === 3)
  const before = await findWorkers(child.pid)
  process.kill(before[0] ?? NaN, 'SIGKILL')
  await until(async () => {
    const workers = await findWorkers(child.pid)
    return workers.length === 3 && !workers.includes(before[0] ?? NaN)
  })
  await until(async () => {
    const responses = await Promise.all(
      openClients(t, origin).map((send) => send('/health').catch(() => undefined)),
    )
    return responses.every((response) => response?.status === 200)
  })
})

/** How many descriptors a process has (proc(5)). */
async function countDescriptors(pid: number | undefined): Promise<number> {
  return (await readdir(`/proc/${String(pid)}/fd`)).length
}

test('requests on workers that are killed get a response or a reset', rehearsal, async (t) => {
  const { origin, process: child } = await startWorkers(t)
  await until(async () => (await findWorkers(child.pid)).length === 3)
  const counts = { completed: 0, cutOff: 0, hanging: 0 }
  let isOver = false
  const clients = Array.from({ length: 40 }, async () => {
    while (!isOver) counts[await sendOnce(origin)] += 1
  })
  const isServing = async () => {
    const before = counts.completed
    await until(() => counts.completed > before + 200 || counts.hanging > 0)
  }
  await isServing()
  const descriptors = await countDescriptors(child.pid)
  for (let round = 0; round < rounds && counts.hanging === 0; round += 1) {
    await killWorker(child.pid)
    await isServing()
  }
  isOver = true
  await Promise.all(clients)
  t.diagnostic(`${String(rounds)} kills, ${JSON.stringify(counts)}`)
  assert.equal(counts.hanging, 0)
  await until(async () => (await countDescriptors(child.pid)) === descriptors)
})

/** One request on a new connection. */
async function sendOnce(origin: string): Promise<'completed' | 'cutOff' | 'hanging'> {
  const { promise, resolve } = Promise.withResolvers<'completed' | 'cutOff' | 'hanging'>()
  const request = httpGet(`${origin}/health`, { agent: false, timeout: hangingMs }, (response) => {
    response.resume()
    response.once('end', () => {
      resolve('completed')
    })
    response.once('error', () => {
      resolve('cutOff')
    })
  })
  request.once('error', () => {
    resolve('cutOff')
  })
  request.once('timeout', () => {
    resolve('hanging')
    request.destroy()
  })
  return promise
}

test('an HTTPS redirect that cannot listen ends the start of workers too', patience, async (t) => {
  const holder = createServer().listen(0, '127.0.0.1')
  await once(holder, 'listening')
  t.after(() => holder.close())
  const folder = await temporaryFolder(t)
  const { status, output } = await failedStart(t, {
    REDIRECT_HTTP_PORT: String((holder.address() as AddressInfo).port),
    ...(await makeCertificate(t)),
    ...settingsIn(folder),
    WORKERS: '2',
    LOG_LEVEL: 'silent',
  })
  assert.equal(status, 69)
  assert.match(output, /cannot start: .*EADDRINUSE/)
})

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`${signal} ends all workers, after their responses`, limit, async (t) => {
    const { origin, process: child } = await startWorkers(t)
    const connections = await Promise.all(
      Array.from({ length: 9 }, () => openConnection(t, origin)),
    )
    for (const connection of connections) {
      connection.write(get('/health'))
      assert.match(await connection.response(), /^HTTP\/1.1 200 /)
    }
    const content = '{"name":"Late"}'
    const head = `POST /users/post HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${String(content.length)}\r\n\r\n`
    for (const connection of connections) connection.write(head + content.slice(0, 5))
    child.kill(signal)
    await until(async () => (await openConnection(t, origin).catch(() => undefined)) === undefined)
    for (const connection of connections) {
      connection.write(content.slice(5))
      assert.match(await connection.response(), /^HTTP\/1.1 200 /)
    }
    const workers = await findWorkers(child.pid).catch(() => [])
    await ended(child)
    assert.equal(child.exitCode, 0)
    for (const pid of workers) assert.throws(() => process.kill(pid, 0))
  })
}

test('workers that cannot start print the reason once, and the exit status is that of one process', async (t) => {
  const holder = createServer().listen(0, '127.0.0.1')
  await once(holder, 'listening')
  t.after(() => holder.close())
  const folder = await temporaryFolder(t)
  const { status, output } = await failedStart(t, {
    PORT: String((holder.address() as AddressInfo).port),
    ...settingsIn(folder),
    WORKERS: '2',
    LOG_LEVEL: 'silent',
  })
  assert.equal(status, 69)
  assert.match(output, /^vitrine: cannot start: .*EADDRINUSE.*\n$/)
})

test('workers with a database in memory are rejected', async (t) => {
  const { status, output } = await failedStart(t, { DATABASE_URL: 'sqlite::memory:', WORKERS: '2' })
  assert.equal(status, 2)
  assert.match(output, /^vitrine: WORKERS must be 1 /)
})
