import { once } from 'node:events'
import { test } from 'node:test'
import { endHeaders, endStream, getRoot, openFrames, toFrame, types } from './http2-frames.ts'
import { makeCertificate } from '../support/tls-client.ts'
import { startWatched } from '../support/watched-vitrine.ts'

const headers = toFrame(types.headers, endStream | endHeaders, 1, getRoot)

const beginnings: readonly [what: string, sent: Buffer][] = [
  ['nothing', Buffer.alloc(0)],
  ['the head of a frame with headers', headers.subarray(0, 9)],
  ['a part of a frame with headers', headers.subarray(0, 12)],
  ['headers without an end', toFrame(types.headers, endStream, 1, getRoot)],
]

test('an HTTP/2 connection without a request is closed after HEADERS_SECONDS', async (t) => {
  const settings = { HEADERS_SECONDS: '1', ...(await makeCertificate(t)) }
  const { origin, assertSound } = await startWatched(t, settings)
  for (const [what, sent] of beginnings) {
    await t.test(`after ${what}`, async (row) => {
      const socket = await openFrames(row, origin)
      socket.write(sent)
      await once(socket, 'close')
    })
  }
  await t.test('also when it sends PINGs', async (row) => {
    const socket = await openFrames(row, origin)
    const pings = setInterval(() => {
      socket.write(toFrame(types.ping, 0, 0, Buffer.alloc(8)))
    }, 100)
    row.after(() => {
      clearInterval(pings)
    })
    await once(socket, 'close')
  })
  await assertSound()
})
