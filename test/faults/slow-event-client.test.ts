import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { dataFile } from '../support/data-app.ts'
import { openSocket } from '../support/watched-vitrine.ts'
import { startVitrine } from '../support/start-vitrine.ts'

test('a client that does not read gets a reset, and takes no memory', async (t) => {
  const settings = {
    DATA_FILE: await dataFile(t, { posts: [{ id: 1, title: 'One' }] }),
    LOG_LEVEL: 'silent',
    SEND_IDLE_SECONDS: '3600',
    NODE_OPTIONS: '--max-old-space-size=100',
  }
  const { origin, process: child } = await startVitrine(t, settings)
  const sockets = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const socket = openSocket(origin)
      socket.write('GET /posts/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
      await once(socket, 'readable')
      return socket
    }),
  )
  // 100 MB of changes for each of 20 clients.
  const title = 'x'.repeat(50_000)
  for (let count = 0; count < 2000; count += 1) {
    const body = JSON.stringify({ title: title + String(count) })
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(`${origin}/posts/1`, { method: 'PATCH', headers, body })
    assert.ok(response.ok, await response.text())
  }
  assert.equal(child.exitCode, null)
  for (const socket of sockets) {
    let tail = ''
    socket.on('data', (chunk: Buffer) => {
      tail = tail.slice(-100) + chunk.toString('latin1')
      if (tail.includes('event: reset')) socket.destroy()
    })
  }
  await Promise.all(sockets.map((socket) => once(socket, 'close')))
})
