import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { findFreePort } from '../support/free-port.ts'
import { projectFolder, temporaryFolder } from '../support/start-vitrine.ts'
import type { Version } from './types.ts'

export type Database = Readonly<Record<string, unknown>>

const programs = { '0.17': 'json-server-0/lib/cli/bin.js', '1': 'json-server-1/lib/bin.js' }

/** Starts the real json-server on a copy of the data, and stops it when the test ends. */
export async function startJsonServer(
  t: TestContext,
  version: Version,
  { data, flags = [] }: { data: Database; flags?: readonly string[] },
): Promise<string> {
  const folder = await temporaryFolder(t)
  const file = join(folder, 'db.json')
  await writeFile(file, JSON.stringify(data))
  // 1 does not start without it, unless it watches the file.
  await mkdir(join(folder, 'public'))
  const port = String(await findFreePort())
  const program = join(projectFolder, 'node_modules', programs[version])
  const child = spawn(process.execPath, [program, file, '--port', port, ...flags], {
    cwd: folder,
    env: { PATH: process.env.PATH, NODE_ENV: 'production' },
    stdio: 'ignore',
  })
  t.after(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  })
  const origin = `http://localhost:${port}`
  while (child.exitCode === null) {
    if (await isListening(origin)) return origin
  }
  throw new Error(`json-server ${version} did not start`)
}

async function isListening(origin: string): Promise<boolean> {
  try {
    await fetch(`${origin}/profile`)
    return true
  } catch {
    return false
  }
}
