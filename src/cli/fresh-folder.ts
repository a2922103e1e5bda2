import { readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freshName } from '../config/config.ts'
import { hasCode } from '../stores/store-failure.ts'

/** Those of this machine whose process has ended without removing them. */
export async function removeDeadFolders(): Promise<void> {
  for (const name of await readdir(tmpdir()).catch(() => [])) {
    const pid = name.startsWith(freshName) ? /^\d+/.exec(name.slice(freshName.length)) : null
    if (pid === null || isRunning(Number(pid[0]))) continue
    // That of another user stays.
    await rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => undefined)
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return !hasCode(error, 'ESRCH')
  }
}
