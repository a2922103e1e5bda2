import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test, type TestContext } from 'node:test'
import { aroundPart, multipartType } from '../support/multipart-form.ts'
import { startS3, type S3Fault, type S3Server } from '../support/s3-server.ts'
import { accessKeyId, secretAccessKey } from '../support/s3-signature.ts'
import { projectFolder } from '../support/start-vitrine.ts'
import { until } from '../support/until.ts'
import { asFile, listOf, openClient, type Send } from '../support/client.ts'
import { limit, openConnection, startInFolder } from '../support/stopping.ts'

const large = Buffer.alloc(8 * 1024 ** 2, 'glass and brass, ')
const small = Buffer.from('glass')

interface ShownUpload {
  _id: string
  size: number
}

async function openBucket(t: TestContext): Promise<S3Server> {
  const s3 = await startS3()
  t.after(s3.close)
  return s3
}

async function startOn(
  t: TestContext,
  { url }: Pick<S3Server, 'url'>,
  settings: Record<string, string> = {},
) {
  const vitrine = await startInFolder(t, {
    FILES_URL: url,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    ...settings,
  })
  return { ...vitrine, send: openClient(t, vitrine.origin) }
}

/** The service with its files in a bucket, and one file in it. */
async function startWithFile(t: TestContext) {
  const s3 = await openBucket(t)
  const vitrine = await startOn(t, s3)
  assert.equal((await vitrine.send('/profile', asFile(large))).status, 200)
  const [shown] = await listOf<ShownUpload>(vitrine.send, '/uploads')
  return { ...vitrine, s3, path: `/uploads/${shown?._id ?? ''}` }
}

/** In the list, and as the only object in the bucket. */
async function assertKept(send: Send, { objects, uploads }: S3Server, sizes: readonly number[]) {
  const shown = await listOf<ShownUpload>(send, '/uploads')
  const listedSizes = shown.map(({ size }) => size)
  assert.deepEqual(listedSizes, sizes)
  const names = shown.map(({ _id }) => `some/files/${_id}`)
  assert.deepEqual([...objects.keys()].toSorted(), names.toSorted())
  assert.equal(uploads.size, 0)
}

test('an upload is served unchanged, whole and in ranges', limit, async (t) => {
  const { send, s3, path } = await startWithFile(t)
  for (const content of [small, Buffer.of()]) {
    assert.equal((await send('/profile', asFile(content))).status, 200)
  }
  await assertKept(send, s3, [large.length, small.length, 0])
  assert.equal((await send(path)).text, large.toString())
  const part = await send(path, { headers: { range: 'bytes=5242870-5242890' } })
  assert.equal(part.status, 206)
  assert.equal(part.text, large.subarray(5_242_870, 5_242_891).toString())
  for (const { _id, size } of await listOf<ShownUpload>(send, '/uploads')) {
    const { headers, text } = await send(`/uploads/${_id}`)
    assert.deepEqual([headers['content-length'], text.length], [String(size), size])
  }
})

const failures: [operation: string, fault: S3Fault][] = [
  ['UploadPart', 'cut'],
  ['UploadPart', 500],
  ['UploadPart', 'hang'],
  ['PutObject', 500],
  ['PutObject', 'cut'],
  ['CreateMultipartUpload', 503],
  ['CompleteMultipartUpload', 500],
  ['CompleteMultipartUpload', 'cut'],
]
for (const [operation, fault] of failures) {
  test(
    `an upload whose ${operation} fails (${String(fault)}) gets 503 and leaves nothing`,
    limit,
    async (t) => {
      const { send, s3, process: child } = await startWithFile(t)
      s3.fault = (sent) => (sent === operation ? fault : undefined)
      // A store that is silent after a body has the time that the body takes on a slow connection.
      const content = fault === 'hang' ? small : large
      const { status, headers, text } = await send('/profile', asFile(content))
      assert.equal(status, 503, text)
      assert.match(headers['retry-after'] ?? '', /^\d+$/)
      assert.doesNotMatch(text, /S3|bucket|some.files|ECONN/)
      // The 503 does not wait for the removal.
      await until(() => s3.objects.size === 1 && s3.uploads.size === 0)
      await assertKept(send, s3, [large.length])
      s3.fault = () => undefined
      assert.equal((await send('/profile', asFile(small))).status, 200)
      await assertKept(send, s3, [large.length, small.length])
      assert.equal(child.exitCode, null)
    },
  )
}

for (const operation of ['UploadPart', 'CompleteMultipartUpload']) {
  test(
    `a store that is unreachable at ${operation} leaves no record, and the service recovers`,
    limit,
    async (t) => {
      const { send, s3, path, process: child } = await startWithFile(t)
      s3.fault = (sent) => {
        if (sent === operation) void s3.close()
        return undefined
      }
      assert.equal((await send('/profile', asFile(large))).status, 503)
      assert.equal((await send('/profile', asFile(small))).status, 503)
      assert.equal((await send(path)).status, 503)
      assert.equal((await send('/')).status, 200)
      assert.equal((await listOf(send, '/uploads')).length, 1)
      s3.fault = () => undefined
      await s3.restart()
      assert.equal((await send(path)).text, large.toString())
      assert.equal((await send('/profile', asFile(small))).status, 200)
      assert.equal((await listOf(send, '/uploads')).length, 2)
      assert.equal(child.exitCode, null)
    },
  )
}

