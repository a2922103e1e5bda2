import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { test } from 'node:test'
import { sendRaw, openSocket, startWatched, toGet, toRequest } from '../support/watched-vitrine.ts'

// Each response has 6 MiB. Base64 of random bytes is not much smaller when it is compressed.
const random = randomBytes(4.5 * 1024 ** 2).toString('base64')
const contents = {
  'characters that JSON escapes': ['\u0001'.repeat(1024 ** 2), 'identity'],
  'characters of three bytes': ['界'.repeat(2 * 1024 ** 2), 'identity'],
  'compressed content, zstd': [random, 'zstd'],
  'compressed content, br': [random, 'br'],
  'compressed content, gzip': [random, 'gzip'],
  'a described body in chunks': [JSON.stringify({ body: random, chunk_size: 2 ** 20 }), 'identity'],
} as const

for (const [name, [content, coding]] of Object.entries(contents)) {
  test(`unread responses of ${name} have a total limit, and probes still get a response`, async (t) => {
    const { origin, assertSound } = await startWatched(t, { MAX_BODY_BYTES: '8388608' })
    const fields = [
      'Host: x',
      'Content-Type: text/plain',
      `Accept-Encoding: ${coding}`,
      `Content-Length: ${String(Buffer.byteLength(content))}`,
    ]
    const path = content.startsWith('{') ? '/responses/custom' : '/users/post/raw'
    const message = toRequest(`POST ${path} HTTP/1.1`, fields, content)
    const sockets = Array.from({ length: 60 }, () => openSocket(origin))
    t.after(() => {
      for (const socket of sockets) socket.destroy()
    })
    const starts = sockets.map(async (socket) => {
      socket.write(message)
      const [chunk] = (await once(socket, 'data')) as [Buffer]
      socket.pause()
      return chunk.toString('latin1').split('\r\n\r\n', 1)[0] ?? ''
    })
    const heads = await Promise.all(starts)
    const statuses = heads.map((head) => Number(head.slice(9, 12)))
    for (const head of heads.filter((head) => head.startsWith('HTTP/1.1 200')))
      assert.equal(/^content-encoding: (\w+)/im.exec(head)?.[1] ?? 'identity', coding)
    assert.deepEqual([...new Set(statuses)].toSorted(), [200, 503])
    assert.ok(statuses.filter((status) => status === 200).length < 50)
    assert.deepEqual((await sendRaw(origin, toGet('/health'))).statuses, [200])
    await assertSound()
  })
}
