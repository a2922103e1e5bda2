import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { lstat, readFile, readdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { dataFile } from '../support/data-app.ts'
import {
  projectFolder,
  settingsIn,
  spawnVitrine,
  temporaryFolder,
} from '../support/start-vitrine.ts'
import { blog, run, start } from './start-data-file.ts'

/** In the form of an export, with a second post that only the database has. */
const exported = `${JSON.stringify(
  {
    posts: [...blog.posts, { id: 2, title: 'Two' }],
    empty: [],
    profile: blog.profile,
    nextId: 3,
    tags: [],
  },
  null,
  2,
)}\n`

/** A file that was loaded, with a schema for its last resource, and records that were changed since. */
async function loadedFile(t: TestContext) {
  const tags = { properties: { name: { minLength: 1 } } }
  const { posts, profile } = blog
  const file = await dataFile(t, {
    $schema: { tags },
    posts,
    empty: [],
    profile,
    nextId: 3,
    tags: [],
  })
  const settings = settingsIn(await temporaryFolder(t))
  const { origin } = await start(t, settings, file)
  const headers = { 'content-type': 'application/json' }
  await fetch(`${origin}/posts`, { method: 'POST', headers, body: '{"title":"Two"}' })
  return { file, settings, folder: await temporaryFolder(t) }
}

test('an export has the stored records in the order of the file, one member a line', async (t) => {
  const { file, settings, folder } = await loadedFile(t)
  const out = join(folder, 'out.json')
  const database = new URL(settings.DATABASE_URL).pathname
  const counts = 'Saved 2 posts, 1 profile, 1 nextId'
  const line = `${counts} of ${database} to ${out}\n`
  assert.equal(await run(settings, file, 'export', out), line)
  assert.equal(await readFile(out, 'utf8'), exported)
  assert.deepEqual(await readdir(folder), ['out.json'])
  // A backup counts the same.
  assert.match(
    await run(settings, 'backup', join(folder, 'backup')),
    /^Saved 2 posts, 1 nextId, 1 profile /,
  )
})

test('an export to a link creates the file that the link names, and replaces none', async (t) => {
  const { file, settings, folder } = await loadedFile(t)
  const link = join(folder, 'chain.json')
  await symlink(join(folder, 'first'), join(folder, 'missing.json'))
  await symlink('missing.json', link)
  assert.match(await run(settings, file, 'export', link), /^Saved 2 posts/)
  assert.ok((await lstat(link)).isSymbolicLink())
  assert.equal(await readFile(link, 'utf8'), exported)
  await writeFile(join(folder, 'first'), 'old')
  assert.match(await run(settings, file, 'export', link), /first already exists$/m)
  assert.equal(await readFile(link, 'utf8'), 'old')
  assert.equal((await readdir(folder)).length, 3)
})

test('an export to a FIFO is written to it', async (t) => {
  const { file, settings, folder } = await loadedFile(t)
  const fifo = join(folder, 'fifo')
  execFileSync('mkfifo', [fifo])
  const [text, output] = await Promise.all([
    readFile(fifo, 'utf8'),
    run(settings, file, 'export', fifo),
  ])
  assert.equal(text, exported)
  assert.match(output, /^Saved 2 posts/)
  assert.ok((await lstat(fifo)).isFIFO())
})

test('an export to - is standard output, and the message is on standard error', async (t) => {
  const { file, settings } = await loadedFile(t)
  const env = { PATH: process.env.PATH, ...settings }
  const args = ['bin/vitrine.js', file, 'export', '-']
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { cwd: projectFolder, env })
  assert.deepEqual([String(stdout), status], [exported, 0])
  assert.match(String(stderr), /^Saved 2 posts, 1 profile, 1 nextId of \S+ to standard output$/m)
})

test('the data file is never the target, also by a link', async (t) => {
  const { file, settings, folder } = await loadedFile(t)
  const before = await readFile(file, 'utf8')
  const link = join(folder, 'link.json')
  await symlink(file, link)
  for (const target of [file, link])
    assert.match(await run(settings, file, 'export', target), /already exists$/m)
  assert.equal(await readFile(file, 'utf8'), before)
})

test('an export with --fresh names what to do', async (t) => {
  const file = await dataFile(t, blog)
  const problem = /records of --fresh .*: start the service without it$/m
  assert.match(await run({}, file, 'export', 'out.json', '--fresh'), problem)
})

test('a backup to a link that has no file creates that file', async (t) => {
  const { settings, folder } = await loadedFile(t)
  const link = join(folder, 'link')
  await symlink('saved.vitrine', link)
  assert.match(await run(settings, 'backup', link), /^Saved 2 posts, 1 nextId, 1 profile /)
  assert.ok((await lstat(link)).isSymbolicLink())
  assert.deepEqual((await readdir(folder)).toSorted(), ['link', 'saved.vitrine'])
})

test('an export of 100,000 records takes little memory', async (t) => {
  const posts = Array.from({ length: 100_000 }, (_, index) => ({
    id: index + 1,
    text: 'a'.repeat(500),
  }))
  const file = await dataFile(t, { posts })
  const settings = settingsIn(await temporaryFolder(t))
  const { stop } = await start(t, settings, file)
  await stop()
  const out = join(await temporaryFolder(t), 'out.json')
  const { process: child, output } = spawnVitrine(
    { ...settings, NODE_OPTIONS: '--max-old-space-size=48' },
    [file, 'export', out],
  )
  await once(child, 'close')
  assert.match(output(), /^Saved 100,000 posts/)
  assert.equal((await readFile(out, 'utf8')).match(/^ {6}"id"/gm)?.length, 100_000)
})
