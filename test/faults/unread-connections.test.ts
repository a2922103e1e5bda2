import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { TLSSocket } from 'node:tls'
import { endHeaders, endStream, openFrames, toFrame, types } from '../hardening/http2-frames.ts'
import { startLarge } from '../support/large-vitrine.ts'
import { curl, makeCertificate } from '../support/tls-client.ts'

/** The largest windows of streams and of the connection: only TCP limits what is sent. */
const windows = [
  toFrame(types.settings, 0, 0, Buffer.from([0, 4, 0x7f, 0xff, 0xff, 0xff])),
  toFrame(types.windowUpdate, 0, 0, Buffer.from([0x7f, 0xfe, 0, 0])),
]

/** GET https://x/places.json: the names are in the static table of HPACK. */
const path = '/places.json'
const getList = Buffer.from(
  `\x82\x87\x41\x01x\x04${String.fromCharCode(path.length)}${path}`,
  'latin1',
)

const toGetList = (stream: number) =>
  toFrame(types.headers, endStream | endHeaders, stream, getList)

/** The types of the frames that end a stream: DATA, or RST_STREAM. */
function* findEnds(received: Buffer): Generator<number> {
  for (let start = 0; start + 9 <= received.length;) {
    const end = start + 9 + received.readUIntBE(start, 3)
    const type = received.readUInt8(start + 3)
    const isEnd =
      type === types.reset || (type === types.data && received.readUInt8(start + 4) === 1)
    if (isEnd && end <= received.length) yield type
    start = end
  }
}

/** A megabyte at a time, with a pause behind it. Returns how each stream ended. */
async function readSlowly(socket: TLSSocket): Promise<number[]> {
  const chunks: Buffer[] = []
  let size = 0
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    size += chunk.length
    if (size > 1_000_000) socket.pause()
  })
  do {
    size = 0
    socket.resume()
    await wait(200)
  } while (size > 0)
  return [...findEnds(Buffer.concat(chunks))]
}

// An idle connection ends later, after 72 seconds.
const timeout = 60_000

test(
  'over HTTP/2 a client that does not read from TCP is disconnected, and a slow one is not',
  { timeout },
  async (t) => {
    const settings = { SEND_IDLE_SECONDS: '2', MAX_CONNECTIONS: '2', ...(await makeCertificate(t)) }
    const { origin, assertSound } = await startLarge(t, settings)
    const requests = Array.from({ length: 5 }, (_, index) => toGetList(2 * index + 1))
    const stalled = await openFrames(t, origin)
    stalled.pause().write(Buffer.concat([...windows, ...requests]))
    const slow = await openFrames(t, origin)
    slow.pause().write(Buffer.concat([...windows, ...requests]))
    const ends = await readSlowly(slow)
    assert.equal(ends.length, requests.length)
    assert.deepEqual(new Set(ends), new Set([types.data]))
    // There is space for it only when the stalled connection has ended.
    const isServed = async () =>
      curl('--http2', `${origin}/health`).then(
        ({ status }) => status === 200,
        () => false,
      )
    while (!(await isServed())) await wait(200)
    await assertSound()
  },
)
