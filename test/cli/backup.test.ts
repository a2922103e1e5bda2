import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readdir, stat, truncate, unlink, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { dataFile } from '../support/data-app.ts'
import { openEvents } from '../support/event-stream.ts'
import { asJson, listOf, type Send } from '../support/client.ts'
import { smallDisk } from '../faults/small-disk.ts'
import { spawnVitrine } from '../support/start-vitrine.ts'
import { until } from '../support/until.ts'
import { startS3 } from '../support/s3-server.ts'
import { accessKeyId, secretAccessKey } from '../support/s3-signature.ts'
import {
  runSucceeding,
  emptyService,
  readEverything,
  openService,
  runCommand,
  runFailing,
  uploadFile,
  type TestService,
} from '../support/data-folder.ts'

async function create(send: Send, name: string): Promise<void> {
  assert.equal((await send('/locations', asJson('POST', { name }))).status, 201)
}

/** Some records and uploads, small, large and empty. */
async function furnish(send: Send): Promise<void> {
  for (const name of ['Pier', 'Café 漢', 'Old "Mill"']) await create(send, name)
  for (const size of [0, 1, 100_000, 3_000_000]) {
    await uploadFile(send, `${String(size)}.bin`, randomBytes(size))
  }
}

/** A service with records and uploads, and a backup of them. */
async function savedService(t: TestContext, settings: Record<string, string> = {}) {
  const services = await emptyService(t, settings)
  const vitrine = await openService(t, services)
  await furnish(vitrine.send)
  const file = join(services.folder, 'saved.vitrine')
  const output = await runSucceeding(services, 'backup', file)
  return { services, vitrine, file, output, seen: await readEverything(vitrine) }
}

test('a backup has every write acknowledged before it began, despite concurrent writes', async (t) => {
  const services = await emptyService(t)
  const { origin, send } = await openService(t, services)
  await furnish(send)
  const names: string[] = []
  let isSaved = false
  const writers = [1, 2, 3].map(async (writer) => {
    // Until the backup is there, and no more than some hundred in any case.
    for (let count = 0; count < 40 || (!isSaved && count < 400); count += 1) {
      const name = `${String(writer)} ${String(count)}`
      await create(send, name)
      names.push(name)
      if (count % 10 === 0) await uploadFile(send, name, randomBytes(20_000))
    }
  })
  const before = [...names]
  const file = join(services.folder, 'saved.vitrine')
  const seen = await readEverything({ origin, send })
  await runSucceeding(services, 'backup', file)
  isSaved = true
  await Promise.all(writers)
  assert.deepEqual((await readdir(services.folder)).toSorted(), ['kept', 'saved.vitrine'])

  const other = await emptyService(t)
  await runSucceeding(other, 'restore', file)
  const restored = await readEverything(await openService(t, other))
  const there = new Set(restored.locations.map(({ name }) => name))
  for (const name of before) assert.ok(there.has(name), name)
  // Of each writer the first ones: a moment, and not a choice.
  const ids = (list: readonly { _id: string }[]) => list.map(({ _id }) => _id)
  assert.deepEqual(restored.locations.slice(0, seen.locations.length), seen.locations)
  assert.deepEqual(ids(restored.uploads).slice(0, seen.uploads.length), ids(seen.uploads))
})

