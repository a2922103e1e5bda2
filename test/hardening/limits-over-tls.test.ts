import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type ClientHttp2Session } from 'node:http2'
import { test } from 'node:test'
import { curl, openSecure, startSecure } from '../support/tls-client.ts'
import { listen } from '../support/watched-vitrine.ts'

test('a client has one limit over HTTP/1.1 and HTTP/2, and forwarding headers apply to both', async (t) => {
  const { origin, assertSound } = await startSecure(t, {
    RATE_LIMIT: '4',
    TRUSTED_PROXIES: '127.0.0.1',
    MAX_EVENT_LOOP_DELAY_MS: '60000',
  })
  for (const client of ['192.0.2.1', '2001:db8::1']) {
    await t.test(client, async () => {
      const heads = []
      for (const version of '--http1.1 --http2 --http1.1 --http2 --http2 --http1.1'.split(' ')) {
        const { head, status, body } = await curl(
          version,
          ...['-H', `X-Forwarded-For: ${client}`, '-H', 'X-Forwarded-Host: out.example'],
          `${origin}/openapi.json`,
        )
        heads.push(`${String(status)} ${/^ratelimit: .*;r=(\d)/im.exec(head)?.[1] ?? 'no field'}`)
        if (status === 200) assert.match(body, /https:\/\/out\.example/)
        assert.match(head, /^strict-transport-security: /im)
      }
      assert.deepEqual(heads, ['200 3', '200 2', '200 1', '200 0', '429 0', '429 0'])
    })
  }
  await assertSound()
})

test('a method that only HTTP/2 accepts is counted like any other', async (t) => {
  const { origin, assertSound } = await startSecure(t, {
    RATE_LIMIT: '2',
  })
  const session = connect(origin, { rejectUnauthorized: false })
  t.after(() => {
    session.destroy()
  })
  const responses = []
  for (let index = 0; index < 3; index += 1) {
    const stream = session.request({ ':path': '/people', ':method': 'FOO' }).end().resume()
    const [head] = (await once(stream, 'response')) as [Record<string, unknown>]
    responses.push(head[':status'])
    assert.match(String(head.ratelimit), /^"default";r=[01];t=\d+$/)
    assert.ok(head['x-request-id'] !== undefined && head['strict-transport-security'] !== undefined)
  }
  assert.deepEqual(responses, [501, 501, 429])
  await assertSound()
})

const quick = { HEADERS_SECONDS: '1', BODY_IDLE_SECONDS: '1', REQUEST_SECONDS: '2' }

const unfinished: [what: string, sent: string][] = [
  ['headers', 'GET /health HTTP/1.1\r\nHost: x\r\n'],
  ['headers behind another request', 'GET /health HTTP/1.1\r\nHost: x\r\n\r\nGET /'],
]

test('unfinished headers over HTTP/1.1 and TLS get 408', async (t) => {
  const { origin, assertSound } = await startSecure(t, quick)
  for (const [what, sent] of unfinished) {
    await t.test(what, async () => {
      const socket = await openSecure(t, origin, 'http/1.1')
      socket.write(sent)
      const { statuses, isClosed } = await listen(socket)
      assert.deepEqual([statuses.at(-1), isClosed], [408, true])
    })
  }
  await assertSound()
})

test('HTTP/2 connections that end in the middle of a request do no harm', async (t) => {
  const { origin, assertSound } = await startSecure(t, {
    RATE_LIMIT: '1000000',
    LOGIN_RATE_LIMIT: '1000000',
    TRUSTED_PROXIES: '10.0.0.0/8',
    MAX_EVENT_LOOP_DELAY_MS: '60000',
  })
  for (let round = 0; round < 40; round += 1) {
    const session = connect(origin, { rejectUnauthorized: false })
    session.on('error', () => undefined)
    await begin(session, round % 2 === 0 ? '/login' : '/%ff')
    if (round % 4 < 2) session.destroy()
    else session.close()
    if (!session.closed) session.destroy()
  }
  const { status } = await curl('--http2', `${origin}/health`)
  assert.equal(status, 200)
  await assertSound()
})

/** Sends the half of some requests, and waits until the other end has had a part of it. */
async function begin(session: ClientHttp2Session, path: string): Promise<void> {
  for (let index = 0; index < 5; index += 1) {
    const stream = session.request({
      ':method': 'POST',
      ':path': path,
      'content-type': 'application/json',
    })
    stream.on('error', () => undefined)
    stream.write('{"username":')
  }
  await new Promise((resolve) => session.ping(resolve))
}
