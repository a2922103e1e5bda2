import { openFiles } from '../backends.ts'
import type { Config } from '../config.ts'
import { restoreBackup } from '../storage/sqlite-restore.ts'
import { parseDatabasePath, toText } from './texts.ts'

/** Makes everything what it was in a backup. */
export async function restore(config: Config, file: string): Promise<void> {
  const path = parseDatabasePath(
    config,
    `pg_restore --clean --if-exists --dbname="$DATABASE_URL" FILE`,
  )
  const { files, close } = await openFiles(config)
  try {
    const sums = await restoreBackup({ path, file, files })
    console.log(`Restored ${toText(sums)} from ${file}`)
  } finally {
    close?.()
  }
}
