import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { PassThrough, Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { suite, test, type TestContext } from 'node:test'
import type { Files, SavedFile } from './files.ts'

export interface OpenedFiles {
  files: Files
  /** Everything stored, pending or complete. */
  list: () => Promise<string[]>
}

/** Opens an empty store that is removed when the test ends. */
export type OpenFiles = (t: TestContext) => Promise<OpenedFiles>

/** The behaviour of every backend of files. */
export function filesContract(name: string, open: OpenFiles): void {
  suite(`files in ${name}`, () => {
    oneFile(open)
    failures(open)
    sweeps(open)
  })
}

function oneFile(open: OpenFiles): void {
  test('a saved file is read back unchanged, with its size and hash', async (t) => {
    const { files, list } = await open(t)
    const all = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))
    const contents = { a: Buffer.of(), '-_Z9': all, large: Buffer.alloc(1_000_000, all) }
    for (const [id, content] of Object.entries(contents)) {
      const sha256 = createHash('sha256').update(content).digest('hex')
      assert.deepEqual(await put(files, id, toStream(content)), { size: content.length, sha256 })
      if (content.length > 0) assert.deepEqual(await readAll(files, id, content.length), content)
    }
    assert.deepEqual((await list()).toSorted(), Object.keys(contents).toSorted())
  })

  test('a part of a file is read from the first to the last of its bytes', async (t) => {
    const { files } = await open(t)
    await put(files, 'a', toStream('0123456789'))
    for (const [start, end, expected] of [
      [0, 9, '0123456789'],
      [0, 0, '0'],
      [9, 9, '9'],
      [2, 4, '234'],
    ] as const) {
      assert.equal(
        (await buffer((await files.read('a', start, end)) ?? assert.fail())).toString(),
        expected,
      )
    }
  })

  test('a removed file is not found, and its id is free', async (t) => {
    const { files, list } = await open(t)
    await put(files, 'a', toStream('first'))
    await put(files, 'b', toStream('other'))
    for (const id of ['a', 'a', 'never']) await files.remove(id)
    assert.deepEqual(await list(), ['b'])
    assert.equal(await files.read('a', 0, 4), undefined)
    await put(files, 'a', toStream('again'))
    assert.equal((await readAll(files, 'a', 5)).toString(), 'again')
  })

  test('a file that was never saved, or is pending, cannot be read', async (t) => {
    const { files } = await open(t)
    assert.equal(await files.read('never', 0, 1), undefined)
    await assert.rejects(files.keep('never'))
    await files.save('a', toStream('pending'))
    assert.equal(await files.read('a', 0, 1), undefined)
    await files.keep('a')
    assert.equal((await readAll(files, 'a', 7)).toString(), 'pending')
  })

  test('a pending file can be removed, and its id is taken until then', async (t) => {
    const { files, list } = await open(t)
    await files.save('a', toStream('first'))
    await assert.rejects(files.save('a', toStream('second')))
    await files.remove('a')
    assert.deepEqual(await list(), [])
  })
}

function failures(open: OpenFiles): void {
  test('a stream that fails leaves nothing, and its error is passed on', async (t) => {
    const { files, list } = await open(t)
    for (const chunks of [0, 1, 50]) {
      const error = new Error('broken off')
      await assert.rejects(
        files.save('a', toFailing(chunks, error)),
        (received) => received === error,
      )
      assert.deepEqual(await list(), [], String(chunks))
    }
    await put(files, 'a', toStream('whole'))
    assert.equal((await readAll(files, 'a', 5)).toString(), 'whole')
  })

  test('a stream that is destroyed half way leaves nothing', async (t) => {
    const { files, list } = await open(t)
    const content = new PassThrough()
    const saved = files.save('a', content)
    content.write(Buffer.alloc(100_000))
    content.once('drain', () => content.destroy())
    await assert.rejects(saved)
    assert.deepEqual(await list(), [])
  })

  test('of two files saved concurrently under one id one is stored whole', async (t) => {
    const { files, list } = await open(t)
    const contents = ['1', '2'].map((digit) => Buffer.alloc(500_000, digit))
    const outcomes = await Promise.allSettled(
      contents.map((content) => files.save('a', toStream(content))),
    )
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
    await files.keep('a')
    const winner = outcomes.findIndex(({ status }) => status === 'fulfilled')
    assert.deepEqual(await readAll(files, 'a', 500_000), contents[winner])
    assert.deepEqual(await list(), ['a'])
  })

  test('twenty files saved concurrently are all stored', async (t) => {
    const { files, list } = await open(t)
    const ids = Array.from({ length: 20 }, (_, index) => `file-${String(index)}`)
    await Promise.all(ids.map((id) => put(files, id, toStream(id.repeat(10_000)))))
    assert.deepEqual((await list()).toSorted(), ids.toSorted())
    for (const id of ids) {
      const length = id.length * 10_000
      assert.equal((await readAll(files, id, length)).toString(), id.repeat(10_000))
    }
  })
}

function sweeps(open: OpenFiles): void {
  test('a sweep settles pending files, checks each once, and leaves stored files alone', async (t) => {
    const { files, list } = await open(t)
    await put(files, 'kept', toStream('kept'))
    for (const id of ['a', 'b', 'c', 'd']) await files.save(id, toStream(id))
    const sent: string[] = []
    await files.sweep(async (id) => {
      sent.push(id)
      return id === 'b' || id === 'd'
    })
    assert.deepEqual(sent.toSorted(), ['a', 'b', 'c', 'd'])
    assert.deepEqual((await list()).toSorted(), ['b', 'd', 'kept'])
    assert.equal((await readAll(files, 'b', 1)).toString(), 'b')
    await files.sweep(async (id) => assert.fail(id))
  })

  test('a sweep removes nothing when the known ids cannot be read', async (t) => {
    const { files } = await open(t)
    await files.save('a', toStream('a'))
    const error = new Error('the database is down')
    await assert.rejects(
      files.sweep(async () => Promise.reject(error)),
      (received) => received === error,
    )
    await files.keep('a')
    assert.equal((await readAll(files, 'a', 1)).toString(), 'a')
  })
}

async function put(files: Files, id: string, content: Readable): Promise<SavedFile> {
  const saved = await files.save(id, content)
  await files.keep(id)
  return saved
}

export function toStream(content: Buffer | string): Readable {
  const bytes = Buffer.from(content)
  const pieces = Array.from({ length: Math.ceil(bytes.length / 65_536) }, (_, index) =>
    bytes.subarray(index * 65_536, (index + 1) * 65_536),
  )
  return Readable.from(pieces, { objectMode: false })
}

function toFailing(chunks: number, error: Error): Readable {
  async function* toContent() {
    for (let count = 0; count < chunks; count += 1) yield Buffer.alloc(10_000)
    throw error
  }
  return Readable.from(toContent(), { objectMode: false })
}

async function readAll(files: Files, id: string, size: number): Promise<Buffer> {
  return buffer((await files.read(id, 0, size - 1)) ?? assert.fail())
}
