import { openFiles, toArchivable } from '../stores/open-stores.ts'
import type { Config } from '../config/config.ts'
import { toPlace } from '../data-file/load-data.ts'
import { fileCollections } from '../demos/catalogue.ts'
import { onStopSignal } from '../operations/stop-signals.ts'
import { checkArchive } from '../stores/archive/read-archive.ts'
import { writeArchive } from '../stores/archive/write-archive.ts'
import { fileMode } from '../stores/file-modes.ts'
import { createRecordCheck, schemas } from './check-record.ts'
import { assertNotInMemory, formatTotals } from './format.ts'
import { createFile } from './output-file.ts'

export async function backup(config: Config, file: string): Promise<void> {
  assertNotInMemory(config.databaseUrl)
  const database = await toArchivable(config, fileCollections)
  const { files, close } = await openFiles(config)
  const interruption = new AbortController()
  const stopWaiting = onStopSignal(() => {
    interruption.abort(new Error('it was interrupted'))
  })
  const { signal } = interruption
  const subject = `a copy of ${toPlace(config.databaseUrl)}`
  const checks = { fileCollections, checkRecord: createRecordCheck() }
  try {
    const lines = writeArchive({ database, files, fileCollections, schemas })
    const { lost, ...totals } = await createFile(file, lines, {
      mode: fileMode,
      signal,
      check: (partial) => checkArchive(partial, { ...checks, signal, subject }),
    })
    for (const id of lost)
      console.error(
        `vitrine: skipped upload ${id}: its content is missing or damaged, or it was deleted meanwhile`,
      )
    console.log(`Saved ${formatTotals(totals)} of ${toPlace(config.databaseUrl)} to ${file}`)
  } finally {
    stopWaiting()
    close()
  }
}
