import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdir, readdir, rm, stat, truncate, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'
import { temporaryFolder } from '../../test/start-vitrine.ts'
import { openDiskFiles } from './files/disk.ts'
import { leftovers, removeLeftovers } from './leftovers.ts'
import { everything } from './records/records.ts'
import { createSqliteRecords } from './records/sqlite.ts'
import { writeBackup } from './sqlite-backup.ts'
import { openSqliteDatabase } from './sqlite-database.ts'
import { restoreBackup } from './sqlite-restore.ts'

const createdAt = '2026-01-01T12:00:00.000Z'
const content = randomBytes(200_000)

/** Database and files in a folder of their own, with one upload and these locations in them. */
async function openKept(t: TestContext, names: readonly string[] = ['Pier', 'Mill']) {
  const folder = await temporaryFolder(t)
  const path = join(folder, 'vitrine.db')
  const files = await openDiskFiles(`file:${join(folder, 'files')}`)
  const open = () => {
    const database = openSqliteDatabase(`sqlite:${path}`)
    return { database, records: createSqliteRecords(database) }
  }
  const { database, records } = open()
  for (const name of names) {
    await records.create('locations', { id: name, document: { name }, createdAt })
  }
  const id = `upload-of-${names.join('-')}`
  const saved = await files.save(id, Readable.from([content]))
  await files.keep(id)
  await records.create('uploads', { id, document: { ...saved, name: 'a.bin' }, createdAt })
  database.close()
  return { folder, path, files, open, id }
}

async function save(t: TestContext, { folder, path, files }: Awaited<ReturnType<typeof openKept>>) {
  const file = join(folder, 'saved.vitrine')
  const { signal } = new AbortController()
  const { lost } = await writeBackup({ path, file, files, signal })
  assert.deepEqual(lost, [])
  return file
}

function change(file: string, statement: string): void {
  const database = new DatabaseSync(file)
  database.exec(statement)
  database.close()
}

/** What each makes of a good backup can be restored by nobody. */
const wrongFiles: Record<string, [spoil: (file: string) => Promise<void>, problem: RegExp]> = {
  'that is not there': [unlink, /there is no file/],
  'that is a folder': [
    async (file) => {
      await unlink(file)
      await mkdir(file)
    },
    /there is no file/,
  ],
  'that is empty': [(file) => truncate(file, 0), /was not made by vitrine backup/],
  'that is text': [(file) => writeFile(file, 'Pier\n'.repeat(9999)), /file is not a database/],
  'that is cut off': [async (file) => truncate(file, (await stat(file)).size - 8192), /malformed/],
  'that is cut off within a page': [
    async (file) => truncate(file, (await stat(file)).size / 2 - 5),
    /malformed/,
  ],
  'that somebody else has made': [
    async (file) => {
      await unlink(file)
      change(file, 'CREATE TABLE records (id TEXT)')
    },
    /was not made by vitrine backup/,
  ],
  'that a newer Vitrine has made': [
    async (file) => {
      change(file, 'PRAGMA user_version = 999')
    },
    /newer Vitrine \(schema 999\)/,
  ],
  'without a piece of an upload': [
    async (file) => {
      change(file, 'DELETE FROM contents WHERE place = 1')
    },
    /upload .* is not whole/,
  ],
  'with a piece of an upload that is another': [
    async (file) => {
      change(file, 'UPDATE contents SET piece = zeroblob(length(piece)) WHERE place = 1')
    },
    /upload .* is not whole/,
  ],
}

for (const [title, [spoil, problem]] of Object.entries(wrongFiles)) {
  test(`a backup ${title} is refused, and nothing is changed`, async (t) => {
    const file = await save(t, await openKept(t))
    await spoil(file)
    const { path, files, folder, open, id } = await openKept(t, ['Old Mill'])
    await assert.rejects(restoreBackup({ path, file, files }), problem)
    assert.deepEqual(await readdir(join(folder, 'files')), [id])
    const { database, records } = open()
    assert.ok(await records.find('locations', 'Old Mill'))
    assert.equal(await records.count('locations', everything), 1)
    database.close()
  })
}

test('a backup of the first schema is brought up to date, wherever it goes', async (t) => {
  const saved = await openKept(t)
  const file = await save(t, saved)
  change(file, 'DROP TABLE record_counts; PRAGMA user_version = 1')
  const { files, open, path } = await openKept(t, ['Old Mill'])
  assert.deepEqual(await restoreBackup({ path, file, files }), {
    records: 2,
    files: 1,
    bytes: content.length,
  })
  const { database, records } = open()
  assert.equal(await records.count('locations', everything), 2)
  assert.equal(await records.count(leftovers, everything), 0)
  database.close()
  const read = await files.read(saved.id, 0, content.length - 1)
  assert.deepEqual(await buffer(read), content)
})

test('a database of a newer Vitrine, and one that is damaged, are not replaced', async (t) => {
  const file = await save(t, await openKept(t))
  const { files, path } = await openKept(t, ['Old Mill'])
  change(path, 'PRAGMA user_version = 999')
  await assert.rejects(restoreBackup({ path, file, files }), /newer Vitrine/)
  await rm(path)
  await writeFile(path, 'Pier\n'.repeat(9999))
  await assert.rejects(
    restoreBackup({ path, file, files }),
    /cannot be opened: file is not a database/,
  )
})

test('a backup that nobody wants any more leaves nothing', async (t) => {
  const { folder, path, files } = await openKept(t)
  const file = join(folder, 'saved.vitrine')
  const signal = AbortSignal.abort(new Error('it was interrupted'))
  await assert.rejects(writeBackup({ path, file, files, signal }), /it was interrupted/)
  assert.deepEqual((await readdir(folder)).toSorted(), ['files', 'vitrine.db'])
})

test('an upload between its record and its last step is in the backup', async (t) => {
  const kept = await openKept(t, [])
  const { database, records } = kept.open()
  const saved = await kept.files.save('pending', Readable.from([content]))
  await records.create('uploads', { id: 'pending', document: { ...saved, name: 'b' }, createdAt })
  database.close()
  const file = await save(t, kept)
  const { path, files } = await openKept(t)
  assert.equal((await restoreBackup({ path, file, files })).files, 2)
})

test('of leftovers only those go whose upload is gone', async (t) => {
  const { files, folder, open, id } = await openKept(t)
  const { database, records } = open()
  await files.save('gone', Readable.from([content]))
  await files.keep('gone')
  for (const name of [id, 'gone', 'never']) {
    await records.create(leftovers, { id: name, document: {}, createdAt })
  }
  await removeLeftovers(files, records)
  assert.deepEqual(await readdir(join(folder, 'files')), [id])
  assert.equal(await records.count(leftovers, everything), 1)
  database.close()
})
