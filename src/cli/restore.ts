import { openFiles } from '../stores/open-stores.ts'
import type { Config } from '../config/config.ts'
import { restoreBackup } from '../stores/sqlite/restore.ts'
import { checkDocument } from './check-document.ts'
import { parseDatabasePath, toErrorText } from './format.ts'

/** Makes everything what it was in a backup. */
export async function restore(config: Config, file: string): Promise<void> {
  const path = parseDatabasePath(
    config,
    `pg_restore --clean --if-exists --dbname="$DATABASE_URL" FILE`,
  )
  const { files, close } = await openFiles(config)
  try {
    const { hasHash, ...sums } = await restoreBackup({ path, file, files, checkDocument })
    if (!hasHash) console.error(`vitrine: ${file} has no hash by which damage would be noticed`)
    console.log(`Restored ${toErrorText(sums)} from ${file}`)
  } finally {
    close?.()
  }
}
