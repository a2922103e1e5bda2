import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { hasCode } from '../config/has-code.ts'

/** Removes what processes of this machine were writing that were killed. Their number follows `marker` in the name. */
export async function removeDead(folder: string, marker: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    if (isRunning(parseInt(name.split(marker)[1] ?? ''))) continue
    // What belongs to another user cannot be removed.
    await rm(join(folder, name), { recursive: true, force: true }).catch(() => undefined)
  }
}

/** Also true for NaN, if a name has no number. */
function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return !hasCode(error, 'ESRCH')
  }
}
