import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { startS3, type S3Fault, type S3Server } from '../../../../test/support/s3-server.ts'
import { accessKeyId, secretAccessKey } from '../../../../test/support/s3-signature.ts'
import { isUnavailable, StoreFailure } from '../../store-failure.ts'
import { until } from '../../../../test/support/until.ts'
import { filesContract, toStream } from '../files.contract.ts'
import { openS3Files, type S3FilesOptions } from './files.ts'

async function openBucket(t: TestContext, changes: Partial<S3FilesOptions> = {}) {
  const server = await startS3()
  t.after(server.close)
  return { server, files: await openFiles(t, server, changes) }
}

async function openFiles(t: TestContext, server: S3Server, changes: Partial<S3FilesOptions> = {}) {
  const { files, problem, close } = await openS3Files({
    filesUrl: server.url,
    awsAccessKeyId: accessKeyId,
    awsSecretAccessKey: secretAccessKey,
    maxUploadBytes: 1024 ** 3,
    abandonedSeconds: 0,
    ...changes,
  })
  t.after(close)
  assert.equal(problem, undefined)
  return files
}

/** The ids of everything that takes space in the bucket. */
function listAll({ objects, uploads }: S3Server): string[] {
  const keys = [...objects.keys(), ...[...uploads.values()].map(({ key }) => key)]
  return [...new Set(keys.map((key) => key.replace(/^some\/files\/(pending\/)?/, '')))]
}

filesContract('a bucket', async (t) => {
  // A process that is busy with other tests may be silent for longer than S3 may be.
  const { server, files } = await openBucket(t, { silenceMs: 600_000 })
  return { files, list: async () => listAll(server) }
})

test('a small file takes five requests, of which the first two are sent at once', async (t) => {
  const { server, files } = await openBucket(t)
  server.sent.length = 0
  const both = Promise.withResolvers<undefined>()
  server.fault = () => {
    if (server.sent.length === 2) both.resolve(undefined)
    return both.promise
  }
  await files.save('a', toStream('glass'))
  await files.keep('a')
  assert.deepEqual(server.sent.slice(0, 2).toSorted(), ['CreateMultipartUpload', 'PutObject'])
  assert.deepEqual(server.sent.slice(2), ['UploadPart', 'CompleteMultipartUpload', 'DeleteObject'])
})

for (const [kilobytes, pauseMs] of [
  [200, 2500],
  [600, 4000],
  [5120, 2500],
] as const) {
  test(`a part of ${String(kilobytes)} kB that the store does not read for ${String(pauseMs)} ms is stored`, async (t) => {
    const { server, files } = await openBucket(t)
    server.fault = async (sent) => {
      if (sent === 'UploadPart') await delay(pauseMs)
      return undefined
    }
    const content = Buffer.alloc(kilobytes * 1024, 'glass')
    await files.save('a', toStream(content))
    await files.keep('a')
    assert.ok(server.objects.get('some/files/a')?.content.equals(content))
    assert.equal(server.sent.filter((sent) => sent === 'UploadPart').length, 1)
  })
}

test('a large file is uploaded in parts, and nothing else remains', async (t) => {
  const { server, files } = await openBucket(t)
  const content = Buffer.alloc(12 * 1024 ** 2, 'glass and brass ')
  const { size } = await files.save('a', toStream(content))
  assert.equal(server.sent.filter((operation) => operation === 'UploadPart').length, 3)
  await files.keep('a')
  assert.equal(size, content.length)
  assert.deepEqual([...server.objects.keys()], ['some/files/a'])
  assert.ok(server.objects.get('some/files/a')?.content.equals(content))
  assert.equal(server.uploads.size, 0)
})

test('a file that another process has saved, in one or several parts, can be stored and removed', async (t) => {
  const { server, files } = await openBucket(t)
  const other = await openFiles(t, server)
  const content = Buffer.alloc(16 * 1024 ** 2, 'glass')
  await files.save('a', toStream(content))
  await other.keep('a')
  assert.ok(server.objects.get('some/files/a')?.content.equals(content))
  await files.keep('a')
  await files.save('b', toStream('b'))
  await other.remove('b')
  await assert.rejects(files.keep('b'), isUnavailable)
  assert.deepEqual(listAll(server), ['a'])
})

test('a sweep leaves uploads that another process may be receiving, and stores known files', async (t) => {
  const { server, files } = await openBucket(t)
  const other = await openFiles(t, server, { abandonedSeconds: 3600 })
  await files.save('receiving', toStream('1'))
  await files.save('known', toStream('2'))
  await files.save('abandoned', toStream('3'))
  const abandoned = server.objects.get('some/files/pending/abandoned') ?? assert.fail()
  abandoned.modified = new Date(Date.now() - 3_700_000)
  await other.sweep(async (id) => id === 'known')
  assert.deepEqual(listAll(server).toSorted(), ['known', 'receiving'])
  await files.keep('receiving')
  await files.keep('known')
  await assert.rejects(files.keep('abandoned'), isUnavailable)
  assert.deepEqual([...server.objects.keys()].toSorted(), [
    'some/files/known',
    'some/files/receiving',
  ])
})

