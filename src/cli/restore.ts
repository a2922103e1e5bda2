import { openFiles } from '../stores/open-stores.ts'
import type { Config } from '../config/config.ts'
import { fileCollections } from '../demos/catalogue.ts'
import { moveBackup, restoreBackup } from '../stores/sqlite/restore.ts'
import { checkRecord } from './check-record.ts'
import { formatTotals, parseDatabasePath } from './format.ts'

export async function restore(config: Config, file: string): Promise<void> {
  const { databaseUrl } = config
  const isPostgres = databaseUrl.startsWith('postgres')
  const { files, close } = await openFiles(config)
  try {
    const options = { file, files, fileCollections, checkRecord }
    const totals = await (isPostgres
      ? moveBackup(options, await loadFill(databaseUrl))
      : restoreBackup({ ...options, path: parseDatabasePath(config) }))
    console.log(`Restored ${formatTotals(totals)} from ${file}`)
  } finally {
    close()
  }
}

async function loadFill(url: string) {
  const { fillDatabase } = await import('../stores/records/postgres/fill.ts')
  return fillDatabase.bind(undefined, url)
}
