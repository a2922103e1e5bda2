import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get as getPlain, type IncomingMessage } from 'node:http'
import { connect, type ClientHttp2Session } from 'node:http2'
import { get as getSecure } from 'node:https'
import type { Readable } from 'node:stream'
import { test, type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { startLarge } from '../support/large-vitrine.ts'
import { makeCertificate } from '../support/tls-client.ts'
import { listen, openSocket, startWatched } from '../support/watched-vitrine.ts'

type Open = (t: TestContext, origin: string) => Promise<Readable>

const options = {
  headers: { accept: 'application/json' },
  rejectUnauthorized: false,
  agent: false as const,
}

const clients: readonly [protocol: string, open: Open][] = [
  ['HTTP/1.1', async (_t, origin) => toResponse(getPlain(`${origin}/places`, options))],
  ['HTTP/1.1 and TLS', async (_t, origin) => toResponse(getSecure(`${origin}/places`, options))],
  ['HTTP/2', async (t, origin) => openStream(openSession(t, origin))],
  [
    'HTTP/2 with PINGs',
    async (t, origin) => {
      const session = openSession(t, origin)
      const pings = setInterval(() => {
        if (!session.destroyed) session.ping(() => undefined)
      }, 100)
      session.once('close', () => {
        clearInterval(pings)
      })
      return openStream(session)
    },
  ],
]

function openSession(t: TestContext, origin: string): ClientHttp2Session {
  const session = connect(origin, options)
  // The service may be killed before the session ends.
  session.on('error', () => undefined)
  t.after(() => {
    session.destroy()
  })
  return session
}

async function openStream(session: ClientHttp2Session): Promise<Readable> {
  const stream = session.request({ ':path': '/places', ...options.headers })
  await once(stream, 'response')
  return stream
}

async function toResponse(request: ReturnType<typeof getPlain>): Promise<Readable> {
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  return response
}

/** Half a megabyte at a time, with a pause behind it; the whole text, or the error that ended it. */
async function readSlowly(response: Readable, pauseMs: number): Promise<string> {
  let text = ''
  let size = 0
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      text += chunk.toString()
      size += chunk.length
      if (size > 500_000) await wait(pauseMs)
      if (size > 500_000) size = 0
    }
    return text
  } catch (error) {
    return String(error)
  }
}

for (const [protocol, open] of clients) {
  test(`over ${protocol} a client that reads nothing is disconnected, and a slow one is not`, async (t) => {
    const certificate = protocol === 'HTTP/1.1' ? {} : await makeCertificate(t)
    const { origin, assertSound } = await startLarge(t, { SEND_IDLE_SECONDS: '2', ...certificate })
    const stalled = await open(t, origin)
    const slow = await readSlowly(await open(t, origin), 500)
    assert.equal((JSON.parse(slow) as unknown[]).length, 4000)
    assert.ok(!(await readSlowly(stalled, 0)).endsWith(']'), 'the whole list has come')
    await assertSound()
  })
}

for (const sent of ['', 'GET /mirror/query HTTP/1.1\r\nHost: loc']) {
  test(`SEND_IDLE_SECONDS does not disconnect a client that has sent ${JSON.stringify(sent)}`, async (t) => {
    const { origin, assertSound } = await startWatched(t, {
      SEND_IDLE_SECONDS: '1',
      HEADERS_SECONDS: '3',
    })
    const socket = openSocket(origin)
    socket.write(sent)
    assert.deepEqual((await listen(socket)).statuses, [408])
    await assertSound()
  })
}
