import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { parse } from 'yaml'
import { findOrigin, projectFolder, spawnVitrine } from './support/start-vitrine.ts'

const folder = join(projectFolder, 'docs/fixtures')
const read = (name: string) => readFileSync(join(folder, name), 'utf8')

async function getUser(t: TestContext, flags: readonly string[]) {
  const started = spawnVitrine({ HOST: '0.0.0.0', PORT: '0', DATA_FRESH: 'on' }, flags)
  t.after(() => started.process.kill('SIGKILL'))
  const { port } = new URL(await findOrigin(started))
  return (await fetch(`http://localhost:${port}/users/7`)).json()
}

test('the fixture of pytest starts Vitrine with flags that it accepts', async (t) => {
  const fixture = read('test_users.py')
  const [, list = ''] = /flags = (\[.*\])/.exec(fixture) ?? []
  // The program of this test has no standard input: with this flag it would end at once.
  const flags = (parse(list) as string[]).filter((flag) => flag !== '--until-stdin-ends')
  assert.deepEqual(await getUser(t, [join(folder, 'stubs.yaml'), ...flags]), { id: 7, name: 'Ann' })
})

test('the container starts with a command that Vitrine accepts', async (t) => {
  const [, command = ''] = /withCommand\((\[.*\])\)/.exec(read('testcontainers.mjs')) ?? []
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
