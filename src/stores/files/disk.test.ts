import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { test, type TestContext } from 'node:test'
import { temporaryFolder } from '../../../test/support/start-vitrine.ts'
import { StoreFailure } from '../store-failure.ts'
import { openDiskFiles } from './disk.ts'
import { filesContract, toStream } from './files.contract.ts'

async function openFolder(t: TestContext) {
  const folder = join(await temporaryFolder(t), 'new', 'files')
  return { folder, files: await openDiskFiles(`file:${folder}`) }
}

filesContract('a folder', async (t) => {
  const { folder, files } = await openFolder(t)
  return { files, list: async () => readdir(folder) }
})

test('a sweep removes only pending files, and no file with a foreign name', async (t) => {
  const { folder, files } = await openFolder(t)
  await mkdir(join(folder, 'lost+found.part'))
  for (const name of ['.gitkeep', 'AAAAAAAA', 'my thesis.part', 'notes.txt']) {
    await writeFile(join(folder, name), 'years of work')
  }
  await files.save('z', toStream('orphan'))
  const all = await readdir(folder)
  await files.sweep(async () => false)
  assert.deepEqual(
    await readdir(folder),
    all.filter((name) => !name.startsWith('z')),
  )
})

test('a sweep by another process while a file is saved makes the save fail, and removes no stored file', async (t) => {
  const { folder, files } = await openFolder(t)
  const other = await openDiskFiles(`file:${folder}`)
  await files.save('a', toStream('content'))
  await other.sweep(async () => false)
  await assert.rejects(
    files.keep('a'),
    (error) => error instanceof StoreFailure && error.kind === 'unavailable',
  )
  await files.save('b', toStream('content'))
  await other.sweep(async () => true)
  await files.keep('b')
  assert.deepEqual(await readdir(folder), ['b'])
})

test('a folder that cannot be created is rejected with its URL', async (t) => {
  const folder = await temporaryFolder(t)
  await writeFile(join(folder, 'file'), '')
  const url = `file:${join(folder, 'file', 'below')}`
  await assert.rejects(openDiskFiles(url), (error: Error) => error.message.includes(url))
})

test('a missing folder is a failure of the store', async (t) => {
  const folder = await temporaryFolder(t)
  await mkdir(join(folder, 'files'))
  const files = await openDiskFiles(`file:${folder}/files`)
  await rm(join(folder, 'files'), { recursive: true })
  await assert.rejects(
    files.save('a', toStream('content')),
    (error) => error instanceof StoreFailure && error.kind === 'unavailable',
  )
})

test('a stream that is destroyed while its file is created leaves nothing', async (t) => {
  const { folder, files } = await openFolder(t)
  const breakOff = async (id: string) => {
    const content = new PassThrough().on('error', () => undefined)
    const saved = files.save(id, content)
    content.destroy(new Error('broken off'))
    await assert.rejects(saved)
  }
  // It is a matter of luck, and with two at once of little: of a thousand, ten would stay.
  for (let index = 0; index < 500; index += 1) {
    await Promise.all(['a', 'b'].map((name) => breakOff(`${name}${String(index)}`)))
  }
  assert.deepEqual(await readdir(folder), [])
})

test('an id that is taken is rejected, and its file is unchanged', async (t) => {
  const { folder, files } = await openFolder(t)
  await files.save('a', toStream('first'))
  await files.keep('a')
  await assert.rejects(files.save('a', toStream('second')))
  assert.deepEqual(await readdir(folder), ['a'])
  assert.equal(await readFile(join(folder, 'a'), 'utf8'), 'first')
})

test('a range that no file can have is rejected before the file is opened', async (t) => {
  const { folder, files } = await openFolder(t)
  await files.save('a', toStream('content'))
  await files.keep('a')
  // The file does not exist, so opening it would be another error.
  await rm(join(folder, 'a'))
  for (const end of [-1, -4096, 1.5, NaN, Infinity]) {
    await t.test(String(end), async () => {
      await assert.rejects(files.read('a', 0, end), RangeError, String(end))
    })
  }
})

test('chunks of any sizes are stored in their order', async (t) => {
  const { files, folder } = await openFolder(t)
  const sizes = Array.from(
    { length: 600 },
    (_, index) => [8192, 1, 65_536, 300_000][index % 4] ?? 0,
  )
  const chunks = sizes.map((size, index) => Buffer.alloc(size, index))
  const whole = Buffer.concat(chunks)
  await files.save('a', Readable.from(chunks))
  assert.ok(whole.equals(await readFile(join(folder, 'a.part'))))
})
