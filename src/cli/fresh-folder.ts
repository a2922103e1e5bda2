import { readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freshName } from '../config/config.ts'
import { hasCode } from '../config/has-code.ts'

/** Removes the folders of fresh starts on this machine whose process was killed before it could. */
export async function removeDeadFolders(): Promise<void> {
  for (const name of await readdir(tmpdir()).catch(() => [])) {
    if (!name.startsWith(freshName) || isRunning(parseInt(name.slice(freshName.length)))) continue
    // A folder of another user cannot be removed.
    await rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => undefined)
  }
}

/** Also true for NaN, if a name has no number. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return !hasCode(error, 'ESRCH')
  }
}
