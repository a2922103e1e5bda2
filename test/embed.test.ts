import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { ModuleKind, transpileDeclaration } from 'typescript'
import { buildApp, type Vitrine, type VitrineOptions } from '../src/embed.ts'
import { resources } from '../src/demos/catalogue.ts'
import { projectFolder, temporaryFolder } from './support/start-vitrine.ts'
import './support/with-test-demos.js'

async function openVitrine(t: TestContext, options?: VitrineOptions): Promise<Vitrine> {
  const vitrine = await buildApp(options)
  t.after(() => vitrine.stop())
  return vitrine
}

async function listOf(origin: string, path: string): Promise<{ name: string }[]> {
  const response = await fetch(origin + path, { headers: { accept: 'application/json' } })
  return (await response.json()) as { name: string }[]
}

async function post(origin: string, path: string, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json', accept: 'application/json' }
  return fetch(origin + path, { method: 'POST', headers, body: JSON.stringify(body) })
}

/** The URLs of the resources that are seeded. */
const seeded = resources.map(({ name }) => `/${name}`)

test('a service opens on its own port, is seeded and reset, and is closed in the end', async (t) => {
  const vitrine = await openVitrine(t)
  const origin = await vitrine.start()
  assert.match(origin, /^http:\/\/127\.0\.0\.1:\d+$/)
  assert.equal((await post(origin, '/places', { name: 'Pier' })).status, 201)
  await vitrine.seed(120)
  for (const path of seeded) assert.equal((await listOf(origin, path)).length, 120)
  const form = new FormData()
  form.append('upfiles', new Blob(['glass']), 'glass.txt')
  assert.equal((await fetch(`${origin}/profile`, { method: 'POST', body: form })).status, 200)
  await vitrine.reset()
  for (const path of [...seeded, '/places', '/uploads']) {
    await t.test(path, async () => {
      assert.deepEqual(await listOf(origin, path), [])
    })
  }
  await vitrine.stop()
  await assert.rejects(fetch(origin))
})

test('several services run side by side, with separate records', async (t) => {
  const vitrines = await Promise.all([1, 2, 3].map(() => openVitrine(t)))
  const origins = await Promise.all(vitrines.map((vitrine) => vitrine.start()))
  assert.equal(new Set(origins).size, 3)
  const [first = '', second = ''] = origins
  await post(first, '/places', { name: 'Pier' })
  assert.deepEqual(await listOf(second, '/places'), [])
  await vitrines[1]?.reset()
  await vitrines[2]?.stop()
  assert.equal((await listOf(first, '/places')).length, 1)
})

test('a service can be seeded before it starts, a hundred times in a short time', async (t) => {
  const vitrine = await openVitrine(t)
  for (const count of [-1, 0.5, NaN]) await assert.rejects(vitrine.seed(count), RangeError)
  await vitrine.seed(0)
  await vitrine.seed(100)
  const origin = await vitrine.start()
  for (const path of seeded) assert.equal((await listOf(origin, path)).length, 100)
})

test('a second start or stop has no effect, and a stopped service is closed', async (t) => {
  const vitrine = await openVitrine(t)
  const [one, other] = await Promise.all([vitrine.start(), vitrine.start()])
  assert.equal(one, other)
  await Promise.all([vitrine.stop(), vitrine.stop()])
  await vitrine.stop()
  for (const send of [() => vitrine.start(), () => vitrine.reset(), () => vitrine.seed(1)]) {
    await assert.rejects(send(), /this Vitrine is stopped/)
  }
})

test('a stop before or during the start ends it', async (t) => {
  await (await openVitrine(t)).stop()
  const starting = await openVitrine(t)
  const started = starting.start()
  await starting.stop()
  await assert.rejects(fetch(await started))
})

test('requests in flight at a stop get a response', async (t) => {
  const vitrine = await openVitrine(t)
  const origin = await vitrine.start()
  await vitrine.seed(2000)
  const response = await fetch(origin + (seeded[0] ?? ''), {
    headers: { accept: 'application/json' },
  })
  const stopped = vitrine.stop()
  assert.equal(((await response.json()) as unknown[]).length, 2000)
  await stopped
})

