import { spawn, type ChildProcess, type SpawnOptionsWithoutStdio } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { emptyDatabase } from './empty-database.ts'

export const projectFolder = fileURLToPath(new URL('../..', import.meta.url))
/** The folder of a bundled service: see {@link bundleVitrine}. A run of one file starts the sources. */
const { VITRINE_BUNDLE: bundle } = process.env
const testProgram = bundle
  ? ['--import', join(bundle, 'dist/with-test-demos.js'), join(bundle, 'bin/vitrine.js')]
  : ['--import', './test/support/with-test-demos.js', 'bin/vitrine.js']

/** What ends what it started: a test, or a suite. */
export interface Ending {
  after: (end: () => unknown) => void
}

interface RunningVitrine {
  /** `http://127.0.0.1:39213` */
  origin: string
  process: ChildProcess
}

/** A started process that has not necessarily come up. */
export interface StartedVitrine {
  process: ChildProcess
  /** What it has written so far. */
  output: () => string
}

/** Starts the service with the demos of the tests, and with these settings and flags and no others. */
export function spawnVitrine(
  settings: Readonly<Record<string, string>>,
  flags: readonly string[] = [],
): StartedVitrine {
  const cwd = projectFolder
  const env = { PATH: process.env.PATH, ...settings }
  return spawnProgram(process.execPath, [...testProgram, ...flags], {
    cwd,
    env,
  })
}

/** Starts what may be Vitrine by another way, and listens to what it writes. */
export function spawnProgram(
  program: string,
  args: readonly string[],
  options: SpawnOptionsWithoutStdio,
): StartedVitrine {
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  let written = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      written += chunk.toString()
    })
  }
  return { process: child, output: () => written }
}

/**
 * Starts the service on a free port and on a database of its own, waits until it listens, and kills
 * it when the test ends.
 */
export async function startVitrine(
  t: Ending,
  settings: Readonly<Record<string, string>> = {},
): Promise<RunningVitrine> {
  const folder = await temporaryFolder(t)
  const FILES_URL = `file:${join(folder, 'files')}`
  const DATABASE_URL =
    settings.DATABASE_URL ?? (await emptyDatabase(`sqlite:${join(folder, 'vitrine.db')}`))
  const started = spawnVitrine({ PORT: '0', FILES_URL, ...settings, DATABASE_URL })
  const child = started.process
  t.after(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  })
  return { origin: await findOrigin(started), process: child }
}

/** Where it listens, once it does. */
export async function findOrigin({ process: child, output }: StartedVitrine): Promise<string> {
  for (;;) {
    const origin = /^Vitrine is listening on (\S+)(?: \(.*\))?\n/m.exec(output())?.[1]
    if (origin !== undefined) return origin
    if (child.exitCode !== null) throw new Error(`Vitrine did not start: ${output()}`)
    await Promise.race([once(child.stdout ?? child, 'data'), once(child, 'exit')])
  }
}

/** The settings of a database and of files in this folder. */
export function settingsIn(folder: string) {
  const DATABASE_URL = `sqlite:${join(folder, 'vitrine.db')}`
  return { DATABASE_URL, FILES_URL: `file:${join(folder, 'files')}` }
}

export async function temporaryFolder(t: Ending): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}
