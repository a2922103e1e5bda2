import assert from 'node:assert/strict'
import { readdir, readFile, rename, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { emptyService, runFailing, runSucceeding } from '../support/data-folder.ts'

const pageBytes = 4096

async function spoilPages(path: string, isSpoiled: (page: number) => boolean): Promise<void> {
  const bytes = await readFile(path)
  for (let page = 0; page * pageBytes < bytes.length; page += 1)
    if (isSpoiled(page)) bytes.fill('Z', page * pageBytes, (page + 1) * pageBytes)
  await writeFile(path, bytes)
}

const changeRecords = (change: string) => (path: string) => {
  using database = new DatabaseSync(path)
  database.exec(`UPDATE records SET ${change} WHERE resource = 'users'`)
}

/** What spoils a database in such a way that a backup of it is not possible. */
const damages: Record<string, (path: string) => void | Promise<void>> = {
  'whose first page is overwritten': (path) => spoilPages(path, (page) => page === 0),
  'of which every page but the first is overwritten': (path) =>
    spoilPages(path, (page) => page > 0),
  'of which every third page is overwritten': (path) => spoilPages(path, (page) => page % 3 === 2),
  'of which the last page is overwritten': async (path) => {
    const last = (await stat(path)).size / pageBytes - 1
    await spoilPages(path, (page) => page === last)
  },
  'whose second half is missing': async (path) =>
    truncate(path, Math.ceil((await stat(path)).size / pageBytes / 2) * pageBytes),
  'with a document that is not JSON': changeRecords(`document = '{"name":'`),
  'with a document that is a list': changeRecords(`document = '[]'`),
  'with a record that no request can write': changeRecords(`document = '{"password":1}'`),
  'with a time that is none': changeRecords(`updated_at = 'later'`),
}

for (const [title, spoil] of Object.entries(damages)) {
  test(`a backup of a database ${title} fails with one line, and leaves no file`, async (t) => {
    const services = await emptyService(t)
    await runSucceeding(services, 'seed', '150')
    await spoil(join(services.folder, 'kept', 'vitrine.db'))
    const output = await runFailing(services, 'backup', join(services.folder, 'saved.vitrine'))
    assert.match(output, /damaged|malformed|not a database/)
    assert.deepEqual(await readdir(services.folder), ['kept'])
  })
}

const move =
  'Move the file of DATABASE_URL, with its -wal and -shm files, to another place, and restore a backup'
for (const command of ['restore', 'reset']) {
  test(`${command} with a damaged database ends with 2 and says what to do, which works`, async (t) => {
    const services = await emptyService(t)
    const folder = join(services.folder, 'kept')
    const file = join(services.folder, 'saved.vitrine')
    await runSucceeding(services, 'seed', '150')
    await runSucceeding(services, 'backup', file)
    await spoilPages(join(folder, 'vitrine.db'), (page) => page > 0)
    const output = await runFailing(services, command, ...(command === 'restore' ? [file] : []))
    assert.equal(output, `vitrine: cannot ${command}: database disk image is malformed. ${move}`)
    for (const name of await readdir(folder))
      if (name.startsWith('vitrine.db'))
        await rename(join(folder, name), join(services.folder, name))
    assert.match(
      await runSucceeding(services, 'restore', file),
      /^Restored 150 locations, 150 users/,
    )
  })
}
