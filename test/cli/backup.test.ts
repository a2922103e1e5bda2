import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdir, stat, truncate, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { appendHash } from '../../src/stores/sqlite/backup-hash.ts'
import { asJson, listOf, type Ask } from '../faults/client.ts'
import { smallDisk } from '../faults/small-disk.ts'
import { startS3 } from '../s3-server.ts'
import { accessKeyId, secretAccessKey } from '../s3-signature.ts'
import { done, emptyHouse, look, openHouse, refused, uploadFile } from './data-folder.ts'

async function create(ask: Ask, name: string): Promise<void> {
  assert.equal((await ask('/locations', asJson('POST', { name }))).status, 201)
}

/** Some records and uploads, small, large and empty. */
async function furnish(ask: Ask): Promise<void> {
  for (const name of ['Pier', 'Café 漢', 'Old "Mill"']) await create(ask, name)
  for (const size of [0, 1, 100_000, 3_000_000]) {
    await uploadFile(ask, `${String(size)}.bin`, randomBytes(size))
  }
}

/** A services with something in it, and a backup of that. */
async function savedHouse(t: TestContext, settings: Record<string, string> = {}) {
  const services = await emptyHouse(t, settings)
  const vitrine = await openHouse(t, services)
  await furnish(vitrine.ask)
  const file = join(services.folder, 'saved.vitrine')
  const said = await done(services, 'backup', file)
  return { services, vitrine, file, said, seen: await look(vitrine) }
}

test('what was acknowledged before a backup begins is in it, whoever writes meanwhile', async (t) => {
  const services = await emptyHouse(t)
  const { origin, ask } = await openHouse(t, services)
  await furnish(ask)
  const names: string[] = []
  let isSaved = false
  const writers = [1, 2, 3].map(async (writer) => {
    // Until the backup is there, and no more than some hundred in any case.
    for (let count = 0; count < 40 || (!isSaved && count < 400); count += 1) {
      const name = `${String(writer)} ${String(count)}`
      await create(ask, name)
      names.push(name)
      if (count % 10 === 0) await uploadFile(ask, name, randomBytes(20_000))
    }
  })
  const before = [...names]
  const file = join(services.folder, 'saved.vitrine')
  const seen = await look({ origin, ask })
  await done(services, 'backup', file)
  isSaved = true
  await Promise.all(writers)
  assert.deepEqual((await readdir(services.folder)).toSorted(), ['kept', 'saved.vitrine'])

  const other = await emptyHouse(t)
  await done(other, 'restore', file)
  const restored = await look(await openHouse(t, other))
  const there = new Set(restored.locations.map(({ name }) => name))
  for (const name of before) assert.ok(there.has(name), name)
  // Of each writer the first ones: a moment, and not a choice.
  const ids = (list: readonly { _id: string }[]) => list.map(({ _id }) => _id)
  assert.deepEqual(restored.locations.slice(0, seen.locations.length), seen.locations)
  assert.deepEqual(ids(restored.uploads).slice(0, seen.uploads.length), ids(seen.uploads))
})

test('a backup is restored into a folder where nothing is, and into one where much else is', async (t) => {
  const { vitrine, file, said, seen } = await savedHouse(t)
  assert.match(said, /^Saved 3 records and 4 uploads \(3,100,001 bytes\) to /)
  await vitrine.stop()
  const other = await emptyHouse(t)
  assert.match(await done(other, 'restore', file), /^Restored 3 records and 4 uploads /)
  const opened = await openHouse(t, other)
  assert.deepEqual(await look(opened), seen)
  // What the backup does not have goes, and what is damaged is put right.
  await create(opened.ask, 'later')
  await uploadFile(opened.ask, 'later', Buffer.from('later'))
  await opened.stop()
  const files = join(other.folder, 'kept', 'files')
  const [first = assert.fail()] = seen.uploads.filter(({ size }) => size === 100_000)
  await truncate(join(files, first._id), 10)
  await done(other, 'restore', file)
  assert.deepEqual((await readdir(files)).toSorted(), Object.keys(seen.contents).toSorted())
  assert.deepEqual(await look(await openHouse(t, other)), seen)
})

test('whoever is logged in stays so through backup and restore', async (t) => {
  const services = await emptyHouse(t)
  const { ask, stop } = await openHouse(t, services)
  const user = { name: 'Ann', password: 'glass' }
  await ask('/users', asJson('POST', user))
  const credentials = { username: 'Ann', password: 'glass' }
  const { headers } = await ask('/login', asJson('POST', credentials))
  const cookie = headers['set-cookie']?.[0]?.split(';')[0] ?? assert.fail('no session')
  const file = join(services.folder, 'saved.vitrine')
  assert.match(await done(services, 'backup', file), /^Saved 1 record and 0 uploads \(0 bytes\)/)
  assert.equal((await stat(file)).mode & 0o777, 0o600)
  await ask('/logout', { method: 'POST', headers: { cookie } })
  await stop()
  await done(services, 'restore', file)
  const { text } = await (await openHouse(t, services)).ask('/session', { headers: { cookie } })
  assert.match(text, /"authenticated":true/)
})

