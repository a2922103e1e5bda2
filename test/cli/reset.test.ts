import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, test, type TestContext } from 'node:test'
import { asJson, listOf, toCookie, type Send } from '../support/client.ts'
import { startRedis, withRedis } from '../support/redis-server.ts'
import { startS3 } from '../support/s3-server.ts'
import { accessKeyId, secretAccessKey } from '../support/s3-signature.ts'
import {
  runSucceeding,
  emptyService,
  openService,
  runFailing,
  uploadFile,
  type TestService,
} from '../support/data-folder.ts'

const restart =
  'A running service keeps the exchanges of its request inspector until it is restarted'
const user = { name: 'Ann', password: 'glass' }

const toPath = ({ folder }: TestService) => join(folder, 'kept', 'vitrine.db')

/** Creates data of every kind; returns the cookie of a session. */
async function furnish(send: Send): Promise<string> {
  const { headers, ...location } = asJson('POST', { name: 'Pier' })
  const keyed = { ...location, headers: { ...headers, 'idempotency-key': '"one"' } }
  assert.equal((await send('/locations', keyed)).status, 201)
  await send('/users', asJson('POST', user))
  for (const name of ['a', 'b']) await uploadFile(send, name, Buffer.from(name))
  await send('/responses/sequence/a')
  const credentials = { username: user.name, password: user.password }
  return toCookie(await send('/login', asJson('POST', credentials)))
}

async function resetWhileOpen(t: TestContext, services: TestService): Promise<Send> {
  const { send } = await openService(t, services)
  const cookie = await furnish(send)
  const [place] = await listOf<{ _id: string }>(send, '/locations')
  const path = `/locations/${place?._id ?? ''}`
  assert.equal((await send(path)).status, 200)
  assert.equal(
    await runSucceeding(services, 'reset'),
    `Removed 1 user, 1 location, 2 uploads, 1 session, 1 idempotency key, 1 state from ${toPath(services)}\n${restart}`,
  )
  for (const list of ['/users', '/locations', '/uploads'])
    assert.deepEqual(await listOf(send, list), [])
  assert.equal((await send(path)).status, 404)
  assert.match((await send('/session', { headers: { cookie } })).text, /"authenticated":false/)
  // The key is free again, and the service works as an empty one.
  await furnish(send)
  assert.equal((await listOf(send, '/locations')).length, 1)
  await runSucceeding(services, 'reset')
  assert.equal(
    await runSucceeding(services, 'reset'),
    `There was nothing to remove from ${toPath(services)}\n${restart}`,
  )
  return send
}

test('a reset empties a running service, which sees it at once', async (t) => {
  const services = await emptyService(t)
  await resetWhileOpen(t, services)
  assert.deepEqual(await readdir(join(services.folder, 'kept', 'files')), [])
})

test('a reset reports that the running service has another database', async (t) => {
  const services = await emptyService(t)
  await runSucceeding(services, 'seed', '2')
  await openService(t, {
    ...services,
    settings: { ...services.settings, DATABASE_URL: 'sqlite::memory:' },
  })
  assert.equal(
    await runSucceeding(services, 'reset'),
    `Removed 2 users, 2 locations from ${toPath(services)}
No running service uses this database. A service with --fresh or another DATABASE_URL is not affected.`,
  )
})

test('a reset empties a bucket too', async (t) => {
  const server = await startS3()
  t.after(server.close)
  const services = await emptyService(t, {
    FILES_URL: server.url,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
  })
  await resetWhileOpen(t, services)
  assert.deepEqual([...server.objects.keys()], [])
})

suite('with Redis', withRedis, () => {
  test('a reset removes the sessions in Redis, and prints an error when it cannot', async (t) => {
    const server = await startRedis()
    t.after(server.kill)
    const services = await emptyService(t, { REDIS_URL: server.url })
    await resetWhileOpen(t, services)
    await server.kill()
    assert.match(await runFailing(services, 'reset'), /REDIS_URL|cannot reset/)
  })
})
