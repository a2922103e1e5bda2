import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { listOf } from '../support/client.ts'
import { spawnVitrine } from '../support/start-vitrine.ts'
import { until } from '../support/until.ts'
import type { ShownUpload } from '../support/uploads.ts'
import {
  runSucceeding,
  emptyService,
  readEverything,
  openService,
  uploadFile,
} from '../support/data-folder.ts'

const uploads = 6

test('a restore that is killed at any moment leaves the old records or those of the backup', async (t) => {
  const services = await emptyService(t)
  const files = join(services.folder, 'kept', 'files')
  const log = join(services.folder, 'kept', 'vitrine.db-wal')
  const backups = { before: join(services.folder, 'before'), after: join(services.folder, 'after') }
  for (const [name, file] of Object.entries(backups)) {
    await runSucceeding(services, 'reset')
    await runSucceeding(services, 'seed', '3000')
    const { send, stop } = await openService(t, services)
    for (let count = 0; count < uploads; count += 1) {
      await uploadFile(send, `${name} ${String(count)}`, randomBytes(400_000))
    }
    await stop()
    await runSucceeding(services, 'backup', file)
  }
  // The service has the data of the newest backup.
  const old = new Set(readdirSync(files))
  const list = () => readdirSync(files)
  const isNew = (name: string) => !name.endsWith('.part') && !old.has(name)
  const moments: Record<string, () => boolean> = {
    'the first content is being saved': () => list().some((name) => name.endsWith('.part')),
    'the last content is being saved': () =>
      list().filter((name) => name.endsWith('.part')).length === uploads,
    'the records are being written': () =>
      existsSync(log) && statSync(log, { throwIfNoEntry: false })?.size !== 0,
    'the first content is kept': () => list().some(isNew),
    'the last content is kept': () => list().filter(isNew).length === uploads,
    'the first content of before is gone': () => [...old].some((name) => !list().includes(name)),
  }
  const seen = { before: 0, after: 0 }
  for (const [title, isReached] of Object.entries(moments)) {
    const { process: child } = spawnVitrine(services.settings, ['restore', backups.before])
    await until(() => isReached() || child.exitCode !== null)
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    const vitrine = await openService(t, services)
    // An upload killed between its record and its last step is settled just after the start.
    await until(async () => {
      const shown = await listOf<ShownUpload>(vitrine.send, '/uploads')
      return shown.every(({ _id }) => list().includes(_id))
    })
    const { locations, users, uploads: kept } = await readEverything(vitrine)
    const names = new Set(kept.map(({ name }) => name.split(' ')[0]))
    const [state] = names
    assert.ok(names.size === 1 && (state === 'before' || state === 'after'), title)
    assert.deepEqual([locations.length, users.length, kept.length], [3000, 3000, uploads], title)
    seen[state] += 1
    // After the start, files without an upload are removed, except those that might be in progress.
    const ids = kept.map(({ _id }) => _id).toSorted()
    await until(
      () =>
        list()
          .filter((name) => !name.endsWith('.part'))
          .toSorted()
          .join() === ids.join(),
    )
    await vitrine.stop()
    if (state === 'before') await runSucceeding(services, 'restore', backups.after)
    for (const name of list().filter((name) => name.endsWith('.part'))) rmSync(join(files, name))
    assert.deepEqual(new Set(list()), old, title)
  }
  t.diagnostic(`${String(seen.after)} as it was, ${String(seen.before)} as in the backup`)
})
