import assert from 'node:assert/strict'
import { readdir, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { dataFile } from '../support/data-app.ts'
import { openEvents } from '../support/event-stream.ts'
import { asJson, listOf } from '../support/client.ts'
import { createLocation, savedService } from '../support/saved-service.ts'
import { startS3 } from '../support/s3-server.ts'
import { accessKeyId, secretAccessKey } from '../support/s3-signature.ts'
import {
  runSucceeding,
  emptyService,
  readEverything,
  openService,
  runFailing,
  uploadFile,
} from '../support/data-folder.ts'

test('a backup is restored into an empty folder, and into one with other data', async (t) => {
  const { vitrine, file, output, seen } = await savedService(t)
  assert.match(output, /^Saved 4 uploads, 3 locations \(3,100,001 bytes of files\) of \S+ to /)
  await vitrine.stop()
  const other = await emptyService(t)
  const restored = (await runSucceeding(other, 'restore', file)).split('\n')
  assert.match(restored[0] ?? '', /^Restored 4 uploads, 3 locations \(/)
  const kept = join(other.folder, 'kept')
  assert.equal(
    restored[1],
    `They replace the records of ${kept}/vitrine.db and the files of ${kept}/files`,
  )
  const opened = await openService(t, other)
  assert.deepEqual(await readEverything(opened), seen)
  // Records that are not in the backup are removed, and damaged files are replaced.
  await createLocation(opened.send, 'later')
  await uploadFile(opened.send, 'later', Buffer.from('later'))
  await opened.stop()
  const files = join(other.folder, 'kept', 'files')
  const [first = assert.fail()] = seen.uploads.filter(({ size }) => size === 100_000)
  await truncate(join(files, first._id), 10)
  await runSucceeding(other, 'restore', file)
  assert.deepEqual((await readdir(files)).toSorted(), Object.keys(seen.contents).toSorted())
  assert.deepEqual(await readEverything(await openService(t, other)), seen)
})

test('a restore, and a reset, leave no sandbox and no file of one', async (t) => {
  const services = await emptyService(t)
  const file = join(services.folder, 'saved.vitrine')
  const files = join(services.folder, 'kept', 'files')
  const key = 'sandbox-of-restore-01'
  const fill = async () => {
    const { send, stop } = await openService(t, services)
    await uploadFile(send, 'shared', Buffer.from('shared'))
    await uploadFile(
      (path, request) => send(`/s/${key}${path}`, request),
      'own',
      Buffer.from('own'),
    )
    assert.equal((await listOf(send, `/s/${key}/uploads`)).length, 1)
    await stop()
  }
  await fill()
  await runSucceeding(services, 'backup', file)
  assert.equal((await readdir(files)).length, 2)
  await runSucceeding(services, 'restore', file)
  assert.equal((await readdir(files)).length, 1)
  const { send, stop } = await openService(t, services)
  assert.deepEqual(await listOf(send, `/s/${key}/uploads`), [])
  await stop()
  await fill()
  assert.match(await runSucceeding(services, 'reset'), /^Removed 2 uploads, 1 sandbox from /)
  assert.deepEqual(await readdir(files), [])
})

test('a backup of other resources than those of the database is restored only after a reset', async (t) => {
  const load = async (data: unknown) => {
    const services = await emptyService(t, { DATA_FILE: await dataFile(t, data) })
    await (await openService(t, services)).stop()
    return services
  }
  const blog = await load({ posts: [{ id: 1 }], tags: [], nextId: 3, categories: [{}] })
  const shop = await load({ posts: [], goods: [{ id: 1 }], categories: [] })
  const file = join(blog.folder, 'saved.vitrine')
  await runSucceeding(blog, 'backup', file)
  const place = join(shop.folder, 'kept', 'vitrine.db')
  const difference = 'it has tags, nextId and it does not have goods'
  const remedy = 'To replace all records, run reset first; to keep them, set another DATABASE_URL'
  assert.equal(
    await runFailing(shop, 'restore', file),
    `vitrine: cannot restore: ${file} has other resources than ${place}: ${difference}. ${remedy}`,
  )
  assert.match(await runSucceeding(shop, 'export', '-'), /"goods": \[\s+\{/)
  await runSucceeding(shop, 'reset')
  assert.match(
    await runSucceeding(shop, 'restore', file),
    /^Restored 1 category, 1 nextId, 1 post \(/,
  )
  // Without a data file, no service would have them.
  assert.match(
    await runFailing(await emptyService(t), 'restore', file),
    /is of a data file with posts, tags, nextId, categories\. Name that file: vitrine db\.json restore /,
  )
})

test('a restore is a reset for a client that resumes its stream of events', async (t) => {
  const services = await emptyService(t, { DATA_FILE: await dataFile(t, { posts: [{ id: 1 }] }) })
  const first = await openService(t, services)
  const file = join(services.folder, 'saved.vitrine')
  await runSucceeding(services, 'backup', file)
  const stream = await openEvents(t, `${first.origin}/posts/events`)
  await first.send('/posts/1', { method: 'DELETE' })
  assert.equal((await stream.next())?.name, 'deleted')
  await first.stop()
  await runSucceeding(services, 'restore', file)
  const second = await openService(t, services)
  const resumed = await openEvents(t, `${second.origin}/posts/events`, stream.lastId())
  await second.send('/posts', asJson('POST', { title: 'New' }))
  assert.equal((await resumed.next())?.name, 'reset')
})

test('sessions survive a backup and restore', async (t) => {
  const services = await emptyService(t)
  const { send, stop } = await openService(t, services)
  await send('/users', asJson('POST', { name: 'Ann', password: 'glass' }))
  const { headers } = await send('/login', asJson('POST', { username: 'Ann', password: 'glass' }))
  const cookie = headers['set-cookie']?.[0]?.split(';')[0] ?? assert.fail('no session')
  const file = join(services.folder, 'saved.vitrine')
  assert.match(
    await runSucceeding(services, 'backup', file),
    /^Saved 1 user, 1 session \(0 bytes of files\)/,
  )
  assert.equal((await stat(file)).mode & 0o777, 0o600)
  await send('/logout', { method: 'POST', headers: { cookie } })
  await stop()
  await runSucceeding(services, 'restore', file)
  const { text } = await (await openService(t, services)).send('/session', { headers: { cookie } })
  assert.match(text, /"authenticated":true/)
})

test('files in a bucket are in the backup, and are restored to the configured store', async (t) => {
  const server = await startS3()
  t.after(server.close)
  const bucket = {
    FILES_URL: server.url,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
  }
  const { services, vitrine, file, seen } = await savedService(t, bucket)
  const onDisk = await emptyService(t)
  await runSucceeding(onDisk, 'restore', file)
  assert.deepEqual(await readEverything(await openService(t, onDisk)), seen)
  await uploadFile(vitrine.send, 'later', Buffer.from('later'))
  await vitrine.stop()
  server.objects.delete([...server.objects.keys()][0] ?? assert.fail('nothing in the bucket'))
  await runSucceeding(services, 'restore', file)
  const ids = [...server.objects.keys()].map((key) => key.replace('some/files/', ''))
  assert.deepEqual(ids.toSorted(), Object.keys(seen.contents).toSorted())
  assert.deepEqual(await readEverything(await openService(t, services)), seen)
})

test('a restore is rejected while the service runs, even if idle, and changes nothing', async (t) => {
  const { services, vitrine, file } = await savedService(t)
  await createLocation(vitrine.send, 'later')
  assert.match(await runFailing(services, 'restore', file), /is in use: stop the service first$/)
  assert.equal((await listOf<{ name: string }>(vitrine.send, '/locations')).at(-1)?.name, 'later')
  await vitrine.stop()
  await runSucceeding(services, 'restore', file)
})

test('a plain database is not accepted as a backup, and a table of another program survives a restore', async (t) => {
  const { services, file, vitrine } = await savedService(t)
  await vitrine.stop()
  const path = join(services.folder, 'kept', 'vitrine.db')
  assert.match(await runFailing(services, 'restore', path), /was not made by vitrine backup$/)
  const database = new DatabaseSync(path)
  t.after(() => {
    database.close()
  })
  database.exec('CREATE TABLE theirs (a); INSERT INTO theirs VALUES (1)')
  database.close()
  await runSucceeding(services, 'restore', file)
  database.open()
  assert.equal(database.prepare('SELECT a FROM theirs').get()?.a, 1)
})
