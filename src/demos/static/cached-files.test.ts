import assert from 'node:assert/strict'
import {
  link,
  mkdir,
  mkdtemp,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { testApp } from '../../../test/support/test-app.ts'
import { until } from '../../../test/support/until.ts'

const modified = 1e9

/** A file with the time of the last, whatever its bytes. */
async function write(path: string, content: string): Promise<void> {
  await writeFile(path, content)
  await utimes(path, modified, modified)
}

/** The app over a folder with `sub/digits.txt`, and a folder beside it that is not served. */
async function openFolder(t: TestContext) {
  const root = await mkdtemp(join(tmpdir(), 'vitrine-kept-'))
  t.after(() => rm(root, { recursive: true }))
  const folder = join(root, 'public')
  await mkdir(join(folder, 'sub'), { recursive: true })
  await mkdir(join(root, 'outside'))
  const file = join(folder, 'sub/digits.txt')
  await write(file, '0123456789')
  await write(join(root, 'outside/digits.txt'), '0123456789')
  const app = await testApp(t, { settings: { PUBLIC_DIR: folder } })
  return { root, folder, file, app }
}

const url = '/sub/digits.txt'

/** A file younger than a tick of the file system's clock is not cached. */
function letTimePass(t: TestContext): void {
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 10_000 })
}

/** The app of {@link openFolder}, with the file in its cache. */
async function openFilled(t: TestContext) {
  const opened = await openFolder(t)
  letTimePass(t)
  assert.equal((await opened.app.inject(url)).body, '0123456789')
  return opened
}

/** Waits for the next tick of the file system's clock, so that the next change has another time. */
async function untilNextTick(file: string): Promise<void> {
  const { ctimeMs } = await stat(file)
  const other = `${file}.tick`
  await until(async () => {
    await writeFile(other, '')
    return (await stat(other)).ctimeMs > ctimeMs
  })
  await rm(other)
}

test('a cached file gets the same response as one read from disk', async (t) => {
  const { app, file } = await openFolder(t)
  const { etag = '' } = (await app.inject(url)).headers
  const digests = { 'want-repr-digest': 'sha-256=1', 'want-content-digest': 'sha-512=1' }
  const cases: Record<string, string>[] = [
    {},
    { range: 'bytes=2-4' },
    { range: 'bytes=-3' },
    { range: 'bytes=10-' },
    { range: 'bytes=2-4', 'if-range': etag },
    { range: 'bytes=2-4', 'if-range': '"other"' },
    { 'if-none-match': etag },
    { 'if-none-match': '"other"' },
    { 'if-match': '"other"' },
    { 'if-modified-since': new Date(modified * 1000).toUTCString() },
    digests,
    { ...digests, range: 'bytes=2-4' },
  ]
  const sendAll = async () => {
    const responses: unknown[] = []
    for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS'] as const) {
      for (const headers of cases) {
        const { statusCode, body, ...response } = await app.inject({ method, url, headers })
        const ofTheMoment = ['date', 'x-request-id', 'server-timing']
        const fields = Object.entries(response.headers).filter(
          ([name]) => !ofTheMoment.includes(name),
        )
        const text = statusCode < 400 ? body : ''
        responses.push({ method, headers, statusCode, text, fields: Object.fromEntries(fields) })
      }
    }
    return responses
  }
  const read = await sendAll()
  letTimePass(t)
  assert.equal((await app.inject(url)).body, '0123456789')
  assert.deepEqual(await sendAll(), read)
  assert.deepEqual(await sendAll(), read)
  await rm(file)
  assert.equal((await app.inject(url)).statusCode, 404)
})

for (const coding of ['identity', 'zstd', 'br', 'gzip']) {
  test(`HEAD as the first request for a file has the headers of GET: ${coding}`, async (t) => {
    const { app, folder } = await openFolder(t)
    await write(join(folder, 'words.txt'), 'words '.repeat(1000))
    letTimePass(t)
    const request = { url: '/words.txt', headers: { 'accept-encoding': coding } }
    const head = await app.inject({ ...request, method: 'HEAD' })
    const get = await app.inject(request)
    for (const name of ['content-length', 'content-encoding', 'content-type', 'etag', 'vary']) {
      assert.equal(head.headers[name], get.headers[name], name)
    }
    assert.equal(get.headers['content-length'], String(get.rawPayload.length))
  })
}

test('a file that was rewritten is never served from the cache, even within one clock tick', async (t) => {
  const { app, file } = await openFolder(t)
  for (let round = 0; round < 200; round += 1) {
    const content = String(round).padStart(10, '0')
    // Through the same inode, and of the same size and time.
    await write(file, content)
    assert.equal((await app.inject(url)).body, content)
    assert.equal((await app.inject(url)).body, content)
  }
})

test('a cached file is removed from the cache however it changes', async (t) => {
  const { app, file, root } = await openFilled(t)
  const changes: (() => Promise<void>)[] = [
    () => write(file, 'abcdefghij'),
    () => write(file, 'shorter'),
    () => writeFile(file, 'abcdefghij'),
    async () => {
      await write(join(root, 'other'), 'ABCDEFGHIJ')
      await rename(join(root, 'other'), file)
    },
  ]
  for (const change of changes) {
    await untilNextTick(file)
    const before = await app.inject(url)
    assert.equal((await app.inject(url)).body, before.body)
    await change()
    const after = await app.inject(url)
    assert.equal(after.statusCode, 200)
    assert.notEqual(after.body, before.body)
    assert.equal(after.headers['content-length'], String(after.body.length))
  }
})

