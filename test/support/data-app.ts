import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryFolder, type Ending } from './start-vitrine.ts'
import { testApp, type OpeningTest } from './test-app.ts'

/** The path of a new file with these contents, which are JSON unless they are text. */
export async function dataFile(t: Ending, contents: unknown, name = 'db.json') {
  const file = join(await temporaryFolder(t), name)
  await writeFile(file, typeof contents === 'string' ? contents : JSON.stringify(contents))
  return file
}

interface DataApp {
  name?: string
  schema?: unknown
  settings?: Record<string, string>
}

/** The app with the resources of a data file and, unless DEMOS is set, the smallest demo, in a new database. */
export async function dataApp(t: OpeningTest, contents: unknown, options: DataApp = {}) {
  const { name, schema, settings } = options
  const DATA_FILE = await dataFile(t, contents, name)
  const DATA_SCHEMA = schema === undefined ? '' : await dataFile(t, schema, 'schema.json')
  return testApp(t, { settings: { DEMOS: 'mirror', DATA_FILE, DATA_SCHEMA, ...settings } })
}
