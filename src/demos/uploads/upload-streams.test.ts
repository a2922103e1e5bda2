import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdir, readFile, rename, truncate, utimes, writeFile } from 'node:fs/promises'
import { request as openRequest, type IncomingMessage } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { aroundPart, asUpload, multipartType } from '../../../test/support/multipart-form.ts'
import { startVitrine, temporaryFolder } from '../../../test/support/start-vitrine.ts'
import { until } from '../../../test/support/until.ts'
import { assertNothingStored, openUploads, upload } from '../../../test/support/uploads.ts'

const { before, after } = aroundPart({ name: 'upfiles', fileName: 'large.bin' })
const chunk = Buffer.alloc(64 * 1024, 'glass')

function toHead(length: number): string {
  return [
    'POST /profile HTTP/1.1',
    'Host: localhost',
    `Content-Type: ${multipartType}`,
    `Content-Length: ${String(length)}`,
    '\r\n',
  ].join('\r\n')
}

test('aborted uploads leave nothing behind, and the next one is stored', async (t) => {
  const { app, folder } = await openUploads(t)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const sockets: Socket[] = []
  for (let index = 0; index < 20; index += 1) {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    socket.write(toHead(1_000_000))
    socket.write(before)
    // Some break off in the middle of the content, some in the closing boundary.
    for (let count = 0; count <= index % 4; count += 1) socket.write(chunk)
    if (index % 2 === 1) socket.write(after.subarray(0, after.length - 3))
    sockets.push(socket)
  }
  await until(async () => (await readdir(folder)).length === sockets.length)
  for (const [index, socket] of sockets.entries()) {
    if (index % 3 === 0) socket.resetAndDestroy()
    else socket.destroy()
  }
  await until(async () => (await readdir(folder)).length === 0)
  await assertNothingStored(app, folder, 'broken off')
  assert.equal((await upload(app, 'glass')).size, 5)
})

test('an upload that ends before its length is rejected or dropped, and not stored', async (t) => {
  const { app, folder } = await openUploads(t)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const socket = connect(port, '127.0.0.1')
  socket.write(toHead(1_000_000))
  socket.write(Buffer.concat([before, chunk]))
  await until(async () => (await readdir(folder)).length === 1)
  socket.end()
  await text(socket)
  await until(async () => (await readdir(folder)).length === 0)
  await assertNothingStored(app, folder, 'ended early')
})

async function residentMiB(pid: number): Promise<number> {
  const status = await readFile(`/proc/${String(pid)}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024
}

/** Sends so many MiB as one upload; `look` is called after each. */
async function sendUpload(origin: string, sizeMiB: number, look: () => Promise<void>) {
  async function* toContent() {
    yield before
    for (let mib = 0; mib < sizeMiB; mib += 1) {
      for (let count = 0; count < 16; count += 1) yield chunk
      await look()
    }
    yield after
  }
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const headers = { 'content-type': multipartType }
  const request = openRequest(`${origin}/profile`, { method: 'POST', headers, agent: false })
  request.on('response', resolve).on('error', reject)
  Readable.from(toContent()).pipe(request)
  const response = await promise
  return { status: response.statusCode, body: await text(response) }
}

test(
  'a file of 200 MiB is uploaded while the memory of the process stays flat',
  { skip: process.platform !== 'linux' },
  async (t) => {
    const settings = { MAX_UPLOAD_BYTES: String(250 * 1024 ** 2), LOG_LEVEL: 'silent' }
    const { origin, process: child } = await startVitrine(t, settings)
    const pid = child.pid ?? assert.fail('the process has no id')
    await sendUpload(origin, 10, async () => undefined)
    const atFirst = await residentMiB(pid)
    let growth = 0
    const { status, body } = await sendUpload(origin, 200, async () => {
      growth = Math.max(growth, (await residentMiB(pid)) - atFirst)
    })
    assert.equal(status, 200, body)
    assert.match(body, /209,715,200 bytes/)
    t.diagnostic(`grew by ${growth.toFixed(1)} MiB`)
    assert.ok(growth < 50, `grew by ${String(growth)} MiB`)
  },
)

test('a start removes the unfinished files of a crash, and no upload', async (t) => {
  const folder = await temporaryFolder(t)
  const files = join(folder, 'files')
  const DATABASE_URL = `sqlite:${join(folder, 'vitrine.db')}`
  const settings = { DATABASE_URL, FILES_URL: `file:${files}` }
  const first = await startVitrine(t, settings)
  const { headers, payload } = asUpload('glass')
  const message = { method: 'POST', headers, body: payload }
  assert.equal((await fetch(`${first.origin}/profile`, message)).status, 200)
  const kept = await readdir(files)
  assert.equal(kept.length, 1)
  first.process.kill('SIGKILL')
  await once(first.process, 'exit')
  await writeFile(join(files, 'AAAAAAAAAAAAAAAAAAAAAA.part'), 'half done')
  await utimes(join(files, 'AAAAAAAAAAAAAAAAAAAAAA.part'), 0, 0)
  // Another process may be saving it just now.
  await writeFile(join(files, 'CCCCCCCCCCCCCCCCCCCCCC.part'), 'half done')
  // Killed between the record and the last step: not acknowledged, and yet whole.
  await rename(join(files, kept[0] ?? ''), join(files, `${kept[0] ?? ''}.part`))
  // A folder may hold what is not ours.
  await writeFile(join(files, 'BBBBBBBBBBBBBBBBBBBBBB'), 'of somebody else')
  const second = await startVitrine(t, settings)
  const expected = ['BBBBBBBBBBBBBBBBBBBBBB', 'CCCCCCCCCCCCCCCCCCCCCC.part', ...kept].toSorted()
  await until(async () => (await readdir(files)).toSorted().join() === expected.join())
  assert.equal(await (await fetch(`${second.origin}/uploads/${kept[0] ?? ''}`)).text(), 'glass')
})

test('the download of a truncated file ends early, and does not hang', async (t) => {
  const { app, folder } = await openUploads(t)
  const { _id } = await upload(app, Buffer.alloc(200_000, 'glass'))
  await truncate(join(folder, _id), 100_000)
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  const response = await fetch(`${address}/uploads/${_id}`, { signal: AbortSignal.timeout(60_000) })
  assert.equal(response.status, 200)
  await assert.rejects(response.arrayBuffer(), ({ name }: Error) => name !== 'TimeoutError')
})
