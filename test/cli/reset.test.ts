import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, test, type TestContext } from 'node:test'
import { asJson, listOf, toCookie, type Ask } from '../faults/client.ts'
import { startRedis, withRedis } from '../redis-server.ts'
import { startS3 } from '../s3-server.ts'
import { accessKeyId, secretAccessKey } from '../s3-signature.ts'
import { done, emptyHouse, openHouse, refused, uploadFile, type TestHouse } from './data-folder.ts'

const user = { name: 'Ann', password: 'glass' }

/** One of everything that is kept; gives the cookie of a session. */
async function furnish(ask: Ask): Promise<string> {
  const { headers, ...location } = asJson('POST', { name: 'Pier' })
  const keyed = { ...location, headers: { ...headers, 'idempotency-key': '"one"' } }
  assert.equal((await ask('/locations', keyed)).status, 201)
  await ask('/users', asJson('POST', user))
  for (const name of ['a', 'b']) await uploadFile(ask, name, Buffer.from(name))
  const credentials = { username: user.name, password: user.password }
  return toCookie(await ask('/login', asJson('POST', credentials)))
}

async function resetWhileOpen(t: TestContext, services: TestHouse): Promise<Ask> {
  const { ask } = await openHouse(t, services)
  const cookie = await furnish(ask)
  const [place] = await listOf<{ _id: string }>(ask, '/locations')
  const path = `/locations/${place?._id ?? ''}`
  assert.equal((await ask(path)).status, 200)
  assert.equal(
    await done(services, 'reset'),
    'Removed 1 user, 1 location, 2 uploads, 1 session, 1 idempotency key',
  )
  for (const list of ['/users', '/locations', '/uploads'])
    assert.deepEqual(await listOf(ask, list), [])
  assert.equal((await ask(path)).status, 404)
  assert.match((await ask('/session', { headers: { cookie } })).text, /"authenticated":false/)
  // The key is forgotten, and all goes on as in an empty services.
  await furnish(ask)
  assert.equal((await listOf(ask, '/locations')).length, 1)
  await done(services, 'reset')
  assert.equal(await done(services, 'reset'), 'There was nothing to remove')
  return ask
}

test('a reset empties a service that runs, which notices at once', async (t) => {
  const services = await emptyHouse(t)
  await resetWhileOpen(t, services)
  assert.deepEqual(await readdir(join(services.folder, 'kept', 'files')), [])
})

test('a reset empties a bucket too', async (t) => {
  const server = await startS3()
  t.after(server.close)
  const services = await emptyHouse(t, {
    FILES_URL: server.url,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
  })
  await resetWhileOpen(t, services)
  assert.deepEqual([...server.objects.keys()], [])
})

suite('with Redis', withRedis, () => {
  test('a reset removes the sessions there, and says where it cannot', async (t) => {
    const server = await startRedis()
    t.after(server.kill)
    const services = await emptyHouse(t, { REDIS_URL: server.url })
    await resetWhileOpen(t, services)
    await server.kill()
    assert.match(await refused(services, 'reset'), /REDIS_URL|cannot reset/)
  })
})
