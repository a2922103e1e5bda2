import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { suite, test, type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { until } from '../support/until.ts'
import { startLarge } from '../support/large-vitrine.ts'
import { openSecure, startSecure } from '../support/tls-client.ts'
import {
  sendRaw,
  listen,
  openSocket,
  toGet,
  toRequest,
  useWatched,
} from '../support/watched-vitrine.ts'

const host = 'Host: localhost'
const json = 'Accept: application/json'
const watched = useWatched({ RATE_LIMIT: '100000' })
const secure = useWatched({ RATE_LIMIT: '100000' }, startSecure)
// It cannot hold the list once for each client of a crowd.
const large = useWatched({ NODE_OPTIONS: '--max-old-space-size=200' }, startLarge)

/** Sends a request and reads nothing. */
function openSilent(t: TestContext, origin: string, message: string): Socket {
  const socket = openSocket(origin).pause()
  t.after(() => socket.destroy())
  socket.write(message)
  return socket
}

for (const target of ['/places', '/places?name_contains=place']) {
  test(`40 clients that pipeline five lists of ${target} and never read do not block others`, async (t) => {
    const { origin, assertSound } = large()
    const message = toRequest(`GET ${target} HTTP/1.1`, [host, json]).repeat(5)
    const sockets = Array.from({ length: 40 }, () => openSilent(t, origin, message))
    await Promise.all(sockets.map(async (socket) => once(socket, 'connect')))
    for (let index = 0; index < 5; index += 1) {
      const { statuses } = await sendRaw(origin, toGet('/mirror/query?a=1'))
      assert.deepEqual(statuses, [200])
    }
    await assertSound()
  })
}

test('a pipelined request is handled when the response before it has been sent', async (t) => {
  const { origin, assertSound } = large()
  const create = toRequest(
    'POST /places HTTP/1.1',
    [host, 'Content-Type: application/json', 'Content-Length: 15', 'Connection: close'],
    '{"name":"late"}',
  )
  const list = toRequest('GET /places HTTP/1.1', [host, json]).repeat(5)
  const socket = openSilent(t, origin, list + create)
  const isCreated = async () => {
    const { text } = await sendRaw(origin, toGet('/places?name=late', json))
    return text.includes('"late"')
  }
  await once(socket, 'readable')
  assert.equal(await isCreated(), false)
  const { statuses, text } = await listen(socket)
  assert.deepEqual(statuses, [...Array.from({ length: 5 }, () => 200), 201], text.slice(-500))
  assert.equal(await isCreated(), true)
  await assertSound()
})

test('nothing is handled after a request that closes the connection', async () => {
  const { origin, assertSound } = watched()
  const create = toRequest(
    'POST /places HTTP/1.1',
    [host, 'Content-Type: application/json', 'Content-Length: 15'],
    '{"name":"late"}',
  )
  const { statuses } = await sendRaw(origin, toGet('/people') + create)
  assert.deepEqual(statuses, [200])
  assert.match((await sendRaw(origin, toGet('/places', json))).text, /\[\]/)
  await assertSound()
})

for (const count of [150, 1500]) {
  test(`of ${String(count)} pipelined requests the first 101 are handled, and the rest are not`, async () => {
    const { origin, assertSound } = watched()
    const flood = toRequest('GET /health HTTP/1.1', [host]).repeat(count)
    const { isClosed, statuses, text } = await sendRaw(origin, flood)
    assert.ok(isClosed)
    assert.deepEqual(
      statuses,
      Array.from({ length: 101 }, () => 200),
    )
    assert.equal(text.match(/^connection: close\r$/gim)?.length, 1)
    await assertSound()
  })
}

/** How many requests of the client were counted before this one. */
async function countRequests(t: TestContext, open: () => Promise<Socket>): Promise<number> {
  const socket = await open()
  t.after(() => socket.destroy())
  socket.write(toGet('/mirror/query?a=1'))
  const left = /^ratelimit: "default";r=(\d+)/im.exec((await listen(socket)).text)?.[1]
  return 100_000 - Number(left) - 1
}

const webSocket = [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
]

let clients = 0

for (const protocol of ['HTTP', 'TLS']) {
  /** Each test has an address of its own, for which no other test was counted. */
  const start = (t: TestContext) => {
    const { origin, assertSound } = protocol === 'TLS' ? secure() : watched()
    clients += 1
    const address = `127.0.1.${String(clients)}`
    const open = async () =>
      protocol === 'TLS' ? openSecure(t, origin, 'http/1.1', address) : openSocket(origin, address)
    return { assertSound, open, count: () => countRequests(t, open) }
  }

  test(`over ${protocol}, Node parses one pipelined request behind those that are handled, and it is counted`, async (t) => {
    const { open, count, assertSound } = start(t)
    const socket = await open()
    // So few that one read has them all: a socket that is closed before it was read to its end is reset, and the last
    // response can be lost.
    socket.write(toRequest('GET /mirror/query?a=1 HTTP/1.1', [host]).repeat(200))
    assert.equal((await listen(socket)).statuses.length, 101)
    assert.equal(await count(), 102)
    await assertSound()
  })

  for (const [what, line, more] of [
    ['a WebSocket', 'GET /go-httpbin/websocket/echo HTTP/1.1', webSocket],
    ['a WebSocket elsewhere', 'GET /mirror/query?a=1 HTTP/1.1', webSocket],
    ['HTTP/2', 'POST /mirror HTTP/1.1', ['Connection: upgrade', 'Upgrade: h2c']],
    ['a tunnel', 'CONNECT localhost:1 HTTP/1.1', []],
  ] as const) {
    test(`over ${protocol}, a request for ${what} behind as many requests as may wait is not handled`, async (t) => {
      const { open, count, assertSound } = start(t)
      const socket = await open()
      const get = toRequest('GET /mirror/query?a=1 HTTP/1.1', [host])
      socket.write(`${get.repeat(101)}${toRequest(line, [host, ...more])}${get}`)
      const { statuses } = await listen(socket)
      assert.deepEqual(
        statuses,
        Array.from({ length: 101 }, () => 200),
      )
      assert.equal(await count(), 102)
      await assertSound()
    })
  }

  test(`over ${protocol}, requests that wait when the client resets the connection are counted`, async (t) => {
    const { open, count, assertSound } = start(t)
    const socket = await open()
    const slow = toRequest('GET /go-httpbin/drip?delay=0&duration=9 HTTP/1.1', [host])
    socket.write(slow + toRequest('GET /mirror/query?a=1 HTTP/1.1', [host]).repeat(70))
    await once(socket, 'data')
    socket.destroy()
    let looks = -1
    await until(async () => {
      looks += 1
      return (await count()) - looks === 71
    })
    await assertSound()
  })

  test(`over ${protocol}, a connection with exactly as many requests as may wait stays open`, async (t) => {
    const { open, count, assertSound } = start(t)
    const socket = await open()
    const get = toRequest('GET /mirror/query?a=1 HTTP/1.1', [host])
    let looks = -1
    for (let round = 1; round <= 3; round += 1) {
      let text = ''
      const add = (chunk: Buffer) => (text += chunk.toString())
      socket.on('data', add).write(get.repeat(101))
      await until(() => text.split('HTTP/1.1 200 ').length === 102)
      socket.off('data', add)
      // The last response may arrive before the service counts its request as complete.
      await until(async () => {
        looks += 1
        return (await count()) - looks === round * 101
      })
    }
    await assertSound()
  })
}

suite('a pipelined head behind responses that are read slowly', { concurrency: true }, () => {
  const watchedQuick = useWatched({ HEADERS_SECONDS: '2' }, startLarge)
  const before =
    toRequest('GET /places HTTP/1.1', [host, json]) +
    toRequest('GET /mirror/query?a=1 HTTP/1.1', [host])
  const start = 'GET /mirror/query?a=last HTTP/1.1\r\nHost: loc'

  test('gets no 408 when it came in time', async (t) => {
    const { origin, assertSound } = watchedQuick()
    const socket = openSilent(t, origin, before + start)
    await once(socket, 'readable')
    await wait(1000)
    socket.write('alhost\r\nConnection: close\r\n\r\n')
    await wait(2000)
    assert.deepEqual((await listen(socket)).statuses, [200, 200, 200])
    await assertSound()
  })

  test('gets 408 after them when it is never complete', async (t) => {
    const { origin, assertSound } = watchedQuick()
    const socket = openSilent(t, origin, before + start)
    await once(socket, 'readable')
    await wait(3000)
    assert.deepEqual((await listen(socket)).statuses, [200, 200, 408])
    await assertSound()
  })
})
