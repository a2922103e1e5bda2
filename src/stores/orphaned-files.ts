import { collectionNames } from './collection-names.ts'
import type { Files } from './files/files.ts'
import { isId, type Records } from './records/records.ts'
import { retryIfFull } from './store-failure.ts'

interface Stores {
  records: Records
  files: Files
}

export async function sweepFiles(
  files: Files,
  records: Records,
  fileCollections: readonly string[],
): Promise<void> {
  await files.sweep((id) => hasRecord(records, fileCollections, id))
  await removeOrphanedFiles(files, records, fileCollections)
}

/** A file that still has a record in one of the collections is skipped: the record is about to be removed. */
export async function removeOrphanedFiles(
  files: Files,
  records: Records,
  fileCollections: readonly string[],
): Promise<void> {
  const orphanedFiles = records.collection(collectionNames.orphanedFiles)
  for await (const page of orphanedFiles.pages()) {
    for (const { id } of page) {
      if (await hasRecord(records, fileCollections, id)) continue
      // Before 0.3, records of a data file could come here, whose ids can be paths.
      if (isId(id)) await files.remove(id)
      await orphanedFiles.remove(id)
    }
  }
}

/** Returns whether there was a record. An interrupted removal of the file is finished by the next sweep. */
export async function removeWithFile(
  { records, files }: Stores,
  name: string,
  id: string,
): Promise<boolean> {
  const orphanedFiles = records.collection(collectionNames.orphanedFiles)
  // Otherwise the record would be removed, and the client would get 503 for the file.
  await files.check()
  await orphanedFiles.create({ id, document: {}, createdAt: new Date().toISOString() })
  const isRemoved = await records.collection(name).remove(id)
  await files.remove(id)
  await orphanedFiles.remove(id)
  return isRemoved
}

/** The ids of the files are stored until the files are removed too, even if this is interrupted. */
export async function removeAllWithFiles(
  { records, files }: Stores,
  name: string,
): Promise<number> {
  const collection = records.collection(name)
  const orphanedFiles = records.collection(collectionNames.orphanedFiles)
  let count = 0
  const createdAt = new Date().toISOString()
  for await (const page of collection.pages()) {
    const record = () =>
      Promise.all(page.map(({ id }) => orphanedFiles.create({ id, document: {}, createdAt })))
    await retryIfFull(record, async () => {
      for (const { id } of page) await files.remove(id)
    })
    const outcomes = await Promise.all(page.map(({ id }) => collection.remove(id)))
    count += outcomes.filter(Boolean).length
  }
  return count
}

async function hasRecord({ collection }: Records, names: readonly string[], id: string) {
  for (const name of names) if ((await collection(name).find(id)) !== undefined) return true
  return false
}
