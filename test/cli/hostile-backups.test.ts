import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { readArchiveLines, writeArchiveLines } from '../support/archives.ts'
import { asJson } from '../support/client.ts'
import {
  runSucceeding,
  emptyService,
  readEverything,
  openService,
  runFailing,
  uploadFile,
} from '../support/data-folder.ts'

type Line = Awaited<ReturnType<typeof readArchiveLines>>[number]
type StoredRecord = NonNullable<Line['record']>
type Forgery = (record: StoredRecord) => void

const setUpload = (path: string, value: string) =>
  `UPDATE records SET document = json_set(document, '$.${path}', ${value}) WHERE resource = 'uploads'`

/** Changes a member of the record, or of its document, in one collection. */
const setRecord =
  (collection: string, members: Readonly<Record<string, unknown>>): Forgery =>
  (record) => {
    if (record.collection === collection) Object.assign(record, members)
  }
const setIn =
  (collection: string, members: Readonly<Record<string, unknown>>): Forgery =>
  (record) => {
    if (record.collection === collection) Object.assign(record.document, members)
  }
const setStored =
  (members: Readonly<Record<string, unknown>>): Forgery =>
  ({ collection, document }) => {
    if (collection === '~answers') Object.assign(document.answer as object, members)
  }

const weakHash = '$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA'

/** Changes of a backup that Vitrine cannot have made. */
const forgeries: Readonly<Record<string, Forgery>> = {
  ...Object.fromEntries(
    [-1, -4096, 1.5, 'many', null, 1e15, 2 ** 60].map((size) => [
      `an upload of the size ${String(size)}`,
      setIn('uploads', { size }),
    ]),
  ),
  'an upload without a hash': setIn('uploads', { sha256: 'none' }),
  'an upload whose type has a line break': setIn('uploads', { type: 'text/html\r\nx: y' }),
  'an upload whose name is a line break': setIn('uploads', { name: '\n' }),
  'an upload whose name is not Unicode': setIn('uploads', { name: '\ud800' }),
  'an upload outside the folder': setRecord('uploads', { id: '../outside' }),
  'a password that is a number': setIn('users', { password: 1 }),
  'a password with a weak hash': setIn('users', { password: weakHash }),
  'a user whose name is an object': setIn('users', { name: {} }),
  'a user of a version that cannot grow': setRecord('users', { version: 9007199254740991 }),
  'a user of the version 0': setRecord('users', { version: 0 }),
  'a user created yesterday': setRecord('users', { createdAt: 'yesterday' }),
  'a user changed in month 19': setRecord('users', { updatedAt: '2026-19-39T12:00:00.000Z' }),
  'a user in a collection with a slash': setRecord('users', { collection: '../outside' }),
  'a location whose latitude is text': setIn('locations', { latitude: 'north' }),
  'a location whose note has a NUL': setIn('locations', { note: '\0' }),
  'a location that is a list': setRecord('locations', { document: [] }),
  'a session with a time that is none': setIn('~sessions', {
    idleUntil: '9999-99-99T99:99:99.999Z',
  }),
  'a session that expires later': setIn('~sessions', { expiresAt: 'later' }),
  'a session of a list': setIn('~sessions', { userId: [] }),
  'a stored response with the status 99': setStored({ status: 99 }),
  'a stored response whose header is a line break': setStored({ headers: { bad: '\n' } }),
  'a stored response to another path': setIn('~answers', { recordId: '../x' }),
  'a stored response that is a list': setRecord('~answers', { document: [] }),
  'a stored response outside': setRecord('~answers', { id: '../outside' }),
  'a state of many requests': setIn('~states', { requests: 'many' }),
  ...Object.fromEntries(
    ['~data-file', '~snapshots', '~snapshot-records'].map((collection) => [
      `a location in ${collection}`,
      setRecord('locations', { collection }),
    ]),
  ),
}

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
  const lines = await readArchiveLines(file)
  const forged = join(services.folder, 'forged')
  for (const [title, forgery] of Object.entries(forgeries)) {
    await t.test(title, async () => {
      const changed = structuredClone(lines)
      for (const { record } of changed) if (record) forgery(record)
      assert.notDeepEqual(changed, lines)
      await writeArchiveLines(forged, changed)
      assert.match(await runFailing(services, 'restore', forged), /damaged/)
      assert.equal(existsSync(join(services.folder, 'kept', 'outside')), false)
    })
  }
  await t.test('a location that is not checked as its file is lost', async () => {
    const changed = structuredClone(lines)
    const index = changed.findIndex(({ record }) => record?.collection === 'locations')
    Object.assign(changed[index]?.record?.document ?? assert.fail(), { latitude: 'north' })
    await writeArchiveLines(forged, changed.toSpliced(index + 1, 0, { isLost: true }))
    assert.match(await runFailing(services, 'restore', forged), /damaged/)
  })
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
