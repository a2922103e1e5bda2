import { openStores, type Stores } from '../stores/open-stores.ts'
import type { Config } from '../config/config.ts'
import { demos } from '../demos/catalogue.ts'
import { collectionNames } from '../stores/collection-names.ts'
import { removeOrphanedFiles } from '../stores/orphaned-files.ts'
import type { Records } from '../stores/records/records.ts'
import { assertOnDisk, toCount } from './format.ts'

/** Removes all that is kept, and says what that was. */
export async function reset(config: Config): Promise<void> {
  assertOnDisk(config.databaseUrl)
  // Limits are for others: in a store that is full, to name what goes needs a little more of it.
  const stores = await openStores({
    ...config,
    maxRecords: undefined,
    maxDatabaseBytes: undefined,
  })
  try {
    const removed = [...(await removeEverything(stores))].filter(([, count]) => count > 0)
    const list = removed.map(([what, count]) => toCount(count, what.replace(/s$/, ''), what))
    console.log(list.length > 0 ? `Removed ${list.join(', ')}` : 'There was nothing to remove')
  } finally {
    await stores.close()
  }
}

/** How many there were, by the plural of what they were. What comes meanwhile may stay. */
export async function removeEverything(
  stores: Omit<Stores, 'close'>,
): Promise<ReadonlyMap<string, number>> {
  const { records, files, sessions, idempotencyEntries: answers } = stores
  // Before the records of the demo, which hold the names of the files.
  const uploads = await removeUploads(records)
  const removed = new Map<string, number>()
  // A resource has the name of its demo.
  for (const { name } of demos) {
    const count = await records.collection(name).clear()
    if (count > 0) removed.set(name, count)
  }
  removed.set('uploads', uploads)
  await removeOrphanedFiles(files, records)
  removed.set('sessions', await sessions.clear())
  removed.set('kept answers', await answers.clear())
  return removed
}

/** The names of their files stay until these are gone too, also when this is cut off. */
async function removeUploads(records: Records): Promise<number> {
  const uploads = records.collection(collectionNames.uploads)
  const orphanedFiles = records.collection(collectionNames.orphanedFiles)
  let count = 0
  const createdAt = new Date().toISOString()
  for await (const page of uploads.pages()) {
    await Promise.all(page.map(({ id }) => orphanedFiles.create({ id, document: {}, createdAt })))
    const outcomes = await Promise.all(page.map(({ id }) => uploads.remove(id)))
    count += outcomes.filter(Boolean).length
  }
  return count
}
