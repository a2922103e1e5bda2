import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { demos } from '../src/demos/catalogue.ts'
import { withoutPatterns } from '../src/http/openapi/route.ts'
import { listRoutes } from './support/routes.ts'
import { testApp } from './support/test-app.ts'

const root = join(import.meta.dirname, '..')

test('npm run routes prints every URL, with the file of its handler', async (t) => {
  const { stdout } = await promisify(execFile)(process.execPath, [join(root, 'scripts/routes.ts')])
  const rows = stdout.trimEnd().split('\n')
  const printed = new Map<string, string>()
  for (const row of rows) {
    await t.test(row, () => {
      const [, url = '', summary = '', file = ''] = row.trimEnd().split(/ {2,}/)
      assert.notEqual(summary, '')
      printed.set(url, file)
    })
  }
  const routes = await listRoutes(await testApp(t, { demos }))
  const paths = new Set(routes.map(({ path }) => withoutPatterns(path)))
  // The tree of Fastify does not show the whole path of a wildcard.
  const isWhole = (path: string) => !path.endsWith('*')
  assert.deepEqual(
    [...printed.keys()].filter(isWhole).toSorted(),
    [...paths].filter(isWhole).toSorted(),
  )
  for (const [url, file] of printed) {
    await t.test(`${url} has its handler in ${file}`, async () => {
      assert.match(await readFile(join(root, file), 'utf8'), /handle|endpoint/i)
    })
  }
})
