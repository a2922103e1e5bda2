import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { parse } from 'yaml'
import packageJson from '../package.json' with { type: 'json' }
import { projectFolder, startVitrine, temporaryFolder } from './support/start-vitrine.ts'
import { until } from './support/until.ts'

const guide = readFileSync(join(projectFolder, 'docs/testing-a-client.md'), 'utf8')
const [start = '', write = '', resume = '', validate = '', lose = '', find = ''] = Array.from(
  guide.matchAll(/```sh\n([^]*?)```/g),
  ([, script = '']) => script,
)
const run = promisify(execFile)

test('the script of docs/testing-a-client.md starts Vitrine, and ends it', async (t) => {
  const cwd = await temporaryFolder(t)
  const command = `"${process.execPath}" "${join(projectFolder, 'bin/vitrine.js')}"`
  const script = `${start.replace('node_modules/.bin/vitrine', command)}echo " $url"`
  const { stdout } = await run('sh', ['-c', script], { cwd, timeout: 60_000 })
  const [body, origin = ''] = stdout.trim().split(' ')
  assert.equal(body?.split('}').at(-2), '{"key":"my-test","requests":3,"status":200')
  assert.equal(new URL(origin).hostname, '127.0.0.1')
  // The shell does not wait for it.
  await until(() =>
    fetch(origin).then(
      () => false,
      () => true,
    ),
  )
})

test('the other commands of docs/testing-a-client.md', async (t) => {
  const { origin } = await startVitrine(t, { TEST_API: 'on' })
  const cwd = await temporaryFolder(t)
  const script = `url=${origin}\n${write.replace(/^url=.*/, '')}${find}${resume}${lose}${validate}`
  const { stdout } = await run('sh', ['-c', script], { cwd })
  assert.match(
    stdout,
    /"status":200\}\{"key":"my-key","requests":3,[^]*200\n206\n0123456789201 true\n[^]*"made":1,"validated":0\}304\n[^]*"made":1,"validated":1,/,
  )
  const archive: unknown = JSON.parse(readFileSync(join(cwd, 'failed.har'), 'utf8'))
  const { log } = archive as { log: { entries: { response: { status: number } }[] } }
  assert.deepEqual(
    log.entries.map(({ response }) => response.status),
    [0, 503, 200, 200],
  )
})

test('the workflow for CI installs the package of this version', () => {
  const [, text = ''] = /```yaml\n(on:[^]*?)```/.exec(guide) ?? []
  const { jobs } = parse(text) as { jobs: { test: { steps: { run?: string }[] } } }
  const commands = jobs.test.steps.flatMap((step) => step.run ?? [])
  const file = `./vendor/vitrine-${packageJson.version}.tgz`
  assert.deepEqual(commands, [`npm install --no-save ${file}`, 'pip install pytest', 'pytest'])
})
