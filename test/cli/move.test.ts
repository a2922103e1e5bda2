import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { asJson, toCookie } from '../support/client.ts'
import {
  createSchema,
  openPostgresServer,
  withoutPostgres,
  type PostgresServer,
} from '../support/postgres-server.ts'
import {
  emptyService,
  openService,
  readEverything,
  runFailing,
  runSucceeding,
  uploadFile,
} from '../support/data-folder.ts'

const user = { name: 'ann', password: 'a password' }

/** Each use of a session delays its end. */
const toBegin = (session: string) => session.replace(/,"expiresAt".*/, '')

suite('a move from SQLite to PostgreSQL', { skip: withoutPostgres }, () => {
  let server: PostgresServer
  before(async () => {
    server = await openPostgresServer()
  })
  after(() => server.remove())

  test('keeps records, versions, times, users, sessions and uploads', async (t) => {
    const source = await emptyService(t)
    await runSucceeding(source, 'seed', '600')
    const old = await openService(t, source)
    await old.send('/users/ann', asJson('PUT', user))
    await old.send('/locations/rome', asJson('PUT', { name: 'Rome' }))
    await old.send('/locations/rome', asJson('PATCH', { name: 'Roma "é漢' }))
    const login = asJson('POST', { username: user.name, password: user.password })
    const headers = { cookie: toCookie(await old.send('/login', login)) }
    for (const size of [0, 1, 300_000]) {
      await uploadFile(old.send, `${String(size)}.bin`, randomBytes(size))
    }
    const seen = await readEverything(old)
    const rome = await old.send('/locations/rome')
    const session = toBegin((await old.send('/session', { headers })).text)
    assert.match(session, /"authenticated":true,.*"createdAt"/)
    await old.stop()
    const file = join(source.folder, 'saved')
    await runSucceeding(source, 'backup', file)

    const target = await emptyService(t, { DATABASE_URL: await createSchema(server.url) })
    const output = await runSucceeding(target, 'restore', file)
    assert.match(
      output,
      /^Restored 601 locations, 601 users, 3 uploads, 1 session \(300,001 bytes of files\)/,
    )
    const moved = await openService(t, target)
    assert.deepEqual(await readEverything(moved), seen)
    const movedRome = await moved.send('/locations/rome')
    assert.equal(movedRome.text, rome.text)
    assert.equal(movedRome.headers.etag, rome.headers.etag)
    assert.equal(toBegin((await moved.send('/session', { headers })).text), session)
    assert.equal((await moved.send('/login', login)).status, 200)
    const filter = `/locations?per_page=1&name=${encodeURIComponent('Roma "é漢')}`
    assert.equal((await moved.send(filter)).headers['x-total-count'], '1')
    assert.equal((await moved.send('/locations?per_page=1')).headers['x-total-count'], '601')

    assert.match(await runFailing(target, 'restore', file), /the database is not empty/)
    assert.deepEqual(await readEverything(moved), seen)
  })
})
