import { openFiles, openRecords, toArchivable } from '../stores/open-stores.ts'
import type { Config } from '../config/config.ts'
import { findLoad, toPlace } from '../data-file/load-data.ts'
import { parseLoad, type Load } from '../data-file/parse-load.ts'
import { fileCollections } from '../demos/catalogue.ts'
import { restoreArchive } from '../stores/archive/restore-archive.ts'
import { collectionNames } from '../stores/collection-names.ts'
import { removeOrphanedFiles } from '../stores/orphaned-files.ts'
import { createRecordCheck } from './check-record.ts'
import { assertNotInMemory, formatNames, formatTotals } from './format.ts'

export async function restore(config: Config, file: string): Promise<void> {
  assertNotInMemory(config.databaseUrl)
  const database = await toArchivable(config, fileCollections)
  const { files, close } = await openFiles(config)
  let saved: readonly string[] = []
  const checkRecord = createRecordCheck()
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
      assertFits: () => assertFits(config, file, saved),
    })
    const { records, close: closeRecords } = await openRecords(config)
    await removeOrphanedFiles(files, records, fileCollections).finally(closeRecords)
    const [place, folder] = [config.databaseUrl, config.filesUrl].map(toPlace)
    console.log(`Restored ${formatTotals(totals)} from ${file}`)
    console.log(`They replace the records of ${place ?? ''} and the files of ${folder ?? ''}`)
  } finally {
    close()
  }
}

/** Throws if the backup has other resources than a database with records, or than a service without a data file. */
async function assertFits(config: Config, file: string, saved: readonly string[]): Promise<void> {
  const { databaseUrl, dataFile } = config
  const { records, close } = await openRecords(config)
  const [load, counts] = await Promise.all([findLoad(records), records.counts()]).finally(close)
  const stored = load?.isComplete ? toNames(load) : []
  const more = saved.filter((name) => !stored.includes(name))
  const missing = stored.filter((name) => !saved.includes(name))
  if (more.length + missing.length === 0) return
  const isUsed = counts.some(([name, count]) => count > 0 && !name.startsWith('~'))
  if (isUsed || stored.length > 0) {
    const differences = [
      ...(more.length > 0 ? [`it has ${formatNames(more)}`] : []),
      ...(missing.length > 0 ? [`it does not have ${formatNames(missing)}`] : []),
    ].join(' and ')
    throw new Error(
      `${file} has other resources than ${toPlace(databaseUrl)}: ${differences}. To replace all records, run reset first; to keep them, set another DATABASE_URL`,
    )
  }
  if (dataFile === undefined)
    throw new Error(
      `${file} is of a data file with ${formatNames(saved)}. Name that file: vitrine db.json restore ${file}`,
    )
}

const toNames = ({ definitions }: Pick<Load, 'definitions'>) => definitions.map(({ name }) => name)
