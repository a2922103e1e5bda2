import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { projectFolder, temporaryFolder } from './support/start-vitrine.ts'

test('the example of node:test in docs/testing-a-frontend.md passes, and ends by itself', async (t) => {
  const text = await readFile(join(projectFolder, 'docs/testing-a-frontend.md'), 'utf8')
  const blocks = [...text.matchAll(/(?<=```js\n)[^]*?(?=```)/g)].map(([block]) => block)
  const example = blocks.find((block) => block.includes("'node:test'")) ?? ''
  const file = join(await temporaryFolder(t), 'posts.test.mjs')
  const source = join(projectFolder, 'src', 'embed.ts')
  await writeFile(file, example.replace("'vitrine'", JSON.stringify(source)))
  const run = promisify(execFile)
  const env = { PATH: process.env.PATH }
  const { stdout } = await run(process.execPath, ['--test', file], { env, timeout: 240_000 })
  assert.match(stdout, /^ℹ pass 4$/m)
  assert.match(stdout, /^ℹ fail 0$/m)
})
