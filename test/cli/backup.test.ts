import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readdir, stat, unlink, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { dataFile } from '../support/data-app.ts'
import { smallDisk } from '../faults/small-disk.ts'
import { createLocation, furnish, savedService } from '../support/saved-service.ts'
import { spawnVitrine } from '../support/start-vitrine.ts'
import { until } from '../support/until.ts'
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
      await createLocation(send, name)
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

test('a backup prints the number of records of twenty collections, and that of all others', async (t) => {
  const names = Array.from({ length: 22 }, (_, index) => `group-${String(index)}s`)
  const data = Object.fromEntries(names.map((name) => [name, [{ id: 1 }]]))
  const services = await emptyService(t, { DATA_FILE: await dataFile(t, data) })
  await (await openService(t, services)).stop()
  const output = await runSucceeding(services, 'backup', join(services.folder, 'saved.vitrine'))
  assert.match(output, /^Saved (1 group-\d+, ){20}2 other records \(0 bytes of files\) of \S+ to /)
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
        // Names that a user has chosen.
        `shop.vitrine-${hostname()}-2026-11-27.backup`,
        `shop.vitrine-${hostname()}-20261127`,
        `shop.vitrine-${hostname()}-1-20261127.part`,
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
