import { openStores, type Stores } from '../stores/open-stores.ts'
import { findLoad } from '../data-file/load-data.ts'
import type { Config } from '../config/config.ts'
import { collections, demos, fileCollections } from '../demos/catalogue.ts'
import { collectionNames } from '../stores/collection-names.ts'
import { removeOrphanedFiles } from '../stores/orphaned-files.ts'
import type { Records } from '../stores/records/records.ts'
import { assertNotInMemory, formatCount } from './format.ts'

export async function reset(config: Config): Promise<void> {
  assertNotInMemory(config.databaseUrl)
  // Listing the orphaned files takes some space, also in a database that is full.
  const stores = await openStores({ ...config, maxRecords: undefined, maxDatabaseBytes: undefined })
  try {
    const removed = (await removeEverything(stores)).filter(([, count]) => count > 0)
    const list = removed.map(([plural, count]) =>
      formatCount(count, plural.replace(/s$/, ''), plural),
    )
    console.log(list.length > 0 ? `Removed ${list.join(', ')}` : 'There was nothing to remove')
    console.log('A running service keeps the exchanges of its request inspector: restart it')
    if (config.dataFile !== undefined) console.log('The next start loads the data file again')
  } finally {
    await stores.close()
  }
}

/** Resolves with the counts by plural. Records that are created meanwhile may stay. */
export async function removeEverything(stores: Stores): Promise<[plural: string, count: number][]> {
  const { records, files, sessions, idempotencyEntries, states } = stores
  // Before the records of the demo, which hold the names of the files.
  const filed: [string, number][] = []
  for (const name of fileCollections)
    filed.push([toPlural(name), await removeWithFiles(records, name)])
  const removed: [string, number][] = []
  const ofFile = (await findLoad(records))?.definitions ?? []
  // First: the next start then loads the data file again, even if this is interrupted.
  await records.collection(collectionNames.dataFile).clear()
  const names = new Set([...demos, ...collections, ...ofFile].map(({ name }) => name))
  for (const name of names) {
    removed.push([toPlural(name), await records.collection(name).clear()])
  }
  await removeOrphanedFiles(files, records, fileCollections)
  return [
    ...removed,
    ...filed,
    ['sessions', await sessions.clear()],
    ['idempotency keys', await idempotencyEntries.clear()],
    ['states', await states.clear()],
  ]
}

/** `~bin-requests` → `bin requests`. Names of a data file have no `~`. */
function toPlural(name: string): string {
  return name.startsWith('~') ? name.slice(1).replace('-', ' ') : name
}

/** The ids of the files are stored until the files are removed too, even if this is interrupted. */
async function removeWithFiles(records: Records, name: string): Promise<number> {
  const collection = records.collection(name)
  const orphanedFiles = records.collection(collectionNames.orphanedFiles)
  let count = 0
  const createdAt = new Date().toISOString()
  for await (const page of collection.pages()) {
    await Promise.all(page.map(({ id }) => orphanedFiles.create({ id, document: {}, createdAt })))
    const outcomes = await Promise.all(page.map(({ id }) => collection.remove(id)))
    count += outcomes.filter(Boolean).length
  }
  return count
}