test('files in a bucket are in the backup, and go where the files are then', async (t) => {
  const server = await startS3()
  t.after(server.close)
  const bucket = {
    FILES_URL: server.url,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
  }
  const { services, vitrine, file, seen } = await savedHouse(t, bucket)
  const onDisk = await emptyHouse(t)
  await done(onDisk, 'restore', file)
  assert.deepEqual(await look(await openHouse(t, onDisk)), seen)
  await uploadFile(vitrine.ask, 'later', Buffer.from('later'))
  await vitrine.stop()
  const gone = [...server.objects.keys()][0] ?? assert.fail('nothing in the bucket')
  server.objects.delete(gone)
  await done(services, 'restore', file)
  const ids = [...server.objects.keys()].map((key) => key.replace('some/files/', ''))
  assert.deepEqual(ids.toSorted(), Object.keys(seen.contents).toSorted())
  assert.deepEqual(await look(await openHouse(t, services)), seen)
})

test('an upload whose content is gone is left out, and said', async (t) => {
  const { services, seen, vitrine } = await savedHouse(t)
  const { _id } = seen.uploads.at(-1) ?? assert.fail()
  await unlink(join(services.folder, 'kept', 'files', _id))
  const file = join(services.folder, 'second.vitrine')
  assert.match(await done(services, 'backup', file), new RegExp(`skipped upload ${_id}`))
  await vitrine.stop()
  await done(services, 'restore', file)
  assert.equal((await look(await openHouse(t, services))).uploads.length, seen.uploads.length - 1)
})

test('a restore is refused while the service runs, however idle, and changes nothing', async (t) => {
  const { services, vitrine, file } = await savedHouse(t)
  await create(vitrine.ask, 'later')
  assert.match(await refused(services, 'restore', file), /is in use: stop the service first$/)
  const names = await listOf<{ name: string }>(vitrine.ask, '/locations')
  assert.equal(names.at(-1)?.name, 'later')
  await vitrine.stop()
  await done(services, 'restore', file)
})

test('a file that is there is no place for a backup, and where none can be written none is left', async (t) => {
  const { services, file } = await savedHouse(t)
  assert.match(await refused(services, 'backup', file), /saved\.vitrine is there already$/)
  assert.match(await refused(services, 'backup', join(services.folder, 'no', 'where')), /ENOENT/)
  const partial = join(services.folder, 'other.vitrine')
  await writeFile(`${partial}.part`, '')
  assert.match(await refused(services, 'backup', partial), /is there: of a backup/)
  assert.match(await refused(await emptyHouse(t), 'backup', partial), /there is no database/)
})

test('a disk that is too small leaves no backup, and no half of one', async (t) => {
  const disk = await smallDisk(t, '1m')
  if (disk === undefined) return
  const { services } = await savedHouse(t)
  assert.match(await refused(services, 'backup', join(disk, 'saved.vitrine')), /full|disk I\/O/)
  assert.deepEqual(await readdir(disk), [])
})

test('a database itself is no backup, and one of somebody else is left alone', async (t) => {
  const { services, file, vitrine } = await savedHouse(t)
  await vitrine.stop()
  const path = join(services.folder, 'kept', 'vitrine.db')
  assert.match(await refused(services, 'restore', path), /was not made by vitrine backup$/)
  const database = new DatabaseSync(path)
  t.after(() => {
    database.close()
  })
  database.exec('CREATE TABLE theirs (a); INSERT INTO theirs VALUES (1)')
  database.close()
  await done(services, 'restore', file)
  database.open()
  assert.equal(database.prepare('SELECT a FROM theirs').get()?.a, 1)
})

test('a backup whose uploads would lie outside of their folder is refused', async (t) => {
  const { services, file, vitrine, seen } = await savedHouse(t)
  await vitrine.stop()
  const saved = new DatabaseSync(file)
  saved.exec(`UPDATE contents SET id = '../outside' WHERE id = (SELECT min(id) FROM contents);
    UPDATE records SET id = '../outside' WHERE resource = 'uploads' AND id NOT IN (SELECT id FROM contents)
      AND json_extract(document, '$.size') > 0`)
  saved.close()
  await appendHash(file)
  assert.match(await refused(services, 'restore', file), /it has an id that none can have$/)
  assert.deepEqual(await look(await openHouse(t, services)), seen)
  assert.deepEqual((await readdir(join(services.folder, 'kept'))).includes('outside'), false)
})
