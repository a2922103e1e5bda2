import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { before, test } from 'node:test'
import { promisify } from 'node:util'
import { tmpdir } from 'node:os'
import { projectFolder } from './support/start-vitrine.ts'

const planted = [
  ['server/a.ts', 'demos/toc/toc.ts'],
  ['operations/a.ts', 'demos/toc/toc.ts'],
  ['operations/b.ts', 'stores/sqlite/database.ts'],
  ['config/a.ts', 'http/body/digest.ts'],
  ['cli/a.ts', 'site/page.ts'],
  ['app.ts', 'demos/toc/toc.ts'],
  ['http/a.ts', 'demos/toc/toc.ts'],
  ['http/b.ts', 'embed.ts'],
  ['site/a.ts', 'httpbin/a.ts'],
  ['site/b.ts', 'operations/log.ts'],
  ['server/b.ts', 'httpbin/a.ts'],
  ['server/c.ts', 'data-file/a.ts'],
  ['operations/c.ts', 'responses/a.ts'],
  ['limits/a.ts', 'httpbin/a.ts'],
  ['auth/a.ts', 'responses/a.ts'],
  ['resources/a.ts', 'httpbin/a.ts'],
  ['inspector/a.ts', 'responses/a.ts'],
  ['exchanges/a.ts', 'inspector/b.ts'],
  ['demos/bins/a.ts', 'inspector/c.ts'],
  ['demos/bins/b.ts', 'resources/list/a.ts'],
  ['http/c.ts', 'test-api/a.ts'],
  ['other/a.ts', 'http/errors/http-error.ts'],
  ['httpbin/b.ts', 'stores/sqlite/database.ts'],
] as const
let output = ''

before(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-layers-'))
  for (const path of planted.flat()) {
    await mkdir(dirname(join(folder, 'src', path)), { recursive: true })
    await writeFile(join(folder, 'src', path), 'export {}\n')
  }
  for (const [from, to] of planted) {
    await writeFile(
      join(folder, 'src', from),
      `import '${relative(dirname(join('src', from)), join('src', to)).replace(/^(?!\.)/, './')}'\n`,
    )
  }
  for (const name of ['.dependency-cruiser.cjs', 'tsconfig.json', 'package.json']) {
    await copyFile(join(projectFolder, name), join(folder, name))
  }
  await symlink(join(projectFolder, 'node_modules'), join(folder, 'node_modules'))
  const command = join(folder, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs')
  const args = [command, 'src', '--output-type', 'err']
  const { stdout } = await promisify(execFile)(
    'sh',
    ['-c', '"$@" || true', '-', process.execPath, ...args],
    { cwd: folder },
  )
  output = stdout
  await rm(folder, { recursive: true })
})

for (const [from, to] of planted) {
  test(`an import of ${to} in ${from} breaks a rule`, () => {
    assert.ok(output.includes(`src/${from} → src/${to}`), output)
  })
}