test('a backup is restored into an empty folder, and into one with other data', async (t) => {
  const { vitrine, file, output, seen } = await savedService(t)
  assert.match(output, /^Saved 4 uploads, 3 locations \(3,100,001 bytes of files\) to /)
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
  await create(opened.send, 'later')
  await uploadFile(opened.send, 'later', Buffer.from('later'))
  await opened.stop()
  const files = join(other.folder, 'kept', 'files')
  const [first = assert.fail()] = seen.uploads.filter(({ size }) => size === 100_000)
  await truncate(join(files, first._id), 10)
  await runSucceeding(other, 'restore', file)
  assert.deepEqual((await readdir(files)).toSorted(), Object.keys(seen.contents).toSorted())
  assert.deepEqual(await readEverything(await openService(t, other)), seen)
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

test('a backup prints the number of records of twenty collections, and that of all others', async (t) => {
  const names = Array.from({ length: 22 }, (_, index) => `group-${String(index)}s`)
  const data = Object.fromEntries(names.map((name) => [name, [{ id: 1 }]]))
  const services = await emptyService(t, { DATA_FILE: await dataFile(t, data) })
  await (await openService(t, services)).stop()
  const output = await runSucceeding(services, 'backup', join(services.folder, 'saved.vitrine'))
  assert.match(output, /^Saved (1 group-\d+, ){20}2 other records \(0 bytes of files\) to /)
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

test('an upload whose file is missing is left out, with a warning', async (t) => {
  const { services, seen, vitrine } = await savedService(t)
  const { _id } = seen.uploads.at(-1) ?? assert.fail()
  await unlink(join(services.folder, 'kept', 'files', _id))
  const file = join(services.folder, 'second.vitrine')
  assert.match(await runSucceeding(services, 'backup', file), new RegExp(`skipped upload ${_id}`))
  await vitrine.stop()
  await runSucceeding(services, 'restore', file)
  assert.equal(
    (await readEverything(await openService(t, services))).uploads.length,
    seen.uploads.length - 1,
  )
})

test('a restore is rejected while the service runs, even if idle, and changes nothing', async (t) => {
  const { services, vitrine, file } = await savedService(t)
  await create(vitrine.send, 'later')
  assert.match(await runFailing(services, 'restore', file), /is in use: stop the service first$/)
  assert.equal((await listOf<{ name: string }>(vitrine.send, '/locations')).at(-1)?.name, 'later')
  await vitrine.stop()
  await runSucceeding(services, 'restore', file)
})

test('a backup overwrites no existing file, and a failed one leaves none', async (t) => {
  const { services, file } = await savedService(t)
  assert.match(await runFailing(services, 'backup', file), /saved\.vitrine already exists$/)
  const elsewhere = join(services.folder, 'no', 'where')
  assert.match(await runFailing(services, 'backup', elsewhere), /the folder .* does not exist$/)
  const other = join(services.folder, 'other.vitrine')
  assert.match(
    await runFailing(await emptyService(t), 'backup', other),
    /the database .* does not exist/,
  )
  assert.deepEqual((await readdir(services.folder)).toSorted(), ['kept', 'saved.vitrine'])
})

for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
  test(`a backup that ends with ${signal} leaves no file with its name, and the next one removes its part`, async (t) => {
    const services = await emptyService(t)
    const { send } = await openService(t, services)
    for (let count = 0; count < 3; count += 1)
      await uploadFile(send, `${String(count)}.bin`, randomBytes(9_000_000))
    const file = join(services.folder, 'saved.vitrine')
    const { process: child, output } = spawnVitrine(services.settings, ['backup', file])
    const list = async () => (await readdir(services.folder)).filter((name) => name !== 'kept')
    await until(async () => {
      const [part = ''] = await list()
      return part.endsWith('.part') && (await stat(join(services.folder, part))).size > 0
    })
    child.kill(signal)
    await once(child, 'close')
    if (signal === 'SIGTERM') {
      assert.deepEqual([child.exitCode, await list()], [2, []])
      assert.match(output(), /cannot back up: it was interrupted$/m)
    } else {
      assert.match((await list()).join(), /^saved\.vitrine\.vitrine-.+-\d+\.part$/)
      // Of a process that runs, and of other machines and programs.
      const kept = [
        `other.vitrine-${hostname()}-${String(process.pid)}.part`,
        'other.part',
        'a.vitrine-other-9999999.part',
        'saved.vitrine.part',
      ]
      for (const name of kept) await writeFile(join(services.folder, name), '')
      await runSucceeding(services, 'backup', join(services.folder, 'next.vitrine'))
      assert.deepEqual((await list()).toSorted(), ['next.vitrine', ...kept].toSorted())
    }
  })
}

test('a backup and a restore of a large upload take as much memory as those of a small one', async (t) => {
  if (!existsSync('/proc/self/status')) return
  // Not `maxRSS`, which on Linux begins with that of the parent.
  const print =
    "console.error(process.getBuiltinModule('fs').readFileSync('/proc/self/status','utf8'))"
  const NODE_OPTIONS = `--import=data:text/javascript,process.on('exit',()=>${print})`
  const measure = async (service: TestService, ...args: string[]) => {
    const settings = { ...service.settings, NODE_OPTIONS }
    const output = await runSucceeding({ ...service, settings }, ...args)
    return Number(/^VmHWM:\s+(\d+)/m.exec(output)?.[1]) / 1024
  }
  const used: Record<string, number[]> = {}
  for (const size of [1, 150_000_000]) {
    const service = await emptyService(t, { MAX_UPLOAD_BYTES: '200000000' })
    const { send, stop } = await openService(t, service)
    await uploadFile(send, 'upload.bin', Buffer.alloc(size, 'glass'))
    await stop()
    const file = join(service.folder, 'saved.vitrine')
    for (const command of ['backup', 'restore']) {
      if (command === 'restore') await runSucceeding(service, 'reset')
      ;(used[command] ??= []).push(await measure(service, command, file))
    }
  }
  t.diagnostic(JSON.stringify(used))
  for (const [small = NaN, large = NaN] of Object.values(used)) assert.ok(large - small < 80)
})

test('a disk that is too small leaves no backup, not even a partial one', async (t) => {
  const disk = await smallDisk(t, '1m')
  if (disk === undefined) return
  const { services } = await savedService(t)
  const { status, output } = await runCommand(services, 'backup', join(disk, 'saved.vitrine'))
  assert.match(output, /full|disk I\/O|ENOSPC/)
  assert.equal(status, 69)
  assert.deepEqual(await readdir(disk), [])
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
