import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { appendHash } from '../../src/stores/sqlite/backup-hash.ts'
import { asJson } from '../support/client.ts'
import {
  runSucceeding,
  emptyService,
  readEverything,
  openService,
  runFailing,
  uploadFile,
} from '../support/data-folder.ts'

const setUpload = (path: string, value: string) =>
  `UPDATE records SET document = json_set(document, '$.${path}', ${value}) WHERE resource = 'uploads'`
const setIn = (resource: string, path: string, value: string) =>
  `UPDATE records SET document = json_set(document, '$.${path}', ${value}) WHERE resource = '${resource}'`

/** Statements that turn a backup into one that Vitrine cannot have made, with the right hash. */
const forgeries: readonly string[] = [
  ...['-1', '-4096', '1.5', "'many'", 'NULL', '1e15', '9007199254740993'].map((size) =>
    setUpload('size', size),
  ),
  setUpload('sha256', "'none'"),
  setUpload('type', `'text/html' || char(13, 10) || 'x: y'`),
  setUpload('name', 'char(10)'),
  setIn('users', 'password', '1'),
  setIn('users', 'password', "'$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA'"),
  setUpload('name', `json('"\\ud800"')`),
  setIn('~sessions', 'idleUntil', "'9999-99-99T99:99:99.999Z'"),
  `UPDATE records SET version = 9007199254740991 WHERE resource = 'users'`,
  setIn('users', 'name', `json('{}')`),
  setIn('locations', 'latitude', "'north'"),
  setIn('locations', 'note', 'char(0)'),
  setIn('~sessions', 'expiresAt', "'later'"),
  setIn('~sessions', 'userId', `json('[]')`),
  setIn('~answers', 'answer.status', '99'),
  setIn('~answers', 'answer.headers.bad', `char(10)`),
  setIn('~answers', 'recordId', `'../x'`),
  `UPDATE records SET document = '[]' WHERE resource = 'locations'`,
  `UPDATE records SET document = '{"name":' WHERE resource = '~answers'`,
  setIn('~states', 'requests', `'many'`),
  ...['~data-file', '~snapshots', '~snapshot-records'].map(
    (name) => `UPDATE records SET resource = '${name}' WHERE resource = 'locations'`,
  ),
  `UPDATE records SET version = 0 WHERE resource = 'users'`,
  `UPDATE records SET created_at = 'yesterday' WHERE resource = 'users'`,
  `UPDATE records SET updated_at = '2026-19-39T12:00:00.000Z' WHERE resource = 'users'`,
  `UPDATE records SET id = '../outside' WHERE resource = '~answers'`,
  `UPDATE records SET resource = '../outside' WHERE resource = 'users'`,
]

/** A backup with data of every kind. */
async function saveEverything(t: TestContext) {
  const services = await emptyService(t)
  const vitrine = await openService(t, services)
  const { send } = vitrine
  await send('/users', asJson('POST', { name: 'Ann', password: 'glass' }))
  await send('/responses/sequence/a')
  const place = asJson('POST', { name: 'Pier', latitude: 1, longitude: 2 })
  const headers = { ...place.headers, 'idempotency-key': '"one"' }
  assert.equal((await send('/locations', { ...place, headers })).status, 201)
  const login = asJson('POST', { username: 'Ann', password: 'glass' })
  assert.equal((await send('/login', login)).status, 200)
  await uploadFile(send, 'a.bin', randomBytes(100_000))
  const file = join(services.folder, 'saved.vitrine')
  await runSucceeding(services, 'backup', file)
  const seen = await readEverything(vitrine)
  await vitrine.stop()
  return { services, file, seen }
}

test('a backup that Vitrine did not create is rejected with one line', async (t) => {
  const { services, file, seen } = await saveEverything(t)
  for (const [index, forgery] of forgeries.entries()) {
    await t.test(forgery, async () => {
      const forged = join(services.folder, `forged-${String(index)}`)
      await copyFile(file, forged)
      const database = new DatabaseSync(forged)
      const { changes } = database.prepare(forgery).run()
      database.close()
      assert.ok(changes > 0, 'there is something to forge')
      await appendHash(forged)
      assert.match(await runFailing(services, 'restore', forged), /damaged|is not whole/)
    })
  }
  await runSucceeding(services, 'restore', file)
  assert.deepEqual(await readEverything(await openService(t, services)), seen)
})

test('an invalid size in the database gets 503, and the service goes on', async (t) => {
  const { services, seen } = await saveEverything(t)
  const small = { NODE_OPTIONS: '--max-semi-space-size=1 --max-old-space-size=64' }
  const settings = { ...services.settings, ...small }
  const path = join(services.folder, 'kept', 'vitrine.db')
  const [upload = assert.fail()] = seen.uploads
  for (const size of ['-4096', '-1', '1.5', 'NULL', "'many'"]) {
    await t.test(size, async () => {
      const database = new DatabaseSync(path)
      database.exec(setUpload('size', size))
      database.close()
      const { send, stop } = await openService(t, { ...services, settings })
      // A file that is opened and not closed ends the process when its memory is collected.
      for (let count = 0; count < 200; count += 1) {
        assert.equal((await send(`/uploads/${upload._id}`)).status, 503)
      }
      const range = { headers: { range: 'bytes=0-' } }
      assert.equal((await send(`/uploads/${upload._id}`, range)).status, 503)
      assert.equal((await send('/uploads')).status, 200)
      assert.equal((await send('/health')).status, 200)
      await stop()
    })
  }
})
