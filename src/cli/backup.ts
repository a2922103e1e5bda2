import { openFiles } from '../stores/open-stores.ts'
import type { Config } from '../config/config.ts'
import { fileCollections } from '../demos/catalogue.ts'
import { onStopSignal } from '../operations/stop-signals.ts'
import { checkBackup } from '../stores/sqlite/backup-checks.ts'
import { writeBackup } from '../stores/sqlite/backup.ts'
import { checkRecord } from './check-record.ts'
import { formatTotals, parseDatabasePath } from './format.ts'
import { followLinks } from './output-file.ts'

export async function backup(config: Config, file: string): Promise<void> {
  const path = parseDatabasePath(config)
  const { files, close } = await openFiles(config)
  const interruption = new AbortController()
  const stopWaiting = onStopSignal(() => {
    interruption.abort(new Error('it was interrupted'))
  })
  try {
    const { signal } = interruption
    const { lost, ...totals } = await writeBackup({
      path,
      file: followLinks(file),
      files,
      fileCollections,
      signal,
      check: (saved) => checkBackup(saved, checkRecord, `a copy of the database ${path}`),
    })
    for (const id of lost) {
      console.error(`vitrine: skipped upload ${id}: its content is missing or damaged`)
    }
    console.log(`Saved ${formatTotals(totals)} to ${file}`)
  } finally {
    stopWaiting()
    close()
  }
}
