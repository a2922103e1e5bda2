import { rmdirSync, statSync } from 'node:fs'
import { createdPaths } from '../stores/made.ts'
import { openAlone, removeDatabaseFiles } from '../stores/sqlite/open-alone.ts'

/** After a failure: removes what this process has made, unless others use it or it has records. */
export function removeMade(): void {
  for (const path of createdPaths.toReversed()) {
    const isFile = statSync(path, { throwIfNoEntry: false })?.isFile() === true
    try {
      if (isFile) removeIfUnused(path)
      else rmdirSync(path)
    } catch {
      // It has files of others, or others use it.
    }
  }
}

/** Others cannot open it meanwhile. A command that failed at its last step may have stored records. */
function removeIfUnused(path: string): void {
  using database = openAlone(path)
  const isMigrated = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'records'").get()
  if (isMigrated && database.prepare('SELECT 1 FROM records').get()) return
  removeDatabaseFiles(path)
}
