import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { hasCode } from '../config/has-code.ts'

interface Options {
  /** Folders are removed too, with what is in them. */
  recursive?: boolean
}

/**
 * Removes what killed processes of this machine have left in a folder. `pattern` matches the whole end of such
 * a name, so that it never fits a name that a user has chosen; its first group is the number of the process.
 */
export async function removeDead(folder: string, pattern: RegExp, options: Options = {}) {
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name)
    const pid = pattern.exec(name)?.[1]
    if (pid === undefined || (await isOfRunning(Number(pid), path))) continue
    // What belongs to another user cannot be removed.
    await rm(path, { ...options, force: true }).catch(() => undefined)
  }
}

async function isOfRunning(pid: number, path: string): Promise<boolean> {
  // In a container each process may have the same number: what is older than this process is of another.
  if (pid === process.pid) return !(await isOlderThanProcess(path))
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return !hasCode(error, 'ESRCH')
  }
}

async function isOlderThanProcess(path: string): Promise<boolean> {
  const file = await stat(path).catch(() => undefined)
  return file !== undefined && file.mtimeMs < Date.now() - process.uptime() * 1000
}
