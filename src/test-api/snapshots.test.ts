import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import {
  changeAll,
  countAll,
  openBlog,
  readAll,
  send,
  settings,
  atStart,
} from '../../test/support/blog-app.ts'
import { dataApp } from '../../test/support/data-app.ts'
import {
  createSchema,
  openPostgresServer,
  withoutPostgres,
  type PostgresServer,
} from '../../test/support/postgres-server.ts'
import { catalogueApp, type TestApp } from '../../test/support/test-app.ts'

/** On both backends. */
async function assertSnapshots(app: TestApp): Promise<void> {
  const url = '/_vitrine/snapshots'
  await changeAll(app)
  const changed = await readAll(app)
  const created = await send(app, 'POST', url, { name: 'changed' })
  assert.deepEqual([created.statusCode, created.headers.location], [201, `${url}/changed`])
  const { createdAt, ...shown } = created.json<Record<string, unknown>>()
  assert.deepEqual(shown, { name: 'changed', records: 4 })
  assert.deepEqual((await app.inject(url)).json(), [{ ...shown, createdAt }])
  await send(app, 'POST', '/_vitrine/reset')
  assert.deepEqual(await readAll(app), atStart)
  for (const round of [1, 2]) {
    await send(app, 'PATCH', '/posts/2', { title: `Round ${String(round)}` })
    assert.equal((await send(app, 'POST', `${url}/changed/restore`)).statusCode, 204)
    assert.deepEqual(await readAll(app), changed)
  }
  assert.equal((await send(app, 'DELETE', `${url}/changed`)).statusCode, 204)
  assert.equal((await send(app, 'DELETE', `${url}/changed`)).statusCode, 404)
  assert.equal((await send(app, 'POST', `${url}/changed/restore`)).statusCode, 404)
  assert.deepEqual((await app.inject(url)).json(), [])
}

test('a snapshot is created, restored more than once, and deleted', async (t) => {
  await assertSnapshots(await openBlog(t))
})

test('a snapshot has the records of one moment, although others write', async (t) => {
  const names = ['first', 'second']
  // So many that writes take place while they are read.
  const others = Array.from({ length: 3000 }, (_, index) => ({ id: index + 2 }))
  const app = await dataApp(t, { first: [{ id: 1 }, ...others], second: [{ id: 1 }] }, { settings })
  const count = async () => {
    // Fewer than the attempts of the snapshot.
    for (const number of [1, 2, 3, 4])
      for (const name of names) await send(app, 'PATCH', `/${name}/1`, { number })
  }
  const [created] = await Promise.all([
    send(app, 'POST', '/_vitrine/snapshots', { name: 'one' }),
    count(),
  ])
  assert.equal(created.statusCode, 201)
  await send(app, 'POST', '/_vitrine/snapshots/one/restore')
  const [first = 0, second = 0] = await Promise.all(
    names.map(async (name) => (await app.inject(`/${name}/1`)).json<{ number?: number }>().number),
  )
  assert.ok(first - second === 0 || first - second === 1)
})

test('without a data file a snapshot has the users and locations', async (t) => {
  const app = await catalogueApp(t, { settings })
  await send(app, 'POST', '/locations', { name: 'Pier' })
  await send(app, 'POST', '/_vitrine/snapshots', { name: 'one' })
  await send(app, 'POST', '/_vitrine/reset')
  assert.deepEqual(await countAll(app, ['/locations']), [0])
  const restored = await send(app, 'POST', '/_vitrine/snapshots/one/restore')
  assert.deepEqual([restored.statusCode, await countAll(app, ['/locations'])], [204, [1]])
})

suite('on PostgreSQL', { skip: withoutPostgres }, () => {
  let server: PostgresServer
  before(async () => {
    server = await openPostgresServer()
  })
  after(() => server.remove())

  test('a snapshot is created, restored more than once, and deleted there', async (t) => {
    await assertSnapshots(await openBlog(t, { DATABASE_URL: await createSchema(server.url) }))
  })
})

for (const [title, name, status] of [
  ['of a name that is taken', 'one', 409],
  ['of a name with a slash', 'a/b', 400],
  ['of an empty name', '', 400],
  ['of a long name', 'a'.repeat(65), 400],
  ['of a name that is a number', 7, 400],
] as const) {
  test(`a snapshot ${title} gets ${String(status)}`, async (t) => {
    const app = await openBlog(t)
    await send(app, 'POST', '/_vitrine/snapshots', { name: 'one' })
    const response = await send(app, 'POST', '/_vitrine/snapshots', { name })
    assert.equal(response.statusCode, status)
  })
}

test('a snapshot without a name gets one, and there are at most 20', async (t) => {
  const app = await openBlog(t)
  for (let count = 0; count < 20; count += 1) {
    const { headers } = await send(app, 'POST', '/_vitrine/snapshots')
    assert.match(String(headers.location), /^\/_vitrine\/snapshots\/[\da-f-]{36}$/)
  }
  assert.equal((await send(app, 'POST', '/_vitrine/snapshots')).statusCode, 507)
})
