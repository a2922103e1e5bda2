// Prints every URL of the service with its methods, its summary and the file of its handler.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { isAbsolute, join, relative } from 'node:path'
import { createApp } from '../src/app.ts'
import { loadConfig } from '../src/config/config.ts'
import { openDemos } from '../src/data-file/data-demos.ts'
import { demos } from '../src/demos/catalogue.ts'
import { withoutPatterns } from '../src/http/openapi/route.ts'
import { openStores } from '../src/stores/open-stores.ts'

const folder = mkdtempSync(join(tmpdir(), 'vitrine-'))
const settings = {
  DATABASE_URL: 'sqlite::memory:',
  FILES_URL: `file:${folder}`,
  LOG_LEVEL: 'silent',
}
const root = join(import.meta.dirname, '..')
const settled = loadConfig(
  settings,
  demos.map(({ name }) => name),
)
const stores = await openStores(settled)
const served = await openDemos(settled, demos, { services: stores })
const app = await createApp({ ...served, stores })
const rows = app.declaredRoutes.map(({ method, url, summary, file }) => [
  [method].flat().length > 5 ? '*' : [method].flat().join(','),
  withoutPatterns(url),
  summary,
  isAbsolute(file) ? relative(root, file) : file,
])
const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
for (const row of rows.toSorted(([, one = ''], [, other = '']) => one.localeCompare(other))) {
  console.log(row.map((text, column) => text.padEnd(widths[column] ?? 0)).join('  '))
}
await app.close()
await stores.close()
rmSync(folder, { recursive: true })