test(
  'a download that fails in the store gets 503, or is cut off once it has begun',
  limit,
  async (t) => {
    const { send, s3, path, process: child } = await startWithFile(t)
    for (const fault of [500, 403] as const) {
      s3.fault = () => fault
      const { status, headers } = await send(path)
      assert.equal(status, 503)
      assert.equal(headers['content-disposition'], undefined)
    }
    s3.fault = () => 'cut'
    await assert.rejects(send(path), { code: 'ECONNRESET' })
    // Here all of it is read before the response begins.
    const headers = { 'want-repr-digest': 'sha-512=1' }
    assert.equal((await send(path, { headers })).status, 503)
    s3.fault = () => undefined
    assert.equal((await send(path)).text, large.toString())
    assert.equal(child.exitCode, null)
  },
)

/** The store as a separate process, which can be frozen. */
async function spawnS3(t: TestContext) {
  const program = `
    const { startS3 } = await import('./test/support/s3-server.ts')
    console.log((await startS3()).url)
  `
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: projectFolder,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => child.kill('SIGKILL'))
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  return { url: line.toString().trim(), child }
}

test(
  'requests get 503 while the store is frozen, and succeed when it continues',
  limit,
  async (t) => {
    const { url, child } = await spawnS3(t)
    const { origin, send } = await startOn(t, { url })
    assert.equal((await send('/profile', asFile(small))).status, 200)
    const path = `/uploads/${(await listOf<ShownUpload>(send, '/uploads'))[0]?._id ?? ''}`
    const digested = { headers: { 'want-repr-digest': 'sha-512=1' } }
    const requests = [
      [path, {}],
      [path, { headers: { range: 'bytes=1-2' } }],
      [path, digested],
      [path, { method: 'HEAD', ...digested }],
      ['/profile', asFile(small)],
      ['/profile', asFile(large)],
    ] as const
    child.kill('SIGSTOP')
    // First with connections that there are, then with new ones.
    for (const round of [1, 2]) {
      const ms = await Promise.all(
        requests.map(async ([request, options]) => {
          const begin = performance.now()
          const { status, text } = await openClient(t, origin)(request, options)
          assert.equal(status, 503, `${request} in round ${String(round)}: ${text}`)
          return performance.now() - begin
        }),
      )
      t.diagnostic(`503 after ${Math.max(...ms).toFixed()} ms at most`)
      // The timeout is two seconds; without it the request would never end.
      assert.ok(Math.max(...ms) < 60_000)
    }
    assert.equal((await listOf(send, '/uploads')).length, 1)
    child.kill('SIGCONT')
    await until(async () => (await send(path)).text === small.toString())
    assert.equal((await send('/profile', asFile(small))).status, 200)
  },
)

test(
  'a start while the store is down serves all else, and uploads when it is back',
  limit,
  async (t) => {
    const s3 = await openBucket(t)
    await s3.close()
    const { send } = await startOn(t, s3)
    assert.equal((await send('/uploads')).status, 200)
    assert.equal((await send('/profile', asFile(small))).status, 503)
    await s3.restart()
    assert.equal((await send('/profile', asFile(small))).status, 200)
    await assertKept(send, s3, [small.length])
  },
)

/** Half of an upload, of which two parts are in the bucket. */
async function beginUpload(t: TestContext, origin: string, s3: S3Server) {
  const connection = await openConnection(t, origin)
  const { before, after } = aroundPart({ name: 'upfiles', fileName: 'half.bin' })
  const length = before.length + large.length + after.length
  const head = [
    'POST /profile HTTP/1.1',
    'Host: localhost',
    `Content-Type: ${multipartType}`,
    `Content-Length: ${String(length)}`,
  ]
  connection.write(`${head.join('\r\n')}\r\n\r\n`)
  connection.write(before)
  connection.write(large.subarray(0, 6 * 1024 ** 2))
  await until(() => [...s3.uploads.values()].some(({ parts }) => parts.size === 1))
  return {
    ...connection,
    finish: () => {
      connection.write(large.subarray(6 * 1024 ** 2))
      connection.write(after)
    },
  }
}

test('a replica that starts leaves uploads to another alone', limit, async (t) => {
  const s3 = await openBucket(t)
  const one = await startOn(t, s3)
  const { finish, response } = await beginUpload(t, one.origin, s3)
  const other = await startOn(t, s3, { DATABASE_URL: `sqlite:${one.folder}/vitrine.db` })
  await until(() => s3.sent.filter((sent) => sent === 'ListObjectsV2').length === 4)
  finish()
  assert.match(await response(), /^HTTP\/1\.1 200/)
  await assertKept(other.send, s3, [large.length])
  const [shown] = await listOf<ShownUpload>(other.send, '/uploads')
  assert.equal((await other.send(`/uploads/${shown?._id ?? ''}`)).text, large.toString())
})

test('a client that disconnects during an upload leaves nothing', limit, async (t) => {
  const s3 = await openBucket(t)
  const { origin, send } = await startOn(t, s3)
  const { end } = await beginUpload(t, origin, s3)
  end()
  await until(() => s3.uploads.size === 0 && s3.objects.size === 0)
  await assertKept(send, s3, [])
})

test(
  'the unfinished upload of a killed process is removed when it is old enough',
  limit,
  async (t) => {
    const s3 = await openBucket(t)
    const { origin, folder, process: child } = await startOn(t, s3)
    await beginUpload(t, origin, s3)
    child.kill('SIGKILL')
    await once(child, 'exit')
    for (const marker of s3.objects.values()) marker.modified = new Date(Date.now() - 2 * 3_600_000)
    const { send } = await startOn(t, s3, { DATABASE_URL: `sqlite:${folder}/vitrine.db` })
    await until(() => s3.uploads.size === 0 && s3.objects.size === 0)
    await assertKept(send, s3, [])
  },
)
