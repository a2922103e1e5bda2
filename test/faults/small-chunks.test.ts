import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { formType } from '../support/resources.ts'
import { sendRaw, listen, openSocket, startWatched, toRequest } from '../support/watched-vitrine.ts'

const multipart = 'multipart/form-data; boundary=b'
const part = '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n'

function toChunked(path: string, type: string): string {
  const head = ['Host: x', 'Connection: close', `Content-Type: ${type}`]
  return toRequest(`POST ${path} HTTP/1.1`, [...head, 'Transfer-Encoding: chunked'])
}

const toChunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`

const rows: readonly [path: string, type: string, start: string][] = [
  ['/users/post/raw', 'text/plain', ''],
  ['/users/post', formType, ''],
  ['/users/post', 'application/json', '"'],
  ['/users/post/formdata', multipart, part],
  ['/profile', multipart, part],
]

for (const [path, type, start] of rows) {
  test(`${path} (${type}) responds 400 to a body of too many one-byte chunks`, async (t) => {
    const { origin, assertSound } = await startWatched(t)
    const content = `${start && toChunk(start)}${toChunk('a').repeat(500_000)}`
    const { statuses, isClosed } = await sendRaw(origin, toChunked(path, type) + content)
    assert.deepEqual([statuses, isClosed], [[400], true])
    await assertSound()
  })
}

const texts: readonly [path: string, type: string, start: string, end: string][] = [
  ['/users/post/raw', 'text/plain', '', ''],
  ['/users/post/formdata', multipart, part, '\r\n--b--\r\n'],
]

for (const [path, type, start, end] of texts) {
  test(`${path} holds a body of 60,000 chunks as bytes, not as chunks`, async (t) => {
    const settings = { NODE_OPTIONS: '--max-old-space-size=64' }
    const { origin, assertSound } = await startWatched(t, settings)
    // 20 times 60,000 objects of at least 100 bytes would be 120 MB.
    const content = `${start && toChunk(start)}${toChunk('a'.repeat(17)).repeat(60_000)}`
    const sockets = Array.from({ length: 20 }, () => openSocket(origin))
    const received = sockets.map((socket) => listen(socket))
    await Promise.all(sockets.map((socket) => write(socket, toChunked(path, type) + content)))
    await assertSound()
    for (const socket of sockets) socket.write(`${end && toChunk(end)}0\r\n\r\n`)
    const statuses = (await Promise.all(received)).map((response) => response.statuses)
    assert.deepEqual(
      statuses,
      sockets.map(() => [200]),
    )
    await assertSound()
  })
}

async function write(socket: Socket, content: string): Promise<void> {
  await new Promise((resolve) => socket.write(content, resolve))
}