test('a sweep skips a known file that does not exist, and goes on', async (t) => {
  const { server, files } = await openBucket(t)
  for (const id of ['a', 'b']) await files.save(id, toStream(id))
  // As stores do with uploads that are never completed.
  for (const [uploadId, { key }] of server.uploads) {
    if (key.endsWith('/a')) server.uploads.delete(uploadId)
  }
  await (await openFiles(t, server)).sweep(async () => true)
  assert.deepEqual([...server.objects.keys()], ['some/files/b'])
})

const faults: S3Fault[] = [500, 'cut', 403]
for (const [operation, bytes] of [
  ['PutObject', 9],
  ['CreateMultipartUpload', 9],
  ['UploadPart', 6 * 1024 ** 2],
  ['CompleteMultipartUpload', 6 * 1024 ** 2],
] as const) {
  for (const fault of faults) {
    test(`${operation} fails for good (${String(fault)}): nothing remains`, async (t) => {
      const { server, files } = await openBucket(t)
      server.fault = (sent) => (sent === operation ? fault : undefined)
      const put = async () => {
        await files.save('a', toStream(Buffer.alloc(bytes, 'glass')))
        await files.keep('a')
      }
      await assert.rejects(put(), isUnavailable)
      server.fault = () => undefined
      // The caller removes a saved file that it cannot store.
      if (operation === 'CompleteMultipartUpload') await files.remove('a')
      await until(() => listAll(server).length === 0)
      await put()
      assert.deepEqual([...server.objects.keys()], ['some/files/a'])
    })
  }
}

test('a request that fails once is repeated, and nothing of it remains', async (t) => {
  const { server, files } = await openBucket(t)
  for (const fault of [500, 503, 'cut'] as const) {
    for (const [operation, size] of [
      ['UploadPart', 6 * 1024 ** 2],
      ['CompleteMultipartUpload', 6 * 1024 ** 2],
      ['PutObject', 100],
      ['GetObject', 100],
    ] as const) {
      let count = 0
      server.fault = (sent) => (sent === operation && count++ === 0 ? fault : undefined)
      if (fault === 'cut' && operation === 'GetObject') continue
      const content = Buffer.alloc(size, 'glass')
      await files.save('a', toStream(content))
      await files.keep('a')
      const bytes = (await (await files.read('a', 0, 9))?.toArray()) as Buffer[]
      assert.deepEqual(Buffer.concat(bytes), content.subarray(0, 10))
      assert.deepEqual(listAll(server), ['a'])
      await files.remove('a')
    }
  }
})

test('a full store is reported as full', async (t) => {
  const { server, files } = await openBucket(t)
  server.fault = (sent) => (sent === 'UploadPart' ? 507 : undefined)
  await assert.rejects(
    files.save('a', toStream('a')),
    (error) => error instanceof StoreFailure && error.kind === 'full',
  )
  assert.deepEqual(listAll(server), [])
})

test('a download that is cut half way fails, and is never taken for the whole', async (t) => {
  const { server, files } = await openBucket(t)
  await files.save('a', toStream(Buffer.alloc(1_000_000, 'glass')))
  await files.keep('a')
  server.fault = (sent) => (sent === 'GetObject' ? 'cut' : undefined)
  const content = (await files.read('a', 0, 999_999)) ?? assert.fail()
  await assert.rejects(content.toArray(), isUnavailable)
})

test('a request times out when the store stops responding, before or within its response', async (t) => {
  const { server, files } = await openBucket(t)
  await files.save('a', toStream(Buffer.alloc(1_000_000, 'glass')))
  await files.keep('a')
  const order: S3Fault[] = ['stall', 'hang']
  server.fault = () => order.shift()
  await Promise.all([
    assert.rejects(((await files.read('a', 0, 999_999)) ?? assert.fail()).toArray(), isUnavailable),
    assert.rejects(files.read('a', 0, 9), isUnavailable),
  ])
})

test('a missing bucket or wrong keys stop the start; an unreachable store does not', async (t) => {
  const server = await startS3()
  t.after(server.close)
  const { url } = server
  await assert.rejects(openFiles(t, { ...server, url: url.replace('glass', 'brass') }), {
    message: /FILES_URL.*NoSuchBucket/,
  })
  await assert.rejects(openFiles(t, server, { awsSecretAccessKey: 'wrong' }), {
    message: /FILES_URL.*SignatureDoesNotMatch/,
  })
  await server.close()
  await assert.rejects(openFiles(t, server), { message: /ECONNREFUSED/ })
})
