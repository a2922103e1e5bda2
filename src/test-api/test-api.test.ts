import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, suite, test, type TestContext } from 'node:test'
import { rm, writeFile } from 'node:fs/promises'
import { dataApp, dataFile } from '../../test/support/data-app.ts'
import {
  blog,
  changeAll,
  countAll,
  openBlog,
  readAll,
  send,
  settings,
  atStart,
} from '../../test/support/blog-app.ts'
import { openEvents } from '../../test/support/event-stream.ts'
import { failedStart } from '../../test/support/failed-start.ts'
import {
  createSchema,
  openPostgresServer,
  withoutPostgres,
  type PostgresServer,
} from '../../test/support/postgres-server.ts'
import { asUpload } from '../../test/support/multipart-form.ts'
import { temporaryFolder } from '../../test/support/start-vitrine.ts'
import { startRedis, withRedis } from '../../test/support/redis-server.ts'
import { startS3 } from '../../test/support/s3-server.ts'
import { accessKeyId, secretAccessKey } from '../../test/support/s3-signature.ts'
import { catalogueApp, type TestApp } from '../../test/support/test-app.ts'

test('without TEST_API there is nothing to reset, and the preference is ignored', async (t) => {
  const app = await dataApp(t, blog)
  for (const url of ['/_vitrine/reset', '/_vitrine/snapshots']) {
    assert.equal((await send(app, 'POST', url)).statusCode, 404)
  }
  const headers = { prefer: 'vitrine-fail=503' }
  const response = await app.inject({ url: '/posts', headers })
  assert.deepEqual([response.statusCode, response.headers['preference-applied']], [200, undefined])
})

test('a reset brings the data of the file back, with new ids as at the start', async (t) => {
  const app = await openBlog(t)
  await changeAll(app)
  const response = await send(app, 'POST', '/_vitrine/reset')
  assert.deepEqual([response.statusCode, response.body], [204, ''])
  assert.deepEqual(await readAll(app), atStart)
  const created = await send(app, 'POST', '/posts', { title: 'Three', authorId: 'ann' })
  assert.equal(created.headers.location, '/posts/3')
})

test('after a reset an earlier ETag matches nothing, and a repeated key creates again', async (t) => {
  const app = await openBlog(t)
  const before = String((await app.inject('/posts/1')).headers.etag)
  const post = async () => {
    const headers = { 'idempotency-key': 'one' }
    return app.inject({ method: 'POST', url: '/authors', headers, payload: { name: 'Bob' } })
  }
  const first = await post()
  await send(app, 'POST', '/_vitrine/reset')
  const headers = { 'if-none-match': before }
  assert.equal((await app.inject({ url: '/posts/1', headers })).statusCode, 200)
  assert.equal((await post()).statusCode, 201)
  assert.equal((await post()).headers['idempotency-replayed'], 'true')
  assert.equal((await app.inject('/authors')).json<unknown[]>().length, 2)
  assert.ok(first.headers.location)
})

test('a reset is one event for the clients that follow the changes', async (t) => {
  const app = await openBlog(t)
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  const stream = await openEvents(t, `${origin}/posts/events`)
  await send(app, 'POST', '/_vitrine/reset')
  assert.equal((await stream.next())?.name, 'reset')
  await send(app, 'PATCH', '/posts/1', { title: 'Changed' })
  assert.equal((await stream.next())?.name, 'changed')
})

test('no reader sees a part of a reset', async (t) => {
  const posts = Array.from({ length: 300 }, (_, index) => ({ id: index + 1, title: 'One' }))
  const DATABASE_URL = `sqlite:${join(await temporaryFolder(t), 'data.db')}`
  const DATA_FILE = await dataFile(t, { posts })
  const open = () => catalogueApp(t, { settings: { ...settings, DATABASE_URL, DATA_FILE } })
  const [app, other] = [await open(), await open()]
  const counts = new Set<unknown>()
  for (let round = 0; round < 10; round += 1) {
    const resets = [send(app, 'POST', '/_vitrine/reset'), send(other, 'POST', '/_vitrine/reset')]
    const reads = Array.from({ length: 20 }, async (_, index) => {
      const { headers } = await (index % 2 ? app : other).inject('/posts?per_page=1')
      counts.add(headers['x-total-count'])
    })
    await Promise.all([...resets, ...reads])
  }
  assert.deepEqual([...counts], ['300'])
})

