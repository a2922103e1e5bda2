import { rmdirSync, rmSync, statSync } from 'node:fs'
import { made } from '../stores/made.ts'
import { isInUse } from '../stores/sqlite/open-alone.ts'

/** After a failure: removes what this process has made, unless others use it. */
export function removeMade(): void {
  for (const path of made.toReversed()) {
    const isFile = statSync(path, { throwIfNoEntry: false })?.isFile() === true
    if (!isFile) removeIfEmpty(path)
    else if (!isInUse(path))
      for (const end of ['-wal', '-shm', '']) rmSync(`${path}${end}`, { force: true })
  }
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // It has files of others.
  }
}