test('settings are named as in the environment, and the environment itself is not read', async (t) => {
  const vitrine = await openVitrine(t, { settings: { MAX_BODY_BYTES: '1000', DEMOS: 'people' } })
  process.env.DEMOS = 'places'
  t.after(() => delete process.env.DEMOS)
  const origin = await vitrine.start()
  const tooLarge = { name: 'a'.repeat(2000), password: 'glass' }
  assert.equal((await post(origin, '/people', tooLarge)).status, 413)
  assert.equal((await fetch(`${origin}/places`)).status, 404)
  const other = await openVitrine(t)
  assert.equal((await fetch(`${await other.start()}/people`)).status, 200)
})

test('a port that is in use rejects the start, and a stop still works', async (t) => {
  const port = new URL(await (await openVitrine(t)).start()).port
  const second = await openVitrine(t, { settings: { PORT: port } })
  await assert.rejects(second.start(), /EADDRINUSE/)
  await second.stop()
})

const blog = { posts: [{ id: 1, title: 'One' }], users: [{ id: 'ann' }], profile: { name: 'Ann' } }

test('data are the resources, as they would be from a file, and a reset brings them back', async (t) => {
  const vitrine = await openVitrine(t, { data: blog })
  const origin = await vitrine.start()
  const read = async (name: string) => (await fetch(`${origin}/${name}`)).json()
  for (const [name, value] of Object.entries(blog)) assert.deepEqual(await read(name), value)
  assert.equal((await post(origin, '/posts', { title: 'Two' })).status, 201)
  assert.equal((await fetch(`${origin}/users/ann`, { method: 'DELETE' })).status, 204)
  await assert.rejects(vitrine.seed(1), /put the records into data/)
  await vitrine.reset()
  for (const [name, value] of Object.entries(blog)) assert.deepEqual(await read(name), value)
})

for (const [what, options, path, body] of [
  ['data', { data: blog }, '/posts', { title: 'Two' }],
  ['records', {}, '/places', { name: 'Pier' }],
] as const) {
  test(`${what} are reset while other requests write, again and again`, async (t) => {
    const vitrine = await openVitrine(t, options)
    const origin = await vitrine.start()
    const before = await listOf(origin, path)
    let isResetting = true
    const write = async () => {
      while (isResetting) assert.equal((await post(origin, path, body)).status, 201)
    }
    const writing = [write(), write(), write()]
    for (let round = 0; round < 5; round += 1) await vitrine.reset()
    await Promise.all([vitrine.reset(), vitrine.reset()])
    isResetting = false
    await Promise.all(writing)
    await vitrine.reset()
    assert.deepEqual(await listOf(origin, path), before)
  })
}

test('data may have the type of an interface', async (t) => {
  interface Post {
    id: number
    title: string
  }
  interface Data {
    posts: Post[]
  }
  const data: Data = { posts: [{ id: 1, title: 'One' }] }
  const origin = await (await openVitrine(t, { data })).start()
  assert.deepEqual(await listOf(origin, '/posts'), data.posts)
})

test('a schema says more about the data, and a dialect changes the responses', async (t) => {
  const schema = { posts: { required: ['title'], properties: { title: { minLength: 3 } } } }
  const strict = await (await openVitrine(t, { data: blog, schema })).start()
  assert.equal((await post(strict, '/posts', { title: '' })).status, 422)
  const like = await (await openVitrine(t, { data: blog, dialect: '0.17' })).start()
  assert.deepEqual(await (await fetch(`${like}/posts/9`)).json(), {})
  assert.deepEqual(await (await fetch(`${like}/db`)).json(), blog)
})

