import { openFiles, openRecords, toArchivable } from '../stores/open-stores.ts'
import type { Config } from '../config/config.ts'
import { findLoad, parseLoad, toPlace } from '../data-file/load-data.ts'
import { fileCollections } from '../demos/catalogue.ts'
import { restoreArchive } from '../stores/archive/restore-archive.ts'
import { collectionNames } from '../stores/collection-names.ts'
import { removeOrphanedFiles } from '../stores/orphaned-files.ts'
import type { Records } from '../stores/records/records.ts'
import { checkRecord } from './check-record.ts'
import { assertNotInMemory, formatNames, formatTotals } from './format.ts'

export async function restore(config: Config, file: string): Promise<void> {
  const { databaseUrl, filesUrl, dataFile } = config
  assertNotInMemory(databaseUrl)
  const database = await toArchivable(config, fileCollections)
  const { files, close } = await openFiles(config)
  const place = toPlace(databaseUrl)
  let saved: readonly string[] = []
  try {
    const totals = await restoreArchive({
      database,
      file,
      files,
      fileCollections,
      checkRecord: (collection, id, document) => {
        checkRecord(collection, id, document)
        if (collection === collectionNames.dataFile)
          saved = toNames(parseLoad({ document, version: 1 }))
      },
      assertFits: async () => {
        const { records, close: closeRecords } = await openRecords(config)
        const { stored, isEmpty } = await findStored(records).finally(closeRecords)
        const difference = findDifference(saved, stored)
        if (difference === '') return
        if (!isEmpty)
          throw new Error(
            `${file} has other resources than ${place}: ${difference}. To replace all records, run reset first; to keep them, set another DATABASE_URL`,
          )
        if (dataFile === undefined)
          throw new Error(
            `${file} is of a data file with ${formatNames(saved)}. Name that file: vitrine db.json restore ${file}`,
          )
      },
    })
    const { records, close: closeRecords } = await openRecords(config)
    await removeOrphanedFiles(files, records, fileCollections).finally(closeRecords)
    console.log(`Restored ${formatTotals(totals)} from ${file}`)
    console.log(`They replace the records of ${place} and the files of ${toPlace(filesUrl)}`)
  } finally {
    close()
  }
}

const toNames = ({ definitions }: { definitions: readonly { name: string }[] }) =>
  definitions.map(({ name }) => name)

/** The names of the resources of the data file that is loaded, and whether there is no record of any demo. */
async function findStored(records: Records) {
  const load = await findLoad(records)
  const stored = load?.isComplete ? toNames(load) : []
  const counts = await records.counts()
  const isUsed = counts.some(([name, count]) => count > 0 && !name.startsWith('~'))
  return { stored, isEmpty: !isUsed && stored.length === 0 }
}

/** An empty text if there is none. */
function findDifference(saved: readonly string[], stored: readonly string[]): string {
  const more = saved.filter((name) => !stored.includes(name))
  const missing = stored.filter((name) => !saved.includes(name))
  return [
    ...(more.length > 0 ? [`it has ${formatNames(more)}`] : []),
    ...(missing.length > 0 ? [`it does not have ${formatNames(missing)}`] : []),
  ].join(' and ')
}