test('a cached file is removed from the cache when its name leads to another file', async (t) => {
  for (const name of ['sub', 'sub/digits.txt']) {
    await t.test(name, async () => {
      const { app, folder, root } = await openFilled(t)
      t.mock.timers.reset()
      await rename(join(folder, name), join(root, 'moved'))
      assert.equal((await app.inject(url)).statusCode, 404)
      // The same bytes and time, but outside the folder.
      await symlink(join(root, name.replace('sub', 'outside')), join(folder, name))
      assert.equal((await app.inject(url)).statusCode, 404)
    })
  }
})

for (const target of ['outside/moved', 'public/.hidden']) {
  test(`a folder that was replaced by a link to where it was moved, ${target}, gets 404`, async (t) => {
    const { app, folder, root } = await openFolder(t)
    await mkdir(join(folder, 'sub/deep'))
    await write(join(folder, 'sub/deep/a.txt'), 'a')
    await write(join(folder, 'sub/index.html'), 'index')
    letTimePass(t)
    const urls = [url, '/sub', '/sub/deep/a.txt']
    for (const each of urls) assert.equal((await app.inject(each)).statusCode, 200, each)
    await rename(join(folder, 'sub'), join(root, target))
    await symlink(join(root, target), join(folder, 'sub'))
    for (const each of urls) assert.equal((await app.inject(each)).statusCode, 404, each)
  })
}

test('with a link as PUBLIC_DIR, a cached file is of the folder to which it leads now', async (t) => {
  const { root, folder } = await openFolder(t)
  const publicLink = join(root, 'link')
  await symlink(folder, publicLink)
  const app = await testApp(t, { settings: { PUBLIC_DIR: publicLink } })
  letTimePass(t)
  for (let count = 0; count < 2; count += 1)
    assert.equal((await app.inject(url)).body, '0123456789')
  await rm(publicLink)
  await mkdir(join(root, 'outside/sub'))
  await write(join(root, 'outside/sub/digits.txt'), 'other')
  await symlink(join(root, 'outside'), publicLink)
  assert.equal((await app.inject(url)).body, 'other')
})

test('a file that has just changed has a weak tag, and later the same as a strong tag', async (t) => {
  const { app, folder } = await openFolder(t)
  await writeFile(join(folder, 'new.txt'), 'first')
  const { mtimeMs } = await stat(join(folder, 'new.txt'))
  t.mock.timers.enable({ apis: ['Date'], now: mtimeMs + 1000 })
  const send = async (headers = {}) => app.inject({ url: '/new.txt', headers })
  const etag = String((await send()).headers.etag)
  assert.match(etag, /^W\/"/)
  const part = { range: 'bytes=0-1', 'if-range': etag }
  assert.equal((await send(part)).statusCode, 200)
  t.mock.timers.setTime(mtimeMs + 10_000)
  const strong = etag.slice(2)
  for (let count = 0; count < 2; count += 1) {
    assert.equal((await send()).headers.etag, strong)
    assert.equal((await send({ 'if-none-match': etag })).statusCode, 304)
    assert.equal((await send({ ...part, 'if-range': strong })).statusCode, 206)
  }
})

test('a link that now leads to another file serves that file at once', async (t) => {
  const { app, folder } = await openFolder(t)
  for (const name of ['a', 'b']) await write(join(folder, `${name}.txt`), name)
  letTimePass(t)
  for (const name of ['a', 'b', 'a']) {
    await t.test(name, async () => {
      await symlink(`${name}.txt`, join(folder, 'new-link'))
      await rename(join(folder, 'new-link'), join(folder, 'link.txt'))
      for (let count = 0; count < 3; count += 1) {
        assert.equal((await app.inject('/link.txt')).body, name)
      }
    })
  }
})

test('a link that now leads to another name of the same file has its media type at once', async (t) => {
  const { app, folder } = await openFolder(t)
  await write(join(folder, 'a.txt'), 'a')
  await link(join(folder, 'a.txt'), join(folder, 'a.css'))
  letTimePass(t)
  for (const [name, type] of [
    ['a.txt', 'text/plain; charset=utf-8'],
    ['a.css', 'text/css; charset=utf-8'],
  ] as const) {
    await t.test(`${name} ${type}`, async () => {
      await symlink(name, join(folder, 'new-link'))
      await rename(join(folder, 'new-link'), join(folder, 'link.txt'))
      for (let count = 0; count < 3; count += 1) {
        assert.equal((await app.inject('/link.txt')).headers['content-type'], type)
      }
    })
  }
})

test('the index of a folder is cached while it is the index', async (t) => {
  const { app, folder, file } = await openFolder(t)
  const index = join(folder, 'sub/index.html')
  await write(index, 'first')
  letTimePass(t)
  for (const path of ['/sub', '/sub/', '/sub']) assert.equal((await app.inject(path)).body, 'first')
  await untilNextTick(index)
  await write(index, 'other')
  assert.equal((await app.inject('/sub')).body, 'other')
  await rm(index)
  assert.equal((await app.inject('/sub')).statusCode, 404)
  assert.equal((await app.inject(url)).body, '0123456789')
  await rm(file)
  assert.equal((await app.inject(url)).statusCode, 404)
})
