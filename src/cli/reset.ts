import { openFiles, openStores, type Stores } from '../stores/open-stores.ts'
import { findLoad, forgetLoad, toPlace } from '../data-file/load-data.ts'
import type { Config } from '../config/config.ts'
import { collections, demos, fileCollections } from '../demos/catalogue.ts'
import { collectionNames, toKind } from '../stores/collection-names.ts'
import { removeAllWithFiles, removeOrphanedFiles } from '../stores/orphaned-files.ts'
import { selectLoad } from '../stores/archive/read-records.ts'
import { toFileCollections } from '../stores/archive/archive.ts'
import { isId } from '../stores/records/records.ts'
import { toPlaceName } from '../stores/sandboxes/sandboxes.ts'
import { toFileId } from '../stores/sandboxes/scoped-files.ts'
import { isDiskFull, toDatabasePath } from '../stores/sqlite/database.ts'
import { isInUse, openAlone, removeDatabaseFiles } from '../stores/sqlite/open-alone.ts'
import { assertNotInMemory, formatCounts } from './format.ts'

export async function reset(config: Config): Promise<void> {
  const { databaseUrl: url } = config
  assertNotInMemory(url)
  try {
    await removeAndPrint(config)
  } catch (error) {
    if (!isDiskFull(error) || !url.startsWith('sqlite:')) throw error
    await removeDatabase(config)
    await removeAndPrint(config, ['the database and all uploads (the disk was full)'])
  }
}

/** On a full disk, SQLite cannot delete anything. */
async function removeDatabase(config: Config): Promise<void> {
  const path = toDatabasePath(config.databaseUrl) ?? ''
  using database = openAlone(path)
  const { files, close } = await openFiles(config)
  // A database of an earlier version cannot get the columns of this one, which other ways to read need.
  const names = toFileCollections(fileCollections, database.prepare(selectLoad).get()?.document)
  const select = database.prepare('SELECT id FROM records WHERE resource = ?')
  for (const name of [...names, collectionNames.orphanedFiles])
    for (const { id } of select.iterate(name)) if (isId(String(id))) await files.remove(String(id))
  const selectPlaced = database.prepare('SELECT resource, id FROM records WHERE resource LIKE ?')
  for (const name of [...names, collectionNames.orphanedFiles])
    for (const { resource, id } of selectPlaced.iterate(toPlaceName('%', name)))
      await files.remove(toFileId(String(resource).replace(/\/.*/, ''), String(id)))
  close()
  removeDatabaseFiles(path)
}

async function removeAndPrint(config: Config, before: readonly string[] = []): Promise<void> {
  const { databaseUrl: url } = config
  const path = url.startsWith('sqlite:') ? toDatabasePath(url) : undefined
  const isUnused = path !== undefined && !isInUse(path)
  // Listing the orphaned files takes some space, also in a database that is full.
  const stores = await openStores({ ...config, maxRecords: undefined, maxDatabaseBytes: undefined })
  try {
    const removed = (await removeEverything(stores)).filter(([, count]) => count > 0)
    const list = [...before, formatCounts(removed)].filter(Boolean).join(', ')
    console.log(`${list ? `Removed ${list}` : 'There was nothing to remove'} from ${toPlace(url)}`)
    console.log(isUnused ? unused : inUse)
    if (config.dataFile !== undefined)
      console.log('The next start loads the data file again. Until then, its resources are empty')
  } finally {
    await stores.close()
  }
}

const inUse = 'A running service keeps the exchanges of its request inspector until it is restarted'
const unused =
  'No running service uses this database. A service with --fresh or another DATABASE_URL is not affected.'

export async function removeEverything(stores: Stores): Promise<[plural: string, count: number][]> {
  const { records, files, sandboxes, sessions, idempotencyEntries, states } = stores
  // Files are removed before the records of the demo, which hold their names.
  const filed: [string, number][] = []
  const names = toFileCollections(fileCollections, await findLoad(records))
  const ended = await sandboxes.removeAll(names)
  for (const name of names) filed.push([toKind(name), await removeAllWithFiles(stores, name)])
  const removed: [string, number][] = []
  // This comes before the records: the next start then loads the data file again, even if this is interrupted.
  const ofFile = await forgetLoad(records)
  const all = new Set([...demos, ...collections, ...ofFile].map(({ name }) => name))
  for (const name of all) {
    removed.push([toKind(name), await records.collection(name).clear()])
  }
  await removeOrphanedFiles(files, records, fileCollections)
  return [
    ...removed,
    ...filed,
    ['sandboxes', ended],
    ['sessions', await sessions.clear()],
    ['idempotency keys', await idempotencyEntries.clear()],
    ['states', await states.clear()],
  ]
}
