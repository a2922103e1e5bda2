import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { temporaryFolder } from '../../test/support/start-vitrine.ts'
import { collectionNames } from './collection-names.ts'
import { openDiskFiles } from './files/disk.ts'
import { removeOrphanedFiles } from './orphaned-files.ts'
import { allRecords } from './records/records.ts'
import { createSqliteRecords } from './records/sqlite/records.ts'
import { openSqliteDatabase } from './sqlite/database.ts'

const createdAt = '2026-01-01T12:00:00.000Z'

test('orphaned files are removed only if their upload is gone', async (t) => {
  const folder = await temporaryFolder(t)
  const files = await openDiskFiles(`file:${folder}`)
  using database = openSqliteDatabase('sqlite::memory:')
  const records = createSqliteRecords(database)
  for (const id of ['kept', 'gone']) {
    await files.save(id, Readable.from([Buffer.from('content')]))
    await files.keep(id)
  }
  await records.collection('uploads').create({ id: 'kept', document: {}, createdAt })
  const orphanedFiles = records.collection(collectionNames.orphanedFiles)
  for (const id of ['kept', 'gone', 'never']) {
    await orphanedFiles.create({ id, document: {}, createdAt })
  }
  await removeOrphanedFiles(files, records, ['uploads'])
  assert.deepEqual(await readdir(folder), ['kept'])
  assert.equal(await orphanedFiles.count(allRecords), 1)
})
