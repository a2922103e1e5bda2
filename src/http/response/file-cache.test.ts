import assert from 'node:assert/strict'
import { mkdtemp, open, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { createFileCache } from './file-cache.ts'

/** Writes files, and caches them as `name`. */
async function openCache(t: TestContext, limits: Parameters<typeof createFileCache>[0]) {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-cache-'))
  t.after(() => rm(folder, { recursive: true }))
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 10_000 })
  const cache = createFileCache<string>(limits)
  const read = async (name: string, size: number) => {
    const path = join(folder, name)
    await writeFile(path, Buffer.alloc(size, name))
    const version = await stat(path)
    return { path, version, content: await cache.read(() => open(path), version) }
  }
  const add = async (name: string, size: number) => {
    const { path, version, content = assert.fail(`${name} is not read`) } = await read(name, size)
    assert.equal(content.length, size)
    cache.add(name, { path, folders: [], version, metadata: name })
    return { path, version }
  }
  return { cache, read, add }
}

test('the least recently used file is removed from a full cache', async (t) => {
  const { cache, add } = await openCache(t, { maxFileBytes: 50_000, maxBytes: 150_000 })
  for (const name of ['a', 'b', 'c']) await add(name, 40_000)
  assert.equal(cache.find('a'), 'a')
  await add('d', 40_000)
  assert.equal(cache.find('b'), undefined)
  for (const name of ['a', 'c', 'd']) assert.equal(cache.find(name), name)
})

test('a file that is added again is counted once', async (t) => {
  const { cache, add } = await openCache(t, { maxFileBytes: 50_000, maxBytes: 100_000 })
  await add('a', 40_000)
  for (let count = 0; count < 10; count += 1) await add('b', 40_000)
  for (const name of ['a', 'b']) assert.equal(cache.find(name), name)
})

test('empty files fill the cache too', async (t) => {
  const { cache, add } = await openCache(t, { maxFileBytes: 1000, maxBytes: 50_000 })
  const names = Array.from({ length: 50 }, (_, index) => `file-${String(index)}`)
  for (const name of names) await add(name, 0)
  assert.ok(names.filter((name) => cache.find(name)).length <= 12)
})

test('a file that is too large, too new or changed is not read', async (t) => {
  const { cache, read } = await openCache(t, { maxFileBytes: 1000, maxBytes: 10_000 })
  assert.equal((await read('a', 1001)).content, undefined)
  const { path, version, content } = await read('b', 1000)
  assert.deepEqual(content, Buffer.alloc(1000, 'b'))
  const others = [{ size: 999 }, { size: 1001 }, { ino: 0 }, { dev: -1 }, { mtimeMs: 0 }]
  for (const other of [...others, { ctimeMs: version.ctimeMs - 1 }]) {
    await t.test(JSON.stringify(other), async () => {
      const { dev, ino, size, mtimeMs, ctimeMs } = version
      const asFound = { dev, ino, size, mtimeMs, ctimeMs, ...other }
      assert.equal(await cache.read(() => open(path), asFound), undefined)
    })
  }
  t.mock.timers.setTime(version.ctimeMs + 1999)
  assert.equal(await cache.read(() => open(path), version), undefined)
})

test('a file that changed is removed', async (t) => {
  const { cache, add } = await openCache(t, { maxFileBytes: 1000, maxBytes: 10_000 })
  const { path, version } = await add('a', 10)
  assert.equal(cache.find('a'), 'a')
  await utimes(path, 1, 1)
  assert.equal(cache.find('a'), undefined)
  await utimes(path, version.atime, version.mtime)
  assert.equal(cache.find('a'), undefined)
})
