import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get as httpGet } from 'node:http'
import { test, type TestContext } from 'node:test'
import { settingsIn, startVitrine, temporaryFolder } from '../support/start-vitrine.ts'
import { until } from '../support/until.ts'
import { asJson, openClient, toCookie } from '../support/client.ts'
import { limit } from '../support/stopping.ts'

const rounds = Number(process.env.FAULT_ROUNDS ?? 5)
const rehearsal = { timeout: 300_000 + rounds * 10_000 }
/** Far longer than any response takes: without a response by then there will be none. */
const hangingMs = 60_000

/** A client of each of three processes that share a SQLite file and a folder. */
async function startThree(t: TestContext) {
  const settings = { LOG_LEVEL: 'silent', ...settingsIn(await temporaryFolder(t)) }
  const start = () => startVitrine(t, settings)
  const started = await Promise.all([start(), start(), start()])
  const [first, ...others] = started.map(({ origin }) => openClient(t, origin))
  return { first: first ?? assert.fail(), clients: [first ?? assert.fail(), ...others] }
}

test(
  'no process shows a record older than the last acknowledged write of any process',
  limit,
  async (t) => {
    const { first, clients } = await startThree(t)
    const created = await first(
      '/locations',
      asJson('POST', { name: '0', latitude: 1, longitude: 2 }),
    )
    const path = created.headers.location ?? ''
    for (let round = 1; round <= 30; round += 1) {
      const writer = clients[round % clients.length] ?? first
      await writer(path, asJson('PATCH', { name: String(round) }))
      const responses = await Promise.all(clients.map((reader) => reader(path)))
      const lists = await Promise.all(clients.map((reader) => reader('/locations')))
      assert.equal(new Set(responses.map(({ headers }) => headers.etag)).size, 1)
      assert.equal(new Set(lists.map(({ headers }) => headers.etag)).size, 1)
      for (const { text } of [...responses, ...lists])
        assert.match(text, new RegExp(`"name":"${String(round)}"`))
    }
  },
)

test('a login on one process is valid on all, and so is a logout', limit, async (t) => {
  const { first, clients } = await startThree(t)
  await first('/users', asJson('POST', { name: 'Ann', password: 'correct horse' }))
  const login = asJson('POST', { username: 'Ann', password: 'correct horse' })
  const cookie = toCookie(await first('/login', login))
  const countNamed = async () => {
    const sent = clients.map((send) => send('/session', { headers: { cookie } }))
    return (await Promise.all(sent)).filter(({ text }) => text.includes('Ann')).length
  }
  assert.equal(await countNamed(), clients.length)
  await first('/logout', { method: 'POST', headers: { cookie } })
  assert.equal(await countNamed(), 0)
})

test(
  'requests to a process that is killed get a response or a reset, and another on its file serves',
  rehearsal,
  async (t) => {
    const settings = { LOG_LEVEL: 'silent', ...settingsIn(await temporaryFolder(t)) }
    const other = await startVitrine(t, settings)
    const counts = { completed: 0, cutOff: 0, hanging: 0 }
    const send = openClient(t, other.origin)
    const created = await send('/locations', asJson('POST', { name: '0' }))
    const path = created.headers.location ?? ''
    for (let round = 1; round <= rounds && counts.hanging === 0; round += 1) {
      const { origin, process: child } = await startVitrine(t, settings)
      const before = counts.completed
      let isOver = false
      const clients = Array.from({ length: 40 }, async () => {
        while (!isOver) counts[await sendOnce(origin + path)] += 1
      })
      await until(() => counts.completed > before + 200 || counts.hanging > 0)
      child.kill('SIGKILL')
      await once(child, 'exit')
      isOver = true
      await send(path, asJson('PATCH', { name: String(round) }))
      assert.match((await send(path)).text, new RegExp(`"name":"${String(round)}"`))
      await Promise.all(clients)
    }
    t.diagnostic(`${String(rounds)} kills, ${JSON.stringify(counts)}`)
    assert.equal(counts.hanging, 0)
  },
)

/** One request on a new connection. */
async function sendOnce(url: string): Promise<'completed' | 'cutOff' | 'hanging'> {
  const { promise, resolve } = Promise.withResolvers<'completed' | 'cutOff' | 'hanging'>()
  const request = httpGet(url, { agent: false, timeout: hangingMs }, (response) => {
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
