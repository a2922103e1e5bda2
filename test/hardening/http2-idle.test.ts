import { once } from 'node:events'
import { suite, test } from 'node:test'
import { endHeaders, endStream, getRoot, openFrames, toFrame, types } from './http2-frames.ts'
import { startSecure } from '../support/tls-client.ts'
import { useWatched } from '../support/watched-vitrine.ts'

const headers = toFrame(types.headers, endStream | endHeaders, 1, getRoot)

const beginnings: readonly [what: string, sent: Buffer][] = [
  ['nothing', Buffer.alloc(0)],
  ['the head of a frame with headers', headers.subarray(0, 9)],
  ['a part of a frame with headers', headers.subarray(0, 12)],
  ['headers without an end', toFrame(types.headers, endStream, 1, getRoot)],
]

suite(
  'an HTTP/2 connection without a request is closed after HEADERS_SECONDS',
  { concurrency: true },
  () => {
    const secure = useWatched({ HEADERS_SECONDS: '1' }, startSecure)
    for (const [what, sent] of beginnings) {
      test(`after ${what}`, async (t) => {
        const { origin, assertSound } = secure()
        const socket = await openFrames(t, origin)
        socket.write(sent)
        await once(socket, 'close')
        await assertSound()
      })
    }
    test('also when it sends PINGs', async (t) => {
      const { origin, assertSound } = secure()
      const socket = await openFrames(t, origin)
      const pings = setInterval(() => {
        socket.write(toFrame(types.ping, 0, 0, Buffer.alloc(8)))
      }, 100)
      t.after(() => {
        clearInterval(pings)
      })
      await once(socket, 'close')
      await assertSound()
    })
  },
)
