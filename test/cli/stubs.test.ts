import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { findOrigin, spawnVitrine, temporaryFolder, type Ending } from '../support/start-vitrine.ts'
import { until } from '../support/until.ts'

async function start(t: Ending, contents: string, flags: (file: string) => string[]) {
  const folder = await temporaryFolder(t)
  const file = join(folder, 'stubs.yaml')
  await writeFile(file, contents)
  const settings = { PORT: '0', FILES_URL: `file:${folder}`, DATABASE_URL: 'sqlite::memory:' }
  const started = spawnVitrine(settings, flags(file))
  t.after(() => started.process.kill('SIGKILL'))
  return { ...started, file }
}

for (const [what, contents, flags] of [
  ['a file of YAML', '# Stubs\n"GET /x":\n  body: one\n', []],
  ['a file of JSON', '{\n  "GET /x": { "body": "one" } }', []],
  ['the flag', 'GET /x: { body: one }', ['--responses']],
] as const) {
  test(`${what} has the stubs, and --watch loads each change`, async (t) => {
    const { file, ...started } = await start(t, contents, (file) => [...flags, file, '--watch'])
    const origin = await findOrigin(started)
    const get = async () => (await fetch(`${origin}/x`)).text()
    assert.equal(await get(), 'one')
    await writeFile(file, contents.replace('one', 'two'))
    await until(async () => (await get()) === 'two')
    await writeFile(file, contents.replace('body', 'bodi'))
    await until(() => started.output().includes('was not loaded'))
    assert.match(started.output(), /"GET \/x"\/bodi is not allowed: use body/)
    assert.equal(await get(), 'two')
  })
}

for (const [what, contents, flags, problem] of [
  [
    'an unknown name',
    '"GET /x": { when: { quer.a: 1 } }',
    [],
    '"GET /x"/when/quer.a is an unknown name',
  ],
  ['a list', '- { status: 204 }', ['--responses'], ' must be an object like'],
] as const)
  test(`${what} stops the start with its place, and exit code 2`, async (t) => {
    const started = await start(t, contents, (file) => [...flags, file])
    await until(() => started.process.exitCode !== null)
    assert.equal(started.process.exitCode, 2)
    assert.ok(started.output().includes(`stubs.yaml: /${problem}`))
  })

test('the start names the paths that stubs come before', async (t) => {
  const started = await start(t, '"GET /status/:code": {}', (file) => [file])
  await findOrigin(started)
  assert.match(started.output(), /^Stubs come before GET \/status\/:code$/m)
})

test('a data file that begins with long comments is told apart from stubs', async (t) => {
  const comment = `# ${'- # '.repeat(50)}\n${'#'.repeat(200)}\n`
  const started = await start(t, `${comment}posts: [{ id: 1 }]\n`, (file) => [file])
  const origin = await findOrigin(started)
  assert.deepEqual(await (await fetch(`${origin}/posts?fields=id`)).json(), [{ id: 1 }])
})
