import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { asFile, listOf, openClient, type Send } from './client.ts'
import { spawnVitrine, startVitrine, temporaryFolder } from './start-vitrine.ts'
import type { ShownUpload } from './uploads.ts'

/** The folder with all data of a Vitrine, whether it runs or not. */
export interface TestService {
  folder: string
  settings: Record<string, string>
}

/** In a new empty folder. */
export async function emptyService(
  t: TestContext,
  settings: Readonly<Record<string, string>> = {},
): Promise<TestService> {
  const folder = await temporaryFolder(t)
  return {
    folder,
    settings: {
      DATABASE_URL: `sqlite:${join(folder, 'kept', 'vitrine.db')}`,
      FILES_URL: `file:${join(folder, 'kept', 'files')}`,
      LOG_LEVEL: 'silent',
      ...settings,
    },
  }
}

interface Outcome {
  status: number | null
  output: string
}

/** Runs a command to its end. */
export async function runCommand({ settings }: TestService, ...args: string[]): Promise<Outcome> {
  const { process: child, output } = spawnVitrine(settings, args)
  await once(child, 'close')
  return { status: child.exitCode, output: output().trimEnd() }
}

/** Runs a command that has to succeed; returns its output. */
export async function runSucceeding(services: TestService, ...args: string[]): Promise<string> {
  const { status, output } = await runCommand(services, ...args)
  assert.equal(status, 0, output)
  return output
}

/** Runs a command that has to fail; returns its one line. */
export async function runFailing(services: TestService, ...args: string[]): Promise<string> {
  const { status, output } = await runCommand(services, ...args)
  // 69: a dependency cannot be reached.
  assert.equal(status, /is not connected|ECONNREFUSED/.test(output) ? 69 : 2, output)
  assert.match(output, /^vitrine: .*$/)
  return output
}

/** Runs the service; `stop` ends it in order, or `kill` at once. */
export async function openService(t: TestContext, { settings }: TestService) {
  const { origin, process: child } = await startVitrine(t, settings)
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal)
    await once(child, 'exit')
  }
  return { origin, send: openClient(t, origin), stop: () => end('SIGTERM') }
}

export async function uploadFile(send: Send, name: string, content: Buffer): Promise<void> {
  const { status, text } = await send('/profile', asFile(content, name))
  assert.equal(status, 200, text)
}

/** All stored data that clients can read, with the hashes of the files. */
export async function readEverything({ origin, send }: { origin: string; send: Send }) {
  const uploads = await listOf<ShownUpload>(send, '/uploads')
  const contents: Record<string, string> = {}
  for (const { _id, name, sha256 } of uploads) {
    const response = await fetch(`${origin}/uploads/${_id}`)
    assert.equal(response.status, 200, name)
    const hash = createHash('sha256')
      .update(await response.bytes())
      .digest('hex')
    assert.equal(hash, sha256, name)
    contents[_id] = hash
  }
  const [locations, users] = [
    await listOf<{ _id: string; name: string }>(send, '/locations'),
    await listOf<{ _id: string; name: string }>(send, '/users'),
  ]
  return { locations, users, uploads, contents }
}
