import { openFiles, openRecords, toArchivable } from '../stores/open-stores.ts'
import type { Config } from '../config/config.ts'
import { fileCollections } from '../demos/catalogue.ts'
import { restoreArchive } from '../stores/archive/restore-archive.ts'
import { removeOrphanedFiles } from '../stores/orphaned-files.ts'
import { checkRecord } from './check-record.ts'
import { assertNotInMemory, formatTotals } from './format.ts'

export async function restore(config: Config, file: string): Promise<void> {
  assertNotInMemory(config.databaseUrl)
  const database = await toArchivable(config, fileCollections)
  const { files, close } = await openFiles(config)
  try {
    const totals = await restoreArchive({ database, file, files, fileCollections, checkRecord })
    const { records, close: closeRecords } = await openRecords(config)
    await removeOrphanedFiles(files, records, fileCollections).finally(closeRecords)
    console.log(`Restored ${formatTotals(totals)} from ${file}`)
  } finally {
    close()
  }
}
