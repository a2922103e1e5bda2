import assert from 'node:assert/strict'
import { mkdtemp, open, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { createFileCache } from './file-cache.ts'

/** Makes files, and keeps them as `name`. */
async function openMemory(t: TestContext, limits: Parameters<typeof createFileCache>[0]) {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-memory-'))
  t.after(() => rm(folder, { recursive: true }))
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 10_000 })
  const memory = createFileCache<string>(limits)
  const read = async (name: string, size: number) => {
    const path = join(folder, name)
    await writeFile(path, Buffer.alloc(size, name))
    const version = await stat(path)
    await using file = await open(path)
    return {
      path,
      version,
      content: memory.accepts(version) ? await memory.read(file, version) : undefined,
    }
  }
  const keep = async (name: string, size: number) => {
    const { path, version, content = assert.fail(`${name} is not read`) } = await read(name, size)
    memory.add(name, { path, realPath: path, version, content, metadata: name })
    return { path, version }
  }
  return { memory, read, keep }
}

test('what was asked for longest ago leaves a memory that is full', async (t) => {
  const { memory, keep } = await openMemory(t, { maxFileBytes: 50_000, maxBytes: 150_000 })
  for (const name of ['a', 'b', 'c']) await keep(name, 40_000)
  assert.equal(memory.find('a')?.metadata, 'a')
  await keep('d', 40_000)
  assert.equal(memory.find('b'), undefined)
  for (const name of ['a', 'c', 'd']) assert.equal(memory.find(name)?.metadata, name)
})

test('what is kept anew under its name takes no more room than it has', async (t) => {
  const { memory, keep } = await openMemory(t, { maxFileBytes: 50_000, maxBytes: 100_000 })
  await keep('a', 40_000)
  for (let count = 0; count < 10; count += 1) await keep('b', 40_000)
  for (const name of ['a', 'b']) assert.equal(memory.find(name)?.metadata, name)
})

test('files without content fill a memory too', async (t) => {
  const { memory, keep } = await openMemory(t, { maxFileBytes: 1000, maxBytes: 50_000 })
  const names = Array.from({ length: 50 }, (_, index) => `file-${String(index)}`)
  for (const name of names) await keep(name, 0)
  assert.ok(names.filter((name) => memory.find(name)).length <= 12)
})

test('a file that is too large, too young, or no longer what was found is not read', async (t) => {
  const { memory, read } = await openMemory(t, { maxFileBytes: 1000, maxBytes: 10_000 })
  assert.equal((await read('a', 1001)).content, undefined)
  const { path, version, content } = await read('b', 1000)
  assert.deepEqual(content, Buffer.alloc(1000, 'b'))
  await using file = await open(path)
  const others = [{ size: 999 }, { size: 1001 }, { ino: 0 }, { dev: -1 }, { mtimeMs: 0 }]
  for (const other of [...others, { ctimeMs: version.ctimeMs - 1 }]) {
    const { dev, ino, size, mtimeMs, ctimeMs } = version
    const asFound = { dev, ino, size, mtimeMs, ctimeMs, ...other }
    assert.equal(await memory.read(file, asFound), undefined, JSON.stringify(other))
  }
  t.mock.timers.setTime(version.ctimeMs + 1999)
  assert.equal(memory.accepts(version), false)
})

test('a file that is found under another of its names is no longer kept', async (t) => {
  const { memory, keep } = await openMemory(t, { maxFileBytes: 1000, maxBytes: 10_000 })
  const { path, version } = await keep('a', 10)
  assert.equal(memory.confirm('a', { path, realPath: `${path}.html`, version }), undefined)
  assert.equal(memory.find('a'), undefined)
})

test('a careful look finds what is kept when it is that, and lets it go otherwise', async (t) => {
  const { memory, keep } = await openMemory(t, { maxFileBytes: 1000, maxBytes: 10_000 })
  const { path, version } = await keep('a', 10)
  const found = { path, realPath: path, version }
  assert.equal(memory.confirm('a', found)?.metadata, 'a')
  await utimes(path, 1, 1)
  assert.equal(memory.find('a'), undefined)
  assert.equal(memory.confirm('a', { ...found, version: await stat(path) }), undefined)
  assert.equal(memory.confirm('a', found), undefined)
})