test('a file of more records than one transaction takes is reset too', async (t) => {
  const posts = Array.from({ length: 5001 }, (_, index) => ({ id: index + 1 }))
  const app = await dataApp(t, { posts }, { settings })
  await send(app, 'DELETE', '/posts/7')
  assert.equal((await send(app, 'POST', '/_vitrine/reset')).statusCode, 204)
  assert.equal((await app.inject('/posts?per_page=1')).headers['x-total-count'], '5001')
  assert.equal((await send(app, 'POST', '/_vitrine/snapshots')).statusCode, 409)
})

test('a reset to a file that has changed, or is gone, changes nothing', async (t) => {
  const DATA_FILE = await dataFile(t, blog)
  const app = await catalogueApp(t, { settings: { ...settings, DATA_FILE } })
  await send(app, 'DELETE', '/posts/1')
  await writeFile(DATA_FILE, '{"posts":[]}')
  await assertNoReset(app, /has changed since .* Start the service with --reload/)
  await rm(DATA_FILE)
  await assertNoReset(app, /cannot be read\. Restore it/)
  assert.equal((await app.inject('/posts')).json<unknown[]>().length, 1)
})

for (const [what, open] of [
  ['with a data file', async (t: TestContext) => dataApp(t, blog)],
  ['without one', async (t: TestContext) => catalogueApp(t)],
] as const) {
  test(`without TEST_API the 404 names it, as JSON, ${what}`, async (t) => {
    const app = await open(t)
    const response = await app.inject({ method: 'POST', url: '/_vitrine/reset' })
    assert.equal(response.statusCode, 404)
    const { detail } = response.json<{ detail: string }>()
    assert.match(detail, /Resets and snapshots need --test-api \(TEST_API\)/)
  })
}

async function assertResetsAll(t: TestContext, more: Record<string, string> = {}) {
  const app = await catalogueApp(t, { settings: { ...settings, MAX_FILES_BYTES: '10', ...more } })
  const paths = ['/users', '/locations', '/uploads']
  for (let round = 0; round < 2; round += 1) {
    await send(app, 'POST', '/users', { name: 'Ann', password: 'glass' })
    await send(app, 'POST', '/locations', { name: 'Pier' })
    const form = asUpload('ten bytes.')
    const upload = await app.inject({ method: 'POST', url: '/profile', ...form })
    assert.equal(upload.statusCode, 200, upload.body)
    const login = await send(app, 'POST', '/login', { username: 'Ann', password: 'glass' })
    const cookie = String(login.headers['set-cookie']).split(';', 1)[0] ?? ''
    assert.deepEqual(await countAll(app, paths), [1, 1, 1])
    assert.equal((await send(app, 'POST', '/_vitrine/reset')).statusCode, 204)
    assert.deepEqual(await countAll(app, paths), [0, 0, 0])
    const headers = { cookie, accept: 'application/json' }
    const session = await app.inject({ url: '/session', headers })
    assert.equal(session.json<{ authenticated: boolean }>().authenticated, false)
  }
}

test('without a data file a reset removes users, locations and uploads, and ends sessions', async (t) => {
  await assertResetsAll(t)
})

test('a reset removes sessions in Redis and uploads in a bucket too', withRedis, async (t) => {
  const [redis, s3] = [await startRedis(), await startS3()]
  t.after(() => Promise.all([redis.kill(), s3.close()]))
  await assertResetsAll(t, {
    REDIS_URL: redis.url,
    FILES_URL: s3.url,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
  })
  assert.deepEqual([s3.objects.size, s3.uploads.size], [0, 0])
})

test('with a data file a reset removes the other records and the uploads too', async (t) => {
  const app = await openBlog(t, { DEMOS: 'locations,uploads' })
  await send(app, 'POST', '/locations', { name: 'Pier' })
  const form = asUpload('glass')
  await app.inject({ method: 'POST', url: '/profile', ...form })
  assert.deepEqual(await countAll(app, ['/locations', '/uploads']), [1, 1])
  assert.equal((await send(app, 'POST', '/_vitrine/reset')).statusCode, 204)
  assert.deepEqual(await countAll(app, ['/locations', '/uploads']), [0, 0])
})

async function assertResetsWhileWriting(t: TestContext, count: number, DATABASE_URL?: string) {
  const posts = Array.from({ length: count }, (_, index) => ({ id: index + 1, title: 'One' }))
  const more = DATABASE_URL === undefined ? {} : { DATABASE_URL }
  const app = await dataApp(t, { posts }, { settings: { ...settings, ...more } })
  let isResetting = true
  const write = async () => {
    while (isResetting)
      assert.equal((await send(app, 'POST', '/posts', { title: 'New' })).statusCode, 201)
  }
  const put = async () => {
    const request = { method: 'PUT', url: '/posts/1', payload: { title: 'Put' } } as const
    while (isResetting) assert.ok((await app.inject(request)).statusCode < 500)
  }
  const writing = [write(), write(), put()]
  for (let round = 0; round < 3; round += 1)
    assert.equal((await send(app, 'POST', '/_vitrine/reset')).statusCode, 204)
  isResetting = false
  await Promise.all(writing)
  assert.equal((await send(app, 'POST', '/_vitrine/reset')).statusCode, 204)
  const { headers } = await app.inject('/posts?per_page=1')
  assert.equal(headers['x-total-count'], String(count))
}

