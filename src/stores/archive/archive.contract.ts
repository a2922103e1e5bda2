import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { suite, test, type TestContext } from 'node:test'
import { collectionNames } from '../collection-names.ts'
import { allRecords, type Records } from '../records/records.ts'
import type { Archivable, ArchivedRecord } from './archive.ts'

const noon = '2026-01-01T12:00:00.000Z'

const toRecord = (collection: string, id: string, document = {}): ArchivedRecord => ({
  collection,
  id,
  document,
  version: 3,
  createdAt: noon,
  updatedAt: noon,
})

const records = [
  toRecord(collectionNames.dataFile, 'load', { definitions: [{ name: 'posts' }] }),
  toRecord('posts', 'a', { text: 'ÄÖ "\\\n\u{1f600}', deep: [{ n: 1.5, none: null }] }),
  toRecord('posts', 'b'),
  toRecord('uploads', 'c', { size: 1 }),
]

async function* yieldAll(given: readonly ArchivedRecord[], error?: Error) {
  await Promise.resolve()
  yield* given
  if (error) throw error
}

interface OpenedArchive {
  /** Only the records of `uploads` have files. */
  archive: Archivable
  useRecords: <Result>(work: (records: Records) => Promise<Result>) => Promise<Result>
}

/** The behaviour of an archive on every backend of records. */
export function archiveContract(
  name: string,
  open: (t: TestContext) => Promise<OpenedArchive>,
): void {
  suite(`the archive of ${name}`, () => {
    test('the records are read as they were written, the load of a data file first', async (t) => {
      const { archive } = await open(t)
      await archive.replace(yieldAll(records.toReversed()))
      assert.deepEqual(await Readable.from(archive.read()).toArray(), records)
    })

    test('the records of before are gone, their files are orphaned, and counts are new', async (t) => {
      const { archive, useRecords } = await open(t)
      await archive.replace(yieldAll(records))
      await archive.replace(yieldAll([toRecord('posts', 'd')]))
      const counts = await useRecords(async ({ collection }) => [
        await collection('posts').count(),
        await collection('uploads').count(),
        await collection(collectionNames.orphanedFiles).count(),
      ])
      assert.deepEqual(counts, [1, 0, 1])
      assert.deepEqual(await Readable.from(archive.read()).toArray(), [toRecord('posts', 'd')])
    })

    test('records that cannot be read to the end change nothing', async (t) => {
      const { archive } = await open(t)
      await archive.replace(yieldAll(records))
      const failing = yieldAll([toRecord('posts', 'd')], new Error('damaged'))
      await assert.rejects(archive.replace(failing), /damaged/)
      assert.deepEqual(await Readable.from(archive.read()).toArray(), records)
    })

    test('a record that is created while the others are read is not among them', async (t) => {
      const { archive, useRecords } = await open(t)
      await archive.replace(yieldAll(records))
      const read: ArchivedRecord[] = []
      for await (const record of archive.read()) {
        if (read.length === 0)
          await useRecords(({ collection }) =>
            collection('visits').create({ id: 'e', document: {}, createdAt: noon }),
          )
        read.push(record)
      }
      assert.deepEqual(read, records)
      assert.equal(await useRecords(({ collection }) => collection('visits').count(allRecords)), 1)
    })
  })
}
