import { lstatSync, rmdirSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Config } from '../config/config.ts'
import { toDatabasePath } from '../stores/sqlite/database.ts'
import { isInUse } from '../stores/sqlite/open-alone.ts'

/** Runs a command. If it fails, it leaves no database, folder of files or other folder that was not there before. */
export async function runOrRemoveNew(config: Config, run: () => Promise<void>): Promise<void> {
  const { databaseUrl, filesUrl } = config
  const path = databaseUrl.startsWith('sqlite:') ? toDatabasePath(databaseUrl) : undefined
  const files = filesUrl.startsWith('file:') ? filesUrl.slice('file:'.length) : undefined
  const newDatabase = path !== undefined && isNew(path) ? path : undefined
  const newFolders = [path && dirname(path), files].flatMap(findNewFolders)
  try {
    await run()
  } catch (error) {
    // Another process may have opened it meanwhile.
    const isOwn = newDatabase !== undefined && !isNew(newDatabase) && !isInUse(newDatabase)
    if (isOwn)
      for (const end of ['-wal', '-shm', '']) rmSync(`${newDatabase}${end}`, { force: true })
    newFolders.forEach(removeIfEmpty)
    throw error
  }
}

/** A link is not new, even if the file that it names does not exist. */
const isNew = (path: string) => lstatSync(path, { throwIfNoEntry: false }) === undefined

/** The folder and those around it that do not exist, the innermost first. */
function findNewFolders(folder: string | undefined): string[] {
  return folder === undefined || !isNew(folder) ? [] : [folder, ...findNewFolders(dirname(folder))]
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // It has files of others, or was never made.
  }
}