for (const count of [1, 300, 5001]) {
  test(`a reset to ${String(count)} records works while other requests create records`, async (t) => {
    await assertResetsWhileWriting(t, count)
  })
}

async function assertNoReset(app: TestApp, detail: RegExp): Promise<void> {
  const response = await send(app, 'POST', '/_vitrine/reset')
  assert.equal(response.statusCode, 409)
  assert.match(response.json<{ detail: string }>().detail, detail)
}

test('a reset to records that a new schema excludes names what to do', async (t) => {
  const DATA_FILE = await dataFile(t, blog)
  const DATABASE_URL = `sqlite:${join(await temporaryFolder(t), 'v.db')}`
  const stored = { ...settings, DATA_FILE, DATABASE_URL }
  await (await catalogueApp(t, { settings: stored })).close()
  const schema = { posts: { properties: { title: { maxLength: 2 } } } }
  const DATA_SCHEMA = await dataFile(t, schema, 'schema.json')
  const app = await catalogueApp(t, { settings: { ...stored, DATA_SCHEMA } })
  await assertNoReset(app, /no longer fits its schema\. Start the service with --reload to get/)
})

test('a reset without the data file names what to do', async (t) => {
  const DATA_FILE = await dataFile(t, blog)
  const app = await catalogueApp(t, { settings: { ...settings, DATA_FILE } })
  await rm(DATA_FILE)
  await assertNoReset(app, /cannot be read\. Restore it, and reset again\.$/)
})

const flaky = { sequence: [{ status: 503 }, { json: 'ok' }] }

test('a reset, a restore and --reload begin the sequences of $responses again', async (t) => {
  const DATA_FILE = await dataFile(t, { ...blog, $responses: { 'GET /flaky/:id': flaky } })
  const DATABASE_URL = `sqlite:${join(await temporaryFolder(t), 'v.db')}`
  const stored = { ...settings, DATA_FILE, DATABASE_URL }
  const app = await catalogueApp(t, { settings: stored })
  const takeSteps = async (of: TestApp) => {
    for (const status of [503, 200, 200])
      assert.equal((await of.inject('/flaky/1')).statusCode, status)
  }
  await takeSteps(app)
  await send(app, 'POST', '/_vitrine/snapshots', { name: 'start' })
  for (const url of ['/_vitrine/reset', '/_vitrine/snapshots/start/restore']) {
    assert.equal((await send(app, 'POST', url)).statusCode, 204)
    await takeSteps(app)
  }
  await app.close()
  const kept = await catalogueApp(t, { settings: stored })
  assert.equal((await kept.inject('/flaky/1')).statusCode, 200)
  await kept.close()
  await takeSteps(await catalogueApp(t, { settings: { ...stored, DATA_RELOAD: 'on' } }))
})

suite('on PostgreSQL', { skip: withoutPostgres }, () => {
  let server: PostgresServer
  before(async () => {
    server = await openPostgresServer()
  })
  after(() => server.remove())

  for (const count of [1, 300, 5001]) {
    test(`a reset to ${String(count)} records works there while other requests write`, async (t) => {
      await assertResetsWhileWriting(t, count, await createSchema(server.url))
    })
  }

  test('concurrent resets of the largest file that is reset at once', async (t) => {
    const posts = Array.from({ length: 5000 }, (_, index) => ({ id: index + 1, title: 'One' }))
    const more = { ...settings, DATABASE_URL: await createSchema(server.url) }
    const app = await dataApp(t, { posts }, { settings: more })
    const reset = () => send(app, 'POST', '/_vitrine/reset')
    assert.equal((await reset()).statusCode, 204)
    const responses = await Promise.all([reset(), reset()])
    for (const { statusCode } of responses) assert.ok([204, 409, 503].includes(statusCode))
    assert.equal((await app.inject('/posts?per_page=1')).headers['x-total-count'], '5000')
  })
})

test('the test API cannot be used with PRESET=public', async (t) => {
  const { status, lines } = await failedStart(t, { ...settings, PRESET: 'public' })
  assert.equal(status, 2)
  assert.match(lines.join('\n'), /TEST_API lets every client replace all records/)
})
