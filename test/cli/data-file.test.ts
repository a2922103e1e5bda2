import assert from 'node:assert/strict'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { dataFile } from '../support/data-app.ts'
import { failedStart } from '../support/failed-start.ts'
import { until } from '../support/until.ts'
import { settingsIn, spawnVitrine, temporaryFolder } from '../support/start-vitrine.ts'
import { blog, read, run, start } from './start-data-file.ts'

test('the records stay changed, the file is not written, and a changed file is loaded with --reload', async (t) => {
  const file = await dataFile(t, blog)
  const settings = settingsIn(await temporaryFolder(t))
  const first = await start(t, settings, file)
  assert.match(first.output(), /^Loaded 2 records from \S+db\.json$/m)
  const response = await fetch(`${first.origin}/posts/1`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: '{"title":"Two"}',
  })
  assert.deepEqual(await response.json(), { id: 1, title: 'Two' })
  await first.stop()
  assert.deepEqual(JSON.parse(await readFile(file, 'utf8')), blog)

  const second = await start(t, settings, file)
  assert.match(second.output(), /^Kept 2 records in \S+; \S+db\.json was not loaded again$/m)
  assert.doesNotMatch(second.output(), /Loaded|changed/)
  assert.deepEqual(await read(`${second.origin}/posts`), [{ id: 1, title: 'Two' }])
  await second.stop()

  await writeFile(file, JSON.stringify({ articles: [{ id: 7, name: 'New' }] }))
  const third = await start(t, settings, file)
  const notice =
    /^The records in \S+db\.json \(or --id\) have changed\. The stored records are kept: --reload/m
  assert.match(third.output(), notice)
  assert.deepEqual(await read(`${third.origin}/posts`), [{ id: 1, title: 'Two' }])
  await third.stop()

  const fourth = await start(t, settings, file, '--reload')
  assert.deepEqual(await read(`${fourth.origin}/articles`), [{ id: 7, name: 'New' }])
  assert.equal((await fetch(`${fourth.origin}/posts`)).status, 404)
})

test('an invalid file stops the start with each problem, and nothing is loaded', async (t) => {
  const file = await dataFile(t, { ok: [{ id: 1 }], docs: [], posts: [{ id: 1, '': 2 }] })
  const settings = settingsIn(await temporaryFolder(t))
  const { status, lines } = await failedStart(t, settings, [file])
  assert.equal(status, 2)
  assert.deepEqual(lines, [
    `vitrine: ${file}: /docs is a path of the service: give it another name`,
    `vitrine: ${file}: /posts has a field without a name`,
  ])
  await writeFile(file, JSON.stringify(blog))
  const { origin } = await start(t, settings, file)
  assert.equal((await fetch(`${origin}/ok`)).status, 404)
  assert.deepEqual(await read(`${origin}/posts`), blog.posts)
})

test('with --fresh the file is loaded at each start, into memory', async (t) => {
  const file = await dataFile(t, blog)
  const { origin, output } = await start(t, {}, file, '--fresh', '--test-api')
  assert.match(output(), /^Loaded 2 records/)
  assert.deepEqual(await read(`${origin}/profile`), blog.profile)
  await writeFile(file, '{}')
  const response = await fetch(`${origin}/_vitrine/reset`, { method: 'POST' })
  assert.match(await response.text(), /Restart the service to load it/)
})

test('with --fresh and no file there are no records, and nothing is left behind', async (t) => {
  const TMPDIR = await temporaryFolder(t)
  const { origin, stop } = await start(t, { TMPDIR }, '--fresh')
  assert.deepEqual(await read(`${origin}/locations.json`), [])
  assert.equal((await readdir(TMPDIR)).length, 1)
  await stop()
  assert.deepEqual(await readdir(TMPDIR), [])
})

test('a change of the file is one line of the running service, which keeps its records', async (t) => {
  const file = await dataFile(t, blog)
  const { origin, output } = await start(t, settingsIn(await temporaryFolder(t)), file)
  await writeFile(file, '{"posts":[]}')
  await until(() => /db\.json has changed\. .* keeps its records: --reload/.test(output()))
  assert.deepEqual(await read(`${origin}/posts`), blog.posts)
})

test('with --watch a change of the file replaces the resources, and an invalid file does not', async (t) => {
  const file = await dataFile(t, blog)
  const { origin, output, stop } = await start(t, {}, file, '--fresh', '--watch', '--test-api')
  const headers = { 'content-type': 'application/json' }
  const create = () => fetch(`${origin}/posts`, { method: 'POST', headers, body: '{"title":"a"}' })
  assert.equal((await create()).status, 201)
  await writeFile(file, '{"posts": [')
  await until(() => output().includes('the records of before are still served'))
  assert.match(output(), /db\.json cannot be read as JSON/)
  const reset = await fetch(`${origin}/_vitrine/reset`, { method: 'POST' })
  assert.equal(reset.status, 409)
  assert.match(await reset.text(), /has changed since .*db\.json cannot be read as JSON/)
  assert.equal((await create()).status, 201)
  assert.equal((await fetch(`${origin}/posts/3`)).status, 200)
  const statuses = new Set<number>()
  await writeFile(file, JSON.stringify({ articles: [{ id: 1, title: 'New' }], posts: [] }))
  await until(async () => {
    statuses.add((await create()).status)
    return (await fetch(`${origin}/articles`)).status === 200
  })
  assert.deepEqual(await read(`${origin}/articles`), [{ id: 1, title: 'New' }])
  // Only the writes that the new records do not have are confirmed.
  for (const status of statuses) assert.ok([201, 503].includes(status), String(status))
  assert.equal((await fetch(`${origin}/profile`)).status, 405)
  await stop()
  assert.doesNotMatch(output(), /"level":50/)
})