test('a test file that used data ends by itself after the stop, also with an open stream', async (t) => {
  const folder = await temporaryFolder(t)
  const program = `
    import { buildApp } from '${projectFolder}src/embed.ts'
    const vitrine = await buildApp({ data: { posts: [{ id: 1 }] }, settings: { TEST_API: 'on' } })
    const origin = await vitrine.start()
    const events = await fetch(origin + '/posts/events')
    await fetch(origin + '/posts/1', { method: 'DELETE' })
    await fetch(origin + '/_vitrine/reset', { method: 'POST' })
    const text = events.text()
    await vitrine.stop()
    console.log((await text).match(/^event: .*$/gm).join(' '))`
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '-e', program],
    { env: { TMPDIR: folder }, cwd: folder, timeout: 120_000 },
  )
  assert.match(stdout, /^event: (deleted event: )?reset\n$/)
  assert.equal(stderr, '')
  assert.deepEqual(await readdir(folder), [])
})

test('a program that embeds the service prints nothing, ends by itself and leaves nothing behind', async (t) => {
  const folder = await temporaryFolder(t)
  const program = `
    import { buildApp } from '${projectFolder}src/embed.ts'
    const before = process.listenerCount('SIGTERM') + process.listenerCount('SIGINT')
    const vitrine = await buildApp()
    const origin = await vitrine.start()
    await vitrine.seed(5)
    const { length } = await (await fetch(origin + '/users.json')).json()
    if (length !== 5) throw new Error(String(length))
    if (process.listenerCount('SIGTERM') + process.listenerCount('SIGINT') !== before) throw new Error('listens')
    await vitrine.stop()`
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '-e', program],
    { env: { TMPDIR: folder, PORT: '1', DATABASE_URL: 'nonsense', DEMOS: 'attic' }, cwd: folder },
  )
  assert.deepEqual([stdout, stderr], ['', ''])
  assert.deepEqual(await readdir(folder), [])
})

test('the records of a program that was killed are removed by the next one', async (t) => {
  const TMPDIR = await temporaryFolder(t)
  const runProgram = (end: string) => {
    const program = `
      import { buildApp } from '${projectFolder}src/embed.ts'
      const vitrine = await buildApp()
      ${end}`
    const args = ['--input-type=module', '-e', program]
    return promisify(execFile)(process.execPath, args, { env: { TMPDIR }, cwd: TMPDIR })
  }
  await assert.rejects(runProgram("process.kill(process.pid, 'SIGKILL')"), { signal: 'SIGKILL' })
  assert.ok((await readdir(TMPDIR, { recursive: true })).some((name) => name.endsWith('.db')))
  await runProgram('await vitrine.stop()')
  assert.deepEqual(await readdir(TMPDIR), [])
})

test('what an earlier process of the same number has left is removed, as in a container', async (t) => {
  const TMPDIR = await temporaryFolder(t)
  const program = `
    import { mkdirSync, utimesSync } from 'node:fs'
    import { hostname, tmpdir } from 'node:os'
    import { buildApp } from '${projectFolder}src/embed.ts'
    const name = (id) => tmpdir() + '/vitrine-fresh-' + hostname() + '-' + process.pid + '-' + id.repeat(36)
    for (const id of ['a', 'b']) mkdirSync(name(id))
    utimesSync(name('a'), 0, 0)
    const vitrine = await buildApp()
    await vitrine.stop()`
  const args = ['--input-type=module', '-e', program]
  await promisify(execFile)(process.execPath, args, { env: { TMPDIR }, cwd: TMPDIR })
  assert.deepEqual(
    (await readdir(TMPDIR)).map((name) => name.slice(-36)),
    ['b'.repeat(36)],
  )
})

test('the type declaration is self-contained: a program needs no other types', async () => {
  const source = await readFile(join(projectFolder, 'src', 'embed.ts'), 'utf8')
  const { outputText, diagnostics } = transpileDeclaration(source, {
    reportDiagnostics: true,
    compilerOptions: { module: ModuleKind.NodeNext },
  })
  assert.deepEqual(diagnostics, [])
  assert.match(outputText, /export interface Vitrine \{/)
  assert.doesNotMatch(outputText, /\bimport\b|\breference\b/)
})

test('a stop waits for responses in flight, which arrive whole', async () => {
  const vitrine = await buildApp()
  const seeding = vitrine.seed(500)
  await vitrine.stop()
  await seeding
})
