import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { environment } from './installed-package.ts'
import { projectFolder } from '../start-vitrine.ts'

const run = promisify(execFile)
const copied = ['src', 'test', 'public', 'scripts', 'bench', 'package.json', 'tsconfig.json']
const generalTests = [
  'test/crawl.test.ts',
  'test/demos-alone.test.ts',
  'test/openapi-replay.test.ts',
  'test/openapi.test.ts',
  'test/routes.test.ts',
  'src/site/docs/docs.test.ts',
  'src/site/home/home.test.ts',
  'src/site/problems/problems.test.ts',
]

for (const name of ['topic', 'toc', 'status']) {
  test(`the demo ${name} is deleted with its folder and its line in the catalogue`, async (t) => {
    const copy = await mkdtemp(join(tmpdir(), 'vitrine-without-'))
    t.after(() => rm(copy, { recursive: true }))
    for (const path of copied) {
      await cp(join(projectFolder, path), join(copy, path), { recursive: true })
    }
    await symlink(join(projectFolder, 'node_modules'), join(copy, 'node_modules'))
    await rm(join(copy, 'src/demos', name), { recursive: true })
    const catalogue = join(copy, 'src/demos/catalogue.ts')
    const lines = (await readFile(catalogue, 'utf8')).split('\n')
    const others = lines.filter((line) => !line.includes(`/${name}/`) && line !== `  ${name},`)
    assert.equal(lines.length - others.length, 2, 'an import and a line')
    await writeFile(catalogue, others.join('\n'))

    const options = { cwd: copy, env: environment }
    await run(process.execPath, [join(copy, 'node_modules/typescript/bin/tsc')], options)
    const { stdout } = await run(process.execPath, ['scripts/routes.ts'], options)
    assert.doesNotMatch(stdout, new RegExp(`src/demos/${name}/`))
    await run(process.execPath, ['--test', ...generalTests], options)
  })
}
