import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, suite, test, type TestContext } from 'node:test'
import {
  createSchema,
  openPostgresServer,
  withoutPostgres,
  type PostgresServer,
} from '../support/postgres-server.ts'
import { settingsIn, startVitrine, temporaryFolder } from '../support/start-vitrine.ts'
import { openClient, type Send } from '../support/client.ts'
import { limit } from '../support/stopping.ts'

const url = '/responses/sequence/a'
const numbers = Array.from({ length: 100 }, (_, index) => index + 1)
const toCount = ({ text }: { text: string }) => (JSON.parse(text) as { requests: number }).requests

/** Each request has a connection of its own, so that all processes get some. */
async function assertExact(t: TestContext, origins: readonly string[]): Promise<void> {
  const responses = await Promise.all(
    numbers.map((number) => {
      const send = openClient(t, origins[number % origins.length] ?? '')
      return send(`${url}?steps=503*20,429*30,200`)
    }),
  )
  assert.deepEqual(responses.map(toCount).toSorted(byNumber), numbers)
  const statuses = Map.groupBy(responses, ({ status }) => status)
  const times = [503, 429, 200].map((status) => statuses.get(status)?.length)
  assert.deepEqual(times, [20, 30, 50])
}

const byNumber = (one: number, other: number) => one - other

/** Two processes with these settings. */
async function startTwo(t: TestContext, settings: Readonly<Record<string, string>>) {
  const started = await Promise.all([startVitrine(t, settings), startVitrine(t, settings)])
  return started.map(({ origin }) => origin)
}

test(
  'two processes on one SQLite file give each step of a sequence exactly its times',
  limit,
  async (t) => {
    await assertExact(t, await startTwo(t, settingsIn(await temporaryFolder(t))))
  },
)

suite('with PostgreSQL', { skip: withoutPostgres }, () => {
  let server: PostgresServer
  before(async () => {
    server = await openPostgresServer()
  })
  after(() => server.remove())

  test('two replicas give each step of a sequence exactly its times', limit, async (t) => {
    await assertExact(t, await startTwo(t, { DATABASE_URL: await createSchema(server.url) }))
  })
})

test('kill -9 loses no request that was counted', limit, async (t) => {
  const settings = settingsIn(await temporaryFolder(t))
  let counted = 0
  const countUntilGone = async (send: Send) => {
    for (;;) counted = Math.max(counted, toCount(await send(url)))
  }
  for (let round = 1; round <= 5; round += 1) {
    const { origin, process } = await startVitrine(t, settings)
    const [send, ...others] = numbers.slice(0, 5).map(() => openClient(t, origin))
    assert.ok(send)
    assert.ok(toCount(await send(url)) > counted)
    const counting = others.map((one) => countUntilGone(one).catch(() => undefined))
    while (counted < round * 50) await send(`${url}/state`)
    process.kill('SIGKILL')
    await once(process, 'exit')
    await Promise.all(counting)
  }
})
