import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { environment } from './installed-package.ts'
import { words } from '../support/words.ts'
import { projectFolder } from '../support/start-vitrine.ts'

const run = promisify(execFile)
const notCopied = ['node_modules', '.git']
const generalTests = words`
  test/demos-alone.test.ts test/docs.test.ts test/openapi.test.ts test/routes.test.ts
  src/site/home/home.test.ts src/site/navigation.test.ts
`

test('a demo is deleted with its folder and its line', async (t) => {
  const copy = await mkdtemp(join(tmpdir(), 'vitrine-without-'))
  t.after(() => rm(copy, { recursive: true }))
  for (const path of await readdir(projectFolder)) {
    if (notCopied.includes(path)) continue
    await cp(join(projectFolder, path), join(copy, path), { recursive: true })
  }
  await symlink(join(projectFolder, 'node_modules'), join(copy, 'node_modules'))
  const options = { cwd: copy, env: environment }
  await remove(copy, 'topic')
  // Other demos, as the one below, are examples in these tests and in the commands of the documentation.
  await run(process.execPath, ['--test', ...generalTests], options)

  await remove(copy, 'users')
  await run(process.execPath, [join(copy, 'node_modules/typescript/bin/tsc')], options)
  const { stdout } = await run(process.execPath, ['scripts/routes.ts'], options)
  assert.doesNotMatch(stdout, /src\/demos\/(users|topic)\//)
})

async function remove(copy: string, name: string): Promise<void> {
  await rm(join(copy, 'src/demos', name), { recursive: true })
  const path = join(copy, 'src/demos/catalogue.ts')
  const isOfDemo = (line: string) =>
    line.includes(`/${name}/`) || /^ {2}(toResourceDemo\()?(\w+)/.exec(line)?.[2] === name
  const lines = (await readFile(path, 'utf8')).split('\n')
  const others = lines.filter((line) => !isOfDemo(line))
  assert.equal(lines.length - others.length, 2, 'an import and a line')
  await writeFile(path, others.join('\n'))
}
