import FakeTimers from '@sinonjs/fake-timers'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { mock, test, type TestContext } from 'node:test'
import { buildApp } from '../src/embed.ts'
import { asUpload } from './support/multipart-form.ts'

/** Each replaces the timers of the process, and returns what restores them. */
const fakes: Record<string, () => () => void> = {
  'node:test': () => {
    mock.timers.enable()
    return () => {
      mock.timers.reset()
    }
  },
  // The library of Vitest and of Jest, with the defaults of Vitest.
  '@sinonjs/fake-timers': () => {
    const toFake = [
      'setTimeout',
      'setInterval',
      'setImmediate',
      'clearTimeout',
      'clearInterval',
    ] as const
    const clock = FakeTimers.install({
      toFake: [...toFake, 'clearImmediate', 'Date', 'performance'],
    })
    return () => {
      clock.uninstall()
    }
  },
}

interface Sent {
  method: string
  path: string
  headers?: Record<string, string>
  payload?: string | Buffer
}

/** Without fetch, whose own timers are faked too. */
async function send(origin: string, { method, path, headers = {}, payload }: Sent) {
  const { promise, resolve, reject } = Promise.withResolvers<{ status?: number; body: string }>()
  const sent = request(origin + path, { method, headers, agent: false }, (response) => {
    const { statusCode: status = 0 } = response
    text(response).then((body) => {
      resolve({ status, body })
    }, reject)
  })
  sent.on('error', reject).end(payload)
  return promise
}

const json = { 'content-type': 'application/json', accept: 'application/json' }
const requests: Record<string, Sent> = {
  'a body': { method: 'POST', path: '/posts', headers: json, payload: '{"title":"Two"}' },
  'a large body': {
    method: 'POST',
    path: '/posts',
    headers: json,
    payload: JSON.stringify({ title: 'x'.repeat(500_000) }),
  },
  'a change': { method: 'PATCH', path: '/posts/1', headers: json, payload: '{"title":"New"}' },
  'an upload': { method: 'POST', path: '/profile', ...asUpload('glass'.repeat(50_000)) },
  'a list': { method: 'GET', path: '/posts?title:contains=o' },
  'a page': { method: 'GET', path: '/posts', headers: { accept: 'text/html' } },
  'a delay': { method: 'GET', path: '/responses/custom?delay=0.01&body=late' },
  'a stream': { method: 'GET', path: '/responses/custom?body=abcdef&chunk_size=2&pause=0.01' },
  'a static file': { method: 'GET', path: '/topic.html' },
  'the inspector': { method: 'GET', path: '/inspector?mine=1', headers: json },
  'a reset': { method: 'POST', path: '/_vitrine/reset' },
}

async function open(t: TestContext) {
  const data = { posts: [{ id: 1, title: 'One' }] }
  const vitrine = await buildApp({ data, settings: { TEST_API: 'on' } })
  t.after(() => vitrine.stop())
  return { vitrine, origin: await vitrine.start() }
}

for (const [library, install] of Object.entries(fakes)) {
  for (const [what, sent] of Object.entries(requests)) {
    test(`${what} gets a response while ${library} replaces the timers, and afterwards`, async (t) => {
      const { origin } = await open(t)
      const restore = install()
      t.after(restore)
      const during = await send(origin, sent)
      const begun = send(origin, sent)
      restore()
      for (const { status = 0, body } of [during, await begun, await send(origin, sent)])
        assert.ok(status < 300, body)
    })
  }

  test(`a service with an open WebSocket stops while ${library} replaces the timers`, async (t) => {
    const { vitrine, origin } = await open(t)
    const socket = new WebSocket(`${origin.replace('http', 'ws')}/go-httpbin/websocket/echo`)
    await once(socket, 'open')
    const restore = install()
    t.after(restore)
    socket.send('one')
    const closed = once(socket, 'close')
    // So that the service has the message.
    await send(origin, requests['a list'] as Sent)
    await vitrine.stop()
    restore()
    await closed
  })

  test(`a service starts, follows changes and stops while ${library} replaces the timers`, async (t) => {
    const restore = install()
    t.after(restore)
    const { vitrine, origin } = await open(t)
    const { promise, resolve } = Promise.withResolvers<string>()
    const events = request(`${origin}/posts/events`, { agent: false }, (response) => {
      response.setEncoding('utf8').on('data', (part: string) => {
        if (part.includes('event: created')) resolve(part)
      })
      void send(origin, requests['a body'] as Sent)
    }).end()
    assert.match(await promise, /created/)
    events.on('error', () => undefined).destroy()
    await vitrine.reset()
    await vitrine.stop()
  })
}
