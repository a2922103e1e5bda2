import assert from 'node:assert/strict'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { readArchiveLines } from '../../../test/support/archives.ts'
import {
  change,
  content,
  createdAt,
  forge,
  openFilled,
  restore,
  save,
  saveOld,
} from '../../../test/support/filled-archive.ts'
import { openRecords, temporaryFile } from '../../../test/support/sqlite-records.ts'
import { collectionNames } from '../collection-names.ts'
import { allRecords } from '../records/records.ts'
import { archiveContract } from './archive.contract.ts'
import { createSqliteArchive } from './sqlite.ts'

archiveContract('SQLite', async (t) => {
  const path = await temporaryFile(t)
  return {
    archive: createSqliteArchive(path, ['uploads']),
    useRecords: async (work) => work(openRecords(t, `sqlite:${path}`).records),
  }
})

const formats = { 'an archive': save, 'a backup of version 0.2': saveOld }

for (const [format, saveIn] of Object.entries(formats)) {
  test(`${format} is restored with its uploads, wherever it is restored`, async (t) => {
    const saved = await openFilled(t)
    const file = await saveIn(saved)
    const other = await openFilled(t, ['Old Mill'])
    assert.deepEqual(await restore(other, file), {
      counts: [
        ['locations', 2],
        ['uploads', 1],
      ],
      bytes: content.length,
    })
    const { database, records } = other.open()
    assert.equal(await records.collection('locations').count(allRecords), 2)
    const orphaned = records.collection(collectionNames.orphanedFiles)
    const ids = (await orphaned.list(allRecords, { offset: 0, limit: 9 })).map(({ id }) => id)
    assert.deepEqual(ids, [other.id])
    database.close()
    const read = await other.files.read(saved.id, 0, content.length - 1)
    assert.deepEqual(await buffer(read ?? assert.fail()), content)
  })
}

test('a rejected backup does not replace a file that has the same id', async (t) => {
  const file = await save(await openFilled(t))
  await forge((lines) => lines.slice(0, -1))(file)
  const other = await openFilled(t)
  const stored = join(other.folder, 'files', other.id)
  await writeFile(stored, 'other content')
  await assert.rejects(restore(other, file), /does not have its size and hash/)
  assert.equal(await readFile(stored, 'utf8'), 'other content')
})

test('a database of a newer Vitrine, and a damaged one, are not replaced', async (t) => {
  const file = await save(await openFilled(t))
  const other = await openFilled(t, ['Old Mill'])
  change(other.path, 'PRAGMA user_version = 999')
  await assert.rejects(restore(other, file), /newer Vitrine/)
  await rm(other.path)
  await writeFile(other.path, 'Pier\n'.repeat(9999))
  await assert.rejects(restore(other, file), /cannot be opened: file is not a database/)
})

test('an upload between its record and its last step is in the backup', async (t) => {
  const kept = await openFilled(t, [])
  const { database, records } = kept.open()
  const saved = await kept.files.save('pending', Readable.from([Buffer.from(content)]))
  await records
    .collection('uploads')
    .create({ id: 'pending', document: { ...saved, name: 'b' }, createdAt })
  database.close()
  const { counts } = await restore(await openFilled(t), await save(kept))
  assert.equal(Object.fromEntries(counts).uploads, 2)
})

test('the lines of an archive have the records, and then the pieces of each file', async (t) => {
  const lines = await readArchiveLines(await save(await openFilled(t)))
  const kinds = lines.map((line) => line.record?.collection ?? Object.keys(line).join())
  assert.deepEqual(kinds.slice(0, 4), [
    'vitrine,version,schemas',
    'locations',
    'locations',
    'uploads',
  ])
  assert.deepEqual(new Set(kinds.slice(4)), new Set(['piece']))
  const pieces = lines.slice(4).map(({ piece = '' }) => Buffer.from(piece, 'base64'))
  assert.deepEqual(Buffer.concat(pieces), content)
})
