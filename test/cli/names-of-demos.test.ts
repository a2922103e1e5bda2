import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { collections, resources } from '../../src/demos/catalogue.ts'
import { dataFile } from '../support/data-app.ts'
import { emptyService, openService, runCommand, runSucceeding } from '../support/data-folder.ts'

const names = [...resources, ...collections].map(({ name }) => name)
const records = [
  { id: 1, title: 'A', size: 3, sha256: 'none' },
  { id: '../note.txt', title: 'B' },
]

for (const name of names) {
  test(`a data file with ${name} is saved, restored and reset without the rules of the demo ${name}`, async (t) => {
    const services = await emptyService(t, { DATA_FILE: await dataFile(t, { [name]: records }) })
    await (await openService(t, services)).stop()
    const note = join(services.folder, 'kept', 'note.txt')
    await writeFile(note, '')
    const file = join(services.folder, 'saved.vitrine')
    assert.match(await runSucceeding(services, 'backup', file), /^Saved 2 /)
    const before = await runSucceeding(services, 'export', '-')
    assert.match(await runSucceeding(services, 'restore', file), /^Restored 2 /)
    assert.equal(await runSucceeding(services, 'export', '-'), before)
    assert.match(await runSucceeding(services, 'reset'), /^Removed 2 /)
    assert.match(await runSucceeding(services, 'restore', file), /^Restored 2 /)
    assert.equal(await runSucceeding(services, 'export', '-'), before)
    assert.ok(existsSync(note))
  })
}

test('of several exports to one file, one writes it', async (t) => {
  const services = await emptyService(t, { DATA_FILE: await dataFile(t, { posts: records }) })
  await (await openService(t, services)).stop()
  const file = join(services.folder, 'saved.json')
  const runs = Array.from({ length: 4 }, () => runCommand(services, 'export', file))
  const codes = (await Promise.all(runs)).map(({ status }) => status).toSorted()
  assert.deepEqual(codes, [0, 2, 2, 2])
})
