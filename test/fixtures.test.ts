import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { parse } from 'yaml'
import { findOrigin, projectFolder, spawnVitrine } from './support/start-vitrine.ts'

const run = promisify(execFile)
const folder = join(projectFolder, 'docs/fixtures')
const read = (name: string) => readFileSync(join(folder, name), 'utf8')

async function getUser(t: TestContext, flags: readonly string[]) {
  const started = spawnVitrine({ HOST: '0.0.0.0', PORT: '0', DATA_FRESH: 'on' }, flags)
  t.after(() => started.process.kill('SIGKILL'))
  const { port } = new URL(await findOrigin(started))
  return (await fetch(`http://localhost:${port}/users/7`)).json()
}

test('the fixture of pytest starts Vitrine with stubs', async () => {
  const VITRINE = `${process.execPath} ${join(projectFolder, 'bin/vitrine.js')}`
  const args = ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', join(folder, 'test_users.py')]
  const env = { ...process.env, VITRINE, PYTHONDONTWRITEBYTECODE: '1' }
  const { stdout } = await run('python3', args, { env })
  assert.match(stdout, /2 passed/)
})

test('the container starts with a command that Vitrine accepts', async (t) => {
  const [, command = ''] = /withCommand\((\[.*\])\)/.exec(read('testcontainers.test.mjs')) ?? []
  const [file, ...flags] = parse(command) as string[]
  assert.equal(file, '/stubs/stubs.yaml')
  assert.deepEqual(await getUser(t, [join(folder, 'stubs.yaml'), ...flags]), { id: 7, name: 'Ann' })
})

test('the workflow starts Vitrine with flags that it accepts', async (t) => {
  const { jobs } = parse(read('workflow.yml')) as {
    jobs: { test: { steps: { run?: string }[] } }
  }
  const commands = jobs.test.steps.map((step) => step.run ?? '').join('\n')
  const [, flags = ''] = /vitrine stubs\.yaml --port 3000 (.*) &/.exec(commands) ?? []
  const stubs = join(folder, 'stubs.yaml')
  assert.deepEqual(await getUser(t, [stubs, ...flags.split(' ')]), { id: 7, name: 'Ann' })
})
