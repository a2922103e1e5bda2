import { openFiles } from '../stores/open-stores.ts'
import type { Config } from '../config/config.ts'
import { fileCollections } from '../demos/catalogue.ts'
import { restoreBackup } from '../stores/sqlite/restore.ts'
import { checkRecord } from './check-record.ts'
import { formatSums, parseDatabasePath } from './format.ts'

export async function restore(config: Config, file: string): Promise<void> {
  const command = `pg_restore --clean --if-exists --dbname="$DATABASE_URL" FILE`
  const path = parseDatabasePath(config, command)
  const { files, close } = await openFiles(config)
  try {
    const options = { path, file, files, fileCollections, checkRecord }
    const { hasHash, ...sums } = await restoreBackup(options)
    if (!hasHash) console.error(`vitrine: ${file} has no hash, so damage cannot be detected`)
    console.log(`Restored ${formatSums(sums)} from ${file}`)
  } finally {
    close()
  }
}
