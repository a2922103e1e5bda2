import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { sendRaw, openSocket, startWatched, toGet, toRequest } from './watched-vitrine.ts'

// Each response has 6 MiB.
const contents = {
  'characters that JSON escapes': '\u0001'.repeat(1024 ** 2),
  'characters of three bytes': '界'.repeat(2 * 1024 ** 2),
}

for (const [name, content] of Object.entries(contents)) {
  test(`unread responses of ${name} have a total limit, and probes still get a response`, async (t) => {
    const { origin, assertSound } = await startWatched(t, { MAX_BODY_BYTES: '8388608' })
    const fields = [
      'Host: x',
      'Content-Type: text/plain',
      `Content-Length: ${String(Buffer.byteLength(content))}`,
    ]
    const message = toRequest('POST /users/post/raw HTTP/1.1', fields, content)
    const sockets = Array.from({ length: 60 }, () => openSocket(origin))
    t.after(() => {
      for (const socket of sockets) socket.destroy()
    })
    const starts = sockets.map(async (socket) => {
      socket.write(message)
      const [chunk] = (await once(socket, 'data')) as [Buffer]
      socket.pause()
      return Number(chunk.toString('latin1', 9, 12))
    })
    const statuses = await Promise.all(starts)
    assert.deepEqual([...new Set(statuses)].toSorted(), [200, 503])
    assert.ok(statuses.filter((status) => status === 200).length < 50)
    assert.deepEqual((await sendRaw(origin, toGet('/health'))).statuses, [200])
    await assertSound()
  })
}
