import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rm, stat, truncate, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'
import { temporaryFolder } from '../../../test/support/start-vitrine.ts'
import { appendHash } from './backup-hash.ts'
import { openDiskFiles } from '../files/disk.ts'
import { allRecords } from '../records/records.ts'
import { collectionNames } from '../collection-names.ts'
import { createSqliteRecords } from '../records/sqlite/records.ts'
import { checkBackup } from './backup-checks.ts'
import { writeBackup } from './backup.ts'
import { openSqliteDatabase } from './database.ts'
import { restoreBackup } from './restore.ts'

const createdAt = '2026-01-01T12:00:00.000Z'
const content = randomBytes(200_000)
const fileCollections = ['uploads']
const checkRecord = () => undefined
const check = (file: string) => checkBackup(file, checkRecord)

/** Database and files in a folder of their own, with one upload and these locations in them. */
async function openFilled(t: TestContext, names: readonly string[] = ['Pier', 'Mill']) {
  const folder = await temporaryFolder(t)
  const path = join(folder, 'vitrine.db')
  const files = await openDiskFiles(`file:${join(folder, 'files')}`)
  const open = () => {
    const database = openSqliteDatabase(`sqlite:${path}`)
    return { database, records: createSqliteRecords(database) }
  }
  const { database, records } = open()
  for (const name of names) {
    await records.collection('locations').create({ id: name, document: { name }, createdAt })
  }
  const id = `upload-of-${names.join('-')}`
  const saved = await files.save(id, Readable.from([Buffer.from(content)]))
  await files.keep(id)
  await records
    .collection('uploads')
    .create({ id, document: { ...saved, name: 'a.bin' }, createdAt })
  database.close()
  return { folder, path, files, open, id }
}

async function save(
  t: TestContext,
  { folder, path, files }: Awaited<ReturnType<typeof openFilled>>,
) {
  const file = join(folder, 'saved.vitrine')
  const { signal } = new AbortController()
  const { lost } = await writeBackup({ path, file, files, fileCollections, signal, check })
  assert.deepEqual(lost, [])
  return file
}

function change(file: string, statement: string): void {
  const database = new DatabaseSync(file)
  database.exec(statement)
  database.close()
}

/** Changes a backup and gives it the right hash. */
async function forge(file: string, statement: string): Promise<void> {
  change(file, statement)
  await appendHash(file)
}

async function flipBit(file: string, position: number): Promise<void> {
  const bytes = await readFile(file)
  bytes.writeUInt8(bytes.readUInt8(position) ^ 4, position)
  await writeFile(file, bytes)
}

/** Each turns a valid backup into one that is rejected. */
const wrongFiles: Record<string, [spoil: (file: string) => Promise<void>, problem: RegExp]> = {
  'that does not exist': [unlink, /does not exist, or is not a file/],
  'that is a folder': [
    async (file) => {
      await unlink(file)
      await mkdir(file)
    },
    /does not exist, or is not a file/,
  ],
  'that is empty': [(file) => truncate(file, 0), /was not made by vitrine backup/],
  'that is text': [(file) => writeFile(file, 'Pier\n'.repeat(9999)), /file is not a database/],
  'that is cut off': [
    async (file) => truncate(file, (await stat(file)).size - 8192),
    /or its end is missing/,
  ],
  'that is cut off within a page': [
    async (file) => truncate(file, (await stat(file)).size / 2 - 5),
    /or its end is missing/,
  ],
  'of another program': [
    async (file) => {
      await unlink(file)
      change(file, 'CREATE TABLE records (id TEXT)')
    },
    /was not made by vitrine backup/,
  ],
  'that version 0.1 has made': [
    async (file) => {
      await truncate(file, (await stat(file)).size - 80)
      change(file, `PRAGMA application_id = ${String(0x56697472)}`)
    },
    /it was made by Vitrine 0\.1\./,
  ],
  'of a schema of version 0.1': [
    async (file) => {
      await forge(file, 'PRAGMA user_version = 4')
    },
    /it was made by Vitrine 0\.1\./,
  ],
  'that a newer Vitrine has made': [
    async (file) => {
      await forge(file, 'PRAGMA user_version = 999')
    },
    /newer Vitrine \(schema 999\)/,
  ],
  'without a piece of an upload': [
    async (file) => {
      await forge(file, 'DELETE FROM contents WHERE place = 1')
    },
    /content of file .* does not have its size and hash/,
  ],
  'with a piece of an upload that is another': [
    async (file) => {
      await forge(file, 'UPDATE contents SET piece = zeroblob(length(piece)) WHERE place = 1')
    },
    /content of file .* does not have its size and hash/,
  ],
  'in which an upload has more bytes than its size': [
    (file) =>
      forge(
        file,
        "INSERT INTO contents SELECT id, max(place) + 1, x'78' FROM contents GROUP BY id",
      ),
    /content of file .* does not have its size and hash/,
  ],
  'in which a view stands for the records': [
    (file) =>
      forge(
        file,
        'ALTER TABLE records RENAME TO others; CREATE VIEW records AS SELECT * FROM others',
      ),
    /its table records is not Vitrine's/,
  ],
  'with a trigger of its author': [
    (file) =>
      forge(file, 'CREATE TRIGGER extra AFTER INSERT ON records BEGIN DELETE FROM records; END'),
    /its trigger extra is not Vitrine's/,
  ],
  'with a view of its author': [
    (file) => forge(file, 'CREATE VIEW extra AS SELECT 1'),
    /its view extra is not Vitrine's/,
  ],
  'without a schema': [(file) => forge(file, 'PRAGMA user_version = 0'), /it has no schema/],
  'without its hash': [
    async (file) => truncate(file, (await stat(file)).size - 80),
    /its end is missing/,
  ],
}

