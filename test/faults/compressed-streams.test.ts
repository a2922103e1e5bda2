import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../support/start-vitrine.ts'
import { readUsage } from '../support/process-usage.ts'
import { openSocket, startWatched, toGet } from '../support/watched-vitrine.ts'

test('200 clients that read slowly get a limited number of compressed streams, and others the content as it is', async (t) => {
  const folder = await temporaryFolder(t)
  await writeFile(join(folder, 'large.txt'), randomBytes(8 * 1024 ** 2).toString('hex'))
  const NODE_OPTIONS = '--max-old-space-size=200'
  const vitrine = await startWatched(t, { PUBLIC_DIR: folder, LOG_LEVEL: 'error', NODE_OPTIONS })
  const sockets = Array.from({ length: 200 }, () => openSocket(vitrine.origin))
  t.after(() => {
    for (const socket of sockets) socket.destroy()
  })
  const heads = await Promise.all(
    sockets.map(async (socket, index) => {
      const coding = ['br', 'zstd', 'gzip'][index % 3] ?? ''
      socket.write(toGet('/large.txt', `Accept-Encoding: ${coding}`))
      const [chunk] = (await once(socket, 'data')) as [Buffer]
      socket.pause()
      return chunk.toString('latin1').split('\r\n\r\n', 1)[0] ?? ''
    }),
  )
  for (const head of heads) assert.match(head, /^HTTP\/1.1 200 /)
  const compressed = heads.filter((head) => /^content-encoding: (br|zstd|gzip)\r?$/im.test(head))
  assert.equal(compressed.length, 64)
  const { residentBytes = 0 } = readUsage(vitrine.process.pid) ?? {}
  t.diagnostic(`${String(Math.round(residentBytes / 1024 ** 2))} MiB`)
  assert.ok(residentBytes < 500 * 1024 ** 2, String(residentBytes))
  for (const socket of sockets) socket.destroy()
  await vitrine.assertSound()
})
