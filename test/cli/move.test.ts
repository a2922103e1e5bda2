import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { readArchiveLines, writeArchiveLines } from '../support/archives.ts'
import { until } from '../support/until.ts'
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

suite('a backup moves data between SQLite and PostgreSQL', { skip: withoutPostgres }, () => {
  let server: PostgresServer
  before(async () => {
    server = await openPostgresServer()
  })
  after(() => server.remove())

  test('it keeps records, versions, times, users, sessions and uploads', async (t) => {
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

    // Back to SQLite, with what was written since.
    await uploadFile(moved.send, 'later.bin', randomBytes(200_000))
    assert.equal((await moved.send('/locations/rome', { method: 'DELETE' })).status, 200)
    const later = await readEverything(moved)
    const back = join(target.folder, 'back')
    assert.match(await runSucceeding(target, 'backup', back), /^Saved 601 users, 600 locations, 4 /)
    const returned = await emptyService(t)
    await runSucceeding(returned, 'restore', back)
    assert.deepEqual(await readEverything(await openService(t, returned)), later)
    await moved.stop()

    // A restore replaces what is there, or changes nothing.
    const files = join(target.folder, 'kept', 'files')
    const lines = await readArchiveLines(file)
    const forged = join(target.folder, 'forged')
    await writeArchiveLines(forged, [...lines, lines.find(({ record }) => record !== undefined)])
    assert.match(await runFailing(target, 'restore', forged), /duplicate key/)
    const kept = await openService(t, target)
    assert.deepEqual(await readEverything(kept), later)
    assert.deepEqual((await readdir(files)).toSorted(), Object.keys(later.contents).toSorted())
    await kept.stop()
    await runSucceeding(target, 'restore', file)
    assert.deepEqual(await readEverything(await openService(t, target)), seen)
    assert.deepEqual((await readdir(files)).toSorted(), Object.keys(seen.contents).toSorted())
  })

  test('a backup has the records of one moment, although others write', async (t) => {
    const service = await emptyService(t, { DATABASE_URL: await createSchema(server.url) })
    const { send } = await openService(t, service)
    const saved = new AbortController()
    const writing = (async () => {
      for (let count = 0; count < 20 || !saved.signal.aborted; count += 1) {
        const place = asJson('PUT', { name: String(count) })
        for (const id of ['a', 'b']) assert.ok((await send(`/locations/${id}`, place)).status < 300)
        await uploadFile(send, `${String(count)}.bin`, randomBytes(20_000))
      }
    })()
    await until(async () => (await send('/uploads?per_page=1')).headers['x-total-count'] !== '0')
    const file = join(service.folder, 'saved')
    await runSucceeding(service, 'backup', file)
    saved.abort()
    await writing
    const other = await emptyService(t)
    await runSucceeding(other, 'restore', file)
    const { locations } = await readEverything(await openService(t, other))
    const [a, b] = ['a', 'b'].map((id) => locations.find(({ _id }) => _id === id)?.name)
    assert.ok(a === b || Number(a) === Number(b) + 1, `${String(a)} ${String(b)}`)
  })
})
