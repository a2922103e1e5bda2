import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect as connectSession } from 'node:http2'
import { test } from 'node:test'
import { endHeaders, endStream, getRoot, openFrames, toFrame, types } from './http2-frames.ts'
import { startLarge } from '../support/large-vitrine.ts'
import { curl, makeCertificate, startSecure } from '../support/tls-client.ts'
import { useWatched } from '../support/watched-vitrine.ts'

const secure = useWatched({}, startSecure)
const large = useWatched({}, async (t) => startLarge(t, await makeCertificate(t)))

async function assertServed(origin: string): Promise<void> {
  assert.equal((await curl('--http2', `${origin}/health`)).status, 200)
}

const frames = 20_000
const framesPerWrite = 500

const floods: readonly [name: string, toFrames: (index: number) => Buffer[]][] = [
  [
    'CONTINUATION frames of headers that never end',
    (index) => [
      index === 0
        ? toFrame(types.headers, endStream, 1, getRoot)
        : toFrame(types.continuation, 0, 1, Buffer.from([0x40, 0x01, 0x61, 0x01, 0x62])),
    ],
  ],
  [
    'empty CONTINUATION frames',
    (index) => [toFrame(index === 0 ? types.headers : types.continuation, 0, 1)],
  ],
  [
    'requests that are reset at once',
    (index) => [
      toFrame(types.headers, endStream | endHeaders, 2 * index + 1, getRoot),
      toFrame(types.reset, 0, 2 * index + 1, Buffer.from([0, 0, 0, 8])),
    ],
  ],
  ['SETTINGS frames', () => [toFrame(types.settings, 0, 0)]],
  ['PING frames', () => [toFrame(types.ping, 0, 0, Buffer.alloc(8))]],
]

test('the service still responds during a flood of HTTP/2 frames', async (t) => {
  const { origin, assertSound } = secure()
  for (const [name, toFrames] of floods) {
    await t.test(name, async (row) => {
      const socket = await openFrames(row, origin)
      for (let index = 0; index < frames && socket.writable; index += framesPerWrite) {
        const flood = Array.from({ length: framesPerWrite }, (_, step) => toFrames(index + step))
        const written = new Promise((resolve) => {
          socket.write(Buffer.concat(flood.flat()), resolve)
        })
        await Promise.race([written, new Promise((resolve) => socket.once('close', resolve))])
      }
      await assertServed(origin)
      await assertSound()
    })
  }
})

test('an HTTP/2 connection has at most 100 streams at once', async (t) => {
  const { origin, assertSound } = secure()
  const socket = await openFrames(t, origin)
  // Open requests, since their content does not arrive. Node's own client keeps to the limit.
  const begun = Array.from({ length: 101 }, (_, index) =>
    toFrame(types.headers, endHeaders, 2 * index + 1, getRoot),
  )
  // REFUSED_STREAM (RFC 9113 §8.7) of the last stream.
  const rejected = toFrame(types.reset, 0, 201, Buffer.from([0, 0, 0, 7]))
  const { promise, resolve } = Promise.withResolvers<boolean>()
  let received = Buffer.alloc(0)
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk])
    if (received.includes(rejected)) resolve(true)
  })
  socket.once('close', () => {
    resolve(false)
  })
  socket.write(Buffer.concat(begun))
  assert.ok(await promise, received.toString('hex').slice(0, 2000))
  await assertSound()
})

test('a list on 100 streams of 10 connections that read nothing fits into a small heap', async (t) => {
  const { origin, assertSound } = large()
  for (let index = 0; index < 10; index += 1) {
    const settings = { initialWindowSize: 0 }
    const session = connectSession(origin, { rejectUnauthorized: false, settings })
    t.after(() => {
      session.destroy()
    })
    session.on('error', () => undefined)
    await once(session, 'remoteSettings')
    const streams = Array.from({ length: 100 }, () =>
      session.request({ ':path': '/places', accept: 'application/json' }),
    )
    await Promise.all(
      streams.map(async (stream) => {
        stream.on('error', () => undefined)
        await Promise.race([once(stream, 'response'), once(stream, 'close')])
      }),
    )
  }
  await assertServed(origin)
  await assertSound()
})