test('with --watch each load has a database of its own, which is removed after its last response', async (t) => {
  const file = await dataFile(t, blog)
  const TMPDIR = await temporaryFolder(t)
  const { origin, output, stop } = await start(t, { TMPDIR }, file, '--fresh', '--watch')
  const databases = async () =>
    (await readdir(TMPDIR, { recursive: true })).filter((name) => name.endsWith('.db'))
  const [first, ...others] = await databases()
  assert.deepEqual(others, [])
  const events = await fetch(`${origin}/posts/events`)
  await writeFile(file, '{"posts": []}')
  await until(async () => JSON.stringify(await read(`${origin}/posts`)) === '[]')
  await events.text()
  await until(async () => (await databases()).length === 1)
  assert.notDeepEqual(await databases(), [first])
  await stop()
  assert.deepEqual(await readdir(TMPDIR), [])
  assert.doesNotMatch(output(), /"level":50/)
})

test('two processes that start at once load the file once, serve all records and share ids', async (t) => {
  const posts = Array.from({ length: 5000 }, (_, index) => ({ id: index + 1, title: 'a' }))
  const file = await dataFile(t, { posts })
  const settings = settingsIn(await temporaryFolder(t))
  const replicas = await Promise.all([start(t, settings, file), start(t, settings, file)])
  assert.equal(
    replicas
      .map(({ output }) => output())
      .join('')
      .match(/Loaded/g)?.length,
    1,
  )
  for (const { origin } of replicas) {
    const { headers } = await fetch(`${origin}/posts?per_page=1`)
    assert.equal(headers.get('x-total-count'), '5000')
  }
  const headers = { 'content-type': 'application/json' }
  const created = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      fetch(`${replicas[index % 2]?.origin ?? ''}/posts`, { method: 'POST', headers, body: '{}' }),
    ),
  )
  const bodies = await Promise.all(created.map((response) => response.json()))
  assert.equal(new Set(bodies.map((body) => (body as { id: number }).id)).size, 20)
})

test('a load that was interrupted is started again', async (t) => {
  const posts = Array.from({ length: 50_000 }, (_, index) => ({ id: index + 1, title: 'a' }))
  const file = await dataFile(t, { posts })
  const settings = settingsIn(await temporaryFolder(t))
  const { process: child } = spawnVitrine({ PORT: '0', ...settings }, [file])
  const database = new URL(settings.DATABASE_URL).pathname
  // The first records are written long before the last.
  await until(() => (statSync(`${database}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 500_000)
  child.kill('SIGKILL')
  await once(child, 'exit')
  const { origin } = await start(t, settings, file)
  const { headers } = await fetch(`${origin}/posts?per_page=1`)
  assert.equal(headers.get('x-total-count'), '50000')
})

test('the problems of flags are found before anything is opened', async (t) => {
  const { lines } = await failedStart(t, {}, ['none.json', '--reload'])
  assert.deepEqual(lines, [
    'vitrine: none.json (DATA_FILE) must be an existing JSON or YAML file, or an http: or https: URL of one',
  ])
  const flags = ['--reload', '--json-server=1']
  assert.deepEqual((await failedStart(t, {}, flags)).lines, [
    'vitrine: --reload (DATA_RELOAD), --json-server (JSON_SERVER) cannot be used without a data file: vitrine db.json',
  ])
  const file = await dataFile(t, blog)
  assert.deepEqual((await failedStart(t, {}, [file, '--watch'])).lines, [
    'vitrine: --watch (DATA_WATCH) requires --fresh and a file, or stubs alone: vitrine db.json --fresh --watch',
  ])
})

test('a file of 10 MB with 100,000 records loads in a small heap', async (t) => {
  const posts = Array.from({ length: 100_000 }, (_, index) => ({
    id: index + 1,
    title: `Title of the post number ${String(index)}`,
    authorId: index % 100,
    views: index % 1000,
    published: index % 2 === 0,
  }))
  const file = await dataFile(t, { posts })
  const settings = settingsIn(await temporaryFolder(t))
  const NODE_OPTIONS = '--max-old-space-size=200'
  const { origin } = await start(t, { ...settings, NODE_OPTIONS }, file)
  const response = await fetch(`${origin}/posts?per_page=10&page=10000`)
  assert.equal(response.headers.get('x-total-count'), '100000')
  assert.equal(((await response.json()) as { id: number }[])[9]?.id, 100_000)
})

test('after a reset of a running service that is written to, the next start loads the file', async (t) => {
  const file = await dataFile(t, blog)
  const settings = settingsIn(await temporaryFolder(t))
  const first = await start(t, settings, file)
  let isResetting = true
  const write = async () => {
    const headers = { 'content-type': 'application/json' }
    const post = { method: 'POST', headers, body: '{"title":"New"}' }
    while (isResetting) assert.equal((await fetch(`${first.origin}/posts`, post)).status, 201)
    await fetch(`${first.origin}/posts`, post)
  }
  const writing = write()
  assert.match(await run(settings, 'reset'), /^Removed .*posts/)
  isResetting = false
  await writing
  await first.stop()
  const second = await start(t, settings, file)
  assert.match(second.output(), /^Loaded 2 records/)
  assert.deepEqual(await read(`${second.origin}/posts`), blog.posts)
})
