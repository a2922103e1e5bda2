import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * The folder of a disk of this size, in memory. Where there can be none the test is skipped and the
 * result is undefined; with `CI=true` it fails, unless it is the kernel that rejects.
 */
export async function smallDisk(t: TestContext, size: string): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-disk-'))
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'vitrine', folder])
  } catch (error) {
    await rm(folder, { recursive: true })
    const reason = error instanceof Error ? error.message : String(error)
    const isKernel = /permission denied|not permitted|superuser|unknown filesystem/i.test(reason)
    skip(t, isKernel ? `the kernel does not mount it: ${reason}` : reason, isKernel)
    return undefined
  }
  t.after(async () => {
    // Lazily: the process that has files open there may still be on its way out.
    await run('umount', ['--lazy', folder])
    await rm(folder, { recursive: true })
  })
  return folder
}

export async function remount(folder: string, access: 'ro' | 'rw'): Promise<void> {
  await run('mount', ['-o', `remount,${access}`, folder])
}

/** Limits how large a file the process may make; undefined takes the limit away. */
export async function limitFileSize(
  t: TestContext,
  pid: number | undefined,
  bytes?: number,
): Promise<boolean> {
  try {
    // The hard limit stays where it is, so that the soft one can be raised again.
    await run('prlimit', [
      '--pid',
      String(pid),
      `--fsize=${String(bytes ?? 'unlimited')}:unlimited`,
    ])
    return true
  } catch (error) {
    skip(t, error instanceof Error ? error.message : String(error), false)
    return false
  }
}

function skip(t: TestContext, reason: string, isKernel: boolean): void {
  if (process.env.CI === 'true' && !isKernel) assert.fail(reason)
  t.skip(reason)
}
