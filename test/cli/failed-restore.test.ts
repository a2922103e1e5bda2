import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { asJson } from '../support/client.ts'
import {
  emptyService,
  openService,
  readEverything,
  runFailing,
  runSucceeding,
  uploadFile,
} from '../support/data-folder.ts'

test('a restore whose last statement fails changes nothing, and succeeds when it is repeated', async (t) => {
  const service = await emptyService(t)
  const folder = join(service.folder, 'kept')
  const file = join(service.folder, 'saved.vitrine')
  const saved = await openService(t, service)
  await saved.send('/locations/saved', asJson('PUT', { name: 'Saved' }))
  await uploadFile(saved.send, 'saved.txt', Buffer.from('saved'))
  const before = await readEverything(saved)
  await saved.stop()
  await runSucceeding(service, 'backup', file)

  const changed = await openService(t, service)
  const [id = ''] = Object.keys(before.contents)
  assert.equal((await changed.send(`/uploads/${id}`, { method: 'DELETE' })).status, 204)
  await changed.send('/locations/later', asJson('PUT', { name: 'Later' }))
  await uploadFile(changed.send, 'later.txt', Buffer.from('later'))
  const after = await readEverything(changed)
  await changed.stop()
  const files = await readdir(join(folder, 'files'))

  const change = (sql: string) => {
    using database = new DatabaseSync(join(folder, 'vitrine.db'))
    database.exec(sql)
  }
  // The counts are written last.
  change(`CREATE TRIGGER rejection BEFORE INSERT ON record_counts WHEN NEW.resource = 'uploads'
    BEGIN SELECT RAISE(ABORT, 'rejected by a trigger'); END`)
  const line = await runFailing(service, 'restore', file)
  assert.match(line, /rejected by a trigger/)
  assert.deepEqual(await readdir(join(folder, 'files')), files)
  change('DROP TRIGGER rejection')

  const still = await openService(t, service)
  assert.deepEqual(await readEverything(still), after)
  await still.stop()
  await runSucceeding(service, 'restore', file)
  assert.deepEqual(await readEverything(await openService(t, service)), before)
})
