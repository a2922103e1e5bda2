import assert from 'node:assert/strict'
import { randomInt, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { test, type TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { settingsIn, startVitrine, temporaryFolder } from '../support/start-vitrine.ts'
import { until } from '../support/until.ts'
import { asJson, listOf, openClient, type TestResponse, type Send } from '../support/client.ts'

const rounds = 4

interface Shown {
  _id: string
  name: string
}

/** The record that a client creates, under the key that is also its name. */
interface Intent {
  path: '/users' | '/locations'
  key: string
}

function send(sendRequest: Send, { path, key }: Intent): Promise<TestResponse> {
  const fields = path === '/users' ? { password: 'a password' } : {}
  const { headers, ...request } = asJson('POST', { name: key, ...fields })
  return sendRequest(path, { ...request, headers: { ...headers, 'idempotency-key': `"${key}"` } })
}

/** Creates one record after the other, each with its own key, until the connection ends. */
async function create(sendRequest: Send, path: Intent['path'], intents: Intent[]): Promise<never> {
  for (;;) {
    const intent = { path, key: randomUUID() }
    intents.push(intent)
    const { status, text } = await send(sendRequest, intent)
    assert.equal(status, 201, text)
  }
}

/** Repeats a request after Retry-After, until it gets a response. */
async function insist(sendRequest: Send, intent: Intent): Promise<string> {
  for (;;) {
    const { status, headers, text } = await send(sendRequest, intent)
    if (status === 201) return (JSON.parse(text) as Shown)._id
    assert.equal(status, 409, text)
    await setTimeout(Number(headers['retry-after']) * 1000)
  }
}

/** Creates on several connections until the process is killed at some moment. */
async function createUntilKilled(
  t: TestContext,
  { origin, process: child }: Awaited<ReturnType<typeof startVitrine>>,
): Promise<Intent[]> {
  const intents: Intent[] = []
  const paths: Intent['path'][] = [
    '/users',
    '/users',
    '/locations',
    '/locations',
    '/locations',
    '/locations',
  ]
  const ended = Promise.allSettled(
    paths.map((path) => create(openClient(t, origin), path, intents)),
  )
  const enough = randomInt(12, 60)
  await until(() => intents.length >= enough)
  await setTimeout(randomInt(0, 10))
  child.kill('SIGKILL')
  await once(child, 'exit')
  for (const { reason } of (await ended) as PromiseRejectedResult[]) {
    if (reason instanceof assert.AssertionError) throw reason
  }
  return intents
}

test('each key has created one record, however often the process was killed meanwhile', async (t) => {
  const folder = await temporaryFolder(t)
  const settings = { ...settingsIn(folder), LOG_LEVEL: 'silent' }
  const created = { '/users': new Set<string>(), '/locations': new Set<string>() }
  let vitrine = await startVitrine(t, settings)
  for (let round = 1; round <= rounds; round += 1) {
    const intents = await createUntilKilled(t, vitrine)
    vitrine = await startVitrine(t, settings)
    const insisting = intents.map(async (intent) => {
      const id = await insist(openClient(t, vitrine.origin), intent)
      created[intent.path].add(`${intent.key} ${id}`)
    })
    await Promise.all(insisting)
  }
  const sendRequest = openClient(t, vitrine.origin)
  for (const path of ['/users', '/locations'] as const) {
    const found = (await listOf<Shown>(sendRequest, path)).map(({ _id, name }) => `${name} ${_id}`)
    assert.deepEqual(found.toSorted(), [...created[path]].toSorted())
  }
  t.diagnostic(`${String(created['/users'].size + created['/locations'].size)} keys`)
})