for (const [title, [spoil, problem]] of Object.entries(wrongFiles)) {
  test(`a backup ${title} is rejected, and nothing is changed`, async (t) => {
    const file = await save(t, await openFilled(t))
    await spoil(file)
    const { path, files, folder, open, id } = await openFilled(t, ['Old Mill'])
    await assert.rejects(
      restoreBackup({ path, file, files, fileCollections, checkRecord }),
      problem,
    )
    assert.deepEqual(await readdir(join(folder, 'files')), [id])
    const { database, records } = open()
    assert.ok(await records.collection('locations').find('Old Mill'))
    assert.equal(await records.collection('locations').count(allRecords), 1)
    database.close()
  })
}

test('a rejected backup does not replace a file that has the same id', async (t) => {
  const file = await save(t, await openFilled(t))
  await forge(file, 'UPDATE contents SET piece = zeroblob(length(piece)) WHERE place = 1')
  const { path, files, folder, id } = await openFilled(t)
  const stored = join(folder, 'files', id)
  await writeFile(stored, 'other content')
  const restoring = restoreBackup({ path, file, files, fileCollections, checkRecord })
  await assert.rejects(restoring, /does not have its size and hash/)
  assert.equal(await readFile(stored, 'utf8'), 'other content')
})

test('one flipped bit is detected, wherever it is', async (t) => {
  const file = await save(t, await openFilled(t))
  const { path, files } = await openFilled(t, ['Old Mill'])
  const { size } = await stat(file)
  const spread = Array.from({ length: 100 }, (_, index) => Math.floor((index * size) / 100))
  const atEnd = Array.from({ length: 90 }, (_, index) => size - 1 - index)
  for (const position of [...spread, ...atEnd, 68, 69, 70, 71]) {
    await t.test(String(position), async () => {
      await flipBit(file, position)
      await assert.rejects(
        restoreBackup({ path, file, files, fileCollections, checkRecord }),
        /cannot be restored: /,
        String(position),
      )
      await flipBit(file, position)
    })
  }
  await restoreBackup({ path, file, files, fileCollections, checkRecord })
})

test('a backup is restored with its uploads, wherever it is restored', async (t) => {
  const saved = await openFilled(t)
  const file = await save(t, saved)
  const { files, open, path } = await openFilled(t, ['Old Mill'])
  assert.deepEqual(await restoreBackup({ path, file, files, fileCollections, checkRecord }), {
    counts: [
      ['locations', 2],
      ['uploads', 1],
    ],
    bytes: content.length,
  })
  const { database, records } = open()
  assert.equal(await records.collection('locations').count(allRecords), 2)
  assert.equal(await records.collection(collectionNames.orphanedFiles).count(allRecords), 0)
  database.close()
  const read = await files.read(saved.id, 0, content.length - 1)
  assert.deepEqual(await buffer(read ?? assert.fail()), content)
})

test('a database of a newer Vitrine, and a damaged one, are not replaced', async (t) => {
  const file = await save(t, await openFilled(t))
  const { files, path } = await openFilled(t, ['Old Mill'])
  change(path, 'PRAGMA user_version = 999')
  await assert.rejects(
    restoreBackup({ path, file, files, fileCollections, checkRecord }),
    /newer Vitrine/,
  )
  await rm(path)
  await writeFile(path, 'Pier\n'.repeat(9999))
  await assert.rejects(
    restoreBackup({ path, file, files, fileCollections, checkRecord }),
    /cannot be opened: file is not a database/,
  )
})

test('a cancelled backup leaves nothing', async (t) => {
  const { folder, path, files } = await openFilled(t)
  const file = join(folder, 'saved.vitrine')
  const signal = AbortSignal.abort(new Error('it was interrupted'))
  await assert.rejects(
    writeBackup({ path, file, files, fileCollections, signal, check }),
    /it was interrupted/,
  )
  assert.deepEqual((await readdir(folder)).toSorted(), ['files', 'vitrine.db'])
})

test('an upload between its record and its last step is in the backup', async (t) => {
  const kept = await openFilled(t, [])
  const { database, records } = kept.open()
  const saved = await kept.files.save('pending', Readable.from([Buffer.from(content)]))
  await records
    .collection('uploads')
    .create({ id: 'pending', document: { ...saved, name: 'b' }, createdAt })
  database.close()
  const file = await save(t, kept)
  const { path, files } = await openFilled(t)
  const { counts } = await restoreBackup({ path, file, files, fileCollections, checkRecord })
  assert.equal(Object.fromEntries(counts).uploads, 2)
})
