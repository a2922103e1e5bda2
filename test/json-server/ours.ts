import type { TestContext } from 'node:test'
import { dataFile } from '../support/data-app.ts'
import { startVitrine } from '../support/start-vitrine.ts'
import type { Database } from './servers.ts'
import type { Version } from './types.ts'

/** Starts Vitrine with the same data, in the dialect. */
export async function startOurs(
  t: TestContext,
  version: Version,
  { data, settings }: { data: Database; settings?: Readonly<Record<string, string>> },
): Promise<string> {
  const DATA_FILE = await dataFile(t, data)
  const { origin } = await startVitrine(t, { DATA_FILE, JSON_SERVER: version, ...settings })
  return origin
}
