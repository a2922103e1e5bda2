import assert from 'node:assert/strict'
import {
  appendFile,
  mkdir,
  readdir,
  readFile,
  stat,
  truncate,
  unlink,
  writeFile,
} from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { appendOldHash, readArchiveLines } from '../../../test/support/archives.ts'
import {
  change,
  createdAt,
  forge,
  openFilled,
  restore,
  save,
  saveOld,
  type Spoil,
} from '../../../test/support/filled-archive.ts'
import { allRecords } from '../records/records.ts'

const location = (id: string) => ({
  record: {
    collection: 'locations',
    id,
    document: {},
    version: 1,
    createdAt,
    updatedAt: createdAt,
  },
})

async function flipBit(file: string, position: number): Promise<void> {
  const bytes = await readFile(file)
  bytes.writeUInt8(bytes.readUInt8(position) ^ 4, position)
  await writeFile(file, bytes)
}

const cutBy = (bytes: number) => async (file: string) =>
  truncate(file, (await stat(file)).size - bytes)

const forgeOld =
  (statement: string): Spoil =>
  async (file) => {
    change(file, statement)
    await appendOldHash(file)
  }

/** Each turns a file of either format into one that is rejected. */
const wrongFiles: Record<string, [spoil: Spoil, problem: RegExp]> = {
  'that does not exist': [unlink, /does not exist, or is not a file/],
  'that is a folder': [
    async (file) => {
      await unlink(file)
      await mkdir(file)
    },
    /does not exist, or is not a file/,
  ],
  'that is empty': [(file) => truncate(file, 0), /was not made by vitrine backup/],
  'that is text': [(file) => writeFile(file, 'Pier\n'.repeat(9999)), /was not made by vitrine/],
  'that is a data file': [
    (file) => writeFile(file, '{"posts":[]}'),
    /was not made by vitrine backup/,
  ],
  'of another program': [
    async (file) => {
      await unlink(file)
      change(file, 'CREATE TABLE records (id TEXT)')
    },
    /was not made by vitrine backup/,
  ],
  'that is cut off': [cutBy(8192), /its end is missing/],
  'without its last byte': [cutBy(1), /its end is missing/],
  'without its hash': [cutBy(80), /its end is missing/],
  'that another file follows': [
    (file) => appendFile(file, 'x\n'),
    /lines follow its hash|its end is missing/,
  ],
}

const wrongArchives: typeof wrongFiles = {
  ...wrongFiles,
  'of which only the first line is there': [
    async (file) => writeFile(file, `${JSON.stringify((await readArchiveLines(file))[0])}\n`),
    /its end is missing/,
  ],
  'that one byte follows': [(file) => appendFile(file, 'x'), /lines follow its hash/],
  'that is two backups': [
    async (file) => appendFile(file, await readFile(file)),
    /lines follow its hash/,
  ],
  'that a newer Vitrine has made': [
    forge(([first, ...lines]) => [{ ...first, version: 2 }, ...lines]),
    /newer Vitrine \(archive 2\)/,
  ],
  'without a piece of an upload': [
    forge((lines) => lines.slice(0, -1)),
    /content of its file does not have its size and hash/,
  ],
  'with a piece of an upload that is another': [
    forge((lines) => [...lines.slice(0, -1), { piece: 'AAAA' }]),
    /content of its file does not have its size and hash/,
  ],
  'in which an upload has more bytes than its size': [
    forge((lines) => [...lines, { piece: 'AAAA' }]),
    /content of its file does not have its size and hash/,
  ],
  'with a piece that is no text': [
    forge((lines) => [...lines.slice(0, -1), { piece: { length: 9 } }]),
    /a piece of a file is not text/,
  ],
  'with a record twice': [
    forge((lines) => [...lines, location('Pier'), location('Pier')]),
    /UNIQUE constraint failed/,
  ],
  'with a line that is a list': [forge((lines) => [...lines, []]), /line \d+ is not a JSON object/],
  'with a record that is none': [
    forge((lines) => [...lines, { record: 'all' }]),
    /the name of its resource is invalid/,
  ],
  'with an id that has a NUL': [forge((lines) => [...lines, location('a\0')]), /its id is invalid/],
  'with a number as an id': [
    forge((lines) => [...lines, { record: { ...location('a').record, id: 1 } }]),
    /its id is invalid/,
  ],
}

const wrongOldBackups: typeof wrongFiles = {
  ...wrongFiles,
  'that is cut off within a page': [
    async (file) => truncate(file, (await stat(file)).size / 2 - 5),
    /or its end is missing/,
  ],
  'that version 0.1 has made': [
    async (file) => {
      await cutBy(80)(file)
      change(file, `PRAGMA application_id = ${String(0x56697472)}`)
    },
    /it was made by Vitrine 0\.1\./,
  ],
  'of a schema of version 0.1': [
    forgeOld('PRAGMA user_version = 4'),
    /it was made by Vitrine 0\.1\./,
  ],
  'of a newer schema': [forgeOld('PRAGMA user_version = 999'), /newer Vitrine \(schema 999\)/],
  'without a piece of an upload': [
    forgeOld('DELETE FROM contents WHERE place = 1'),
    /content of its file does not have its size and hash/,
  ],
  'with a document that is not JSON': [
    forgeOld(`UPDATE records SET document = '{"name' WHERE resource = 'locations'`),
    /its document is not a JSON object/,
  ],
  'in which a view stands for the records': [
    forgeOld('ALTER TABLE records RENAME TO others; CREATE VIEW records AS SELECT * FROM others'),
    /it has a view or a trigger/,
  ],
  'with a trigger of its author': [
    forgeOld('CREATE TRIGGER extra AFTER INSERT ON records BEGIN DELETE FROM records; END'),
    /it has a view or a trigger/,
  ],
  'with a view of its author': [
    forgeOld('CREATE VIEW extra AS SELECT 1'),
    /it has a view or a trigger/,
  ],
  'without its table': [forgeOld('DROP TABLE records'), /no such table: records/],
}

const formats = {
  'an archive': { saveIn: save, wrong: wrongArchives },
  'a backup of version 0.2': { saveIn: saveOld, wrong: wrongOldBackups },
}

for (const [format, { saveIn, wrong }] of Object.entries(formats)) {
  for (const [title, [spoil, problem]] of Object.entries(wrong)) {
    test(`${format} ${title} is rejected, and nothing is changed`, async (t) => {
      const file = await saveIn(await openFilled(t))
      await spoil(file)
      const other = await openFilled(t, ['Old Mill'])
      await assert.rejects(restore(other, file), problem)
      assert.deepEqual(await readdir(join(other.folder, 'files')), [other.id])
      const { database, records } = other.open()
      assert.ok(await records.collection('locations').find('Old Mill'))
      assert.equal(await records.collection('locations').count(allRecords), 1)
      assert.equal(await records.collection('locations').count(), 1)
      database.close()
    })
  }

  test(`one flipped bit of ${format} is detected, wherever it is`, async (t) => {
    const file = await saveIn(await openFilled(t))
    const other = await openFilled(t, ['Old Mill'])
    const { size } = await stat(file)
    const spread = Array.from({ length: 100 }, (_, index) => Math.floor((index * size) / 100))
    const atEnd = Array.from({ length: 90 }, (_, index) => size - 1 - index)
    for (const position of [...spread, ...atEnd, 68, 69, 70, 71]) {
      await t.test(String(position), async () => {
        await flipBit(file, position)
        await assert.rejects(restore(other, file), /cannot be restored: /, String(position))
        await flipBit(file, position)
      })
    }
    await restore(other, file)
  })
}
