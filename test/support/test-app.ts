import type { FastifyInstance } from 'fastify'
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, type SuiteContext, type TestContext } from 'node:test'
import { createApp } from '../../src/app.ts'
import { openStores, type Stores } from '../../src/stores/open-stores.ts'
import { openDemos } from '../../src/data-file/data-demos.ts'
import { loadConfig } from '../../src/config/config.ts'
import type { Demo } from '../../src/site/demo.ts'
import { demos as catalogue } from '../../src/demos/catalogue.ts'
import { emptyDatabase } from './empty-database.ts'
import type { Ending } from './start-vitrine.ts'
import { testDemos } from './test-demos.ts'

interface TestAppOptions {
  /** By environment name: `{ DEMOS: 'users' }`. */
  settings?: Record<string, string>
  /** By default the demo whose folder has the test, or the demos of the tests. */
  demos?: readonly Demo[]
  /** Set by a test that causes a fault on purpose. */
  expectsFaults?: boolean
}

export type TestApp = FastifyInstance & { logLines: readonly string[] }

/** What opens an app: a test, or a suite. */
export type OpeningTest = Pick<TestContext, 'filePath' | 'fullName'> & Ending

/** The demos without which a demo has nothing to show: only users can sign in. */
const requiredBy: Record<string, readonly string[]> = { sessions: ['users'] }

const allDemos = [...catalogue, ...testDemos]

/** A test in the folder of a demo opens that demo alone, unless a setting names the demos. */
function demosUnderTest(t: OpeningTest, settings: Record<string, string>): readonly Demo[] {
  if (settings.DEMOS !== undefined) return allDemos
  // The full name has the path of the file where a process runs several files.
  const folder = /\bsrc\/demos\/([^/]+)\//.exec(`${t.filePath ?? ''} ${t.fullName}`)?.[1]
  if (folder === undefined) return testDemos
  const opened = [folder, ...(requiredBy[folder] ?? [])]
  return catalogue.filter(({ name }) => opened.includes(name))
}

/** With every demo, for what must hold for all of them: it takes three times as long to open. */
export const catalogueApp = (t: OpeningTest, options: TestAppOptions = {}) =>
  testApp(t, { demos: allDemos, ...options })

/**
 * The real app on an empty database, closed when the test ends. The test fails if an unexpected
 * fault was logged.
 */
export async function testApp(t: OpeningTest, options: TestAppOptions = {}): Promise<TestApp> {
  const { settings = {}, demos = demosUnderTest(t, settings), expectsFaults = false } = options
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-'))
  const databaseUrl = settings.DATABASE_URL ?? (await emptyDatabase('sqlite::memory:'))
  const config = loadConfig(
    // Off by default, so that no test with PRESET=public depends on the load of the machine.
    {
      MAX_EVENT_LOOP_DELAY_MS: 'off',
      FILES_URL: `file:${folder}`,
      ...settings,
      DATABASE_URL: databaseUrl,
    },
    demos.map(({ name }) => name),
  )
  const stores = await openStores(config)
  const logLines: string[] = []
  const write = (line: string) => logLines.push(line)
  const served = await openDemos(config, demos, { services: stores })
  const logTo = { write, queue: write }
  const app = await createApp({ config: served.config, demos: served.demos, stores, logTo })
  // The test runner keeps the function below until the process ends: it must not hold the app.
  const opened: { app?: FastifyInstance; stores?: Stores } = { app, stores }
  t.after(async () => {
    await opened.app?.close()
    await opened.stores?.close()
    delete opened.app
    delete opened.stores
    rmSync(folder, { recursive: true })
    const faults = logLines.filter((line) => (JSON.parse(line) as { level: number }).level >= 50)
    if (!expectsFaults) assert.deepEqual(faults, [])
  })
  return Object.assign(app, { logLines })
}

/** One app for the tests of a file or suite, of which none sees what another stored; returns what finds it. */
export function useApp(options: TestAppOptions = {}, open = testApp): () => TestApp {
  const endings: (() => unknown)[] = []
  let opened: TestApp | undefined
  before(async (t: TestContext | SuiteContext) => {
    const { filePath, fullName } = t
    opened = await open({ filePath, fullName, after: (end) => endings.push(end) }, options)
  })
  after(async () => {
    opened = undefined
    for (const end of endings) await end()
  })
  return () => opened ?? assert.fail('The app is opened before the tests.')
}
