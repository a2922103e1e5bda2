import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { test } from 'node:test'
import { readUsage } from '../support/process-usage.ts'
import { startWatched, toGet } from '../support/watched-vitrine.ts'
import { catalogueApp } from '../support/test-app.ts'
import { exchange } from './exchange.ts'
import { until } from '../support/until.ts'

const megabyte = 1024 * 1024

test('1,000 delays take less than 50 MB, and end when their clients leave', async (t) => {
  const settings = { MAX_DURATION_SECONDS: '3600', NODE_OPTIONS: '--max-semi-space-size=4' }
  const { origin, process: child, assertSound } = await startWatched(t, settings)
  const { port } = new URL(origin)
  const read = () => readUsage(child.pid)?.residentBytes ?? 0
  for (let index = 0; index < 200; index += 1) await (await fetch(`${origin}/httpbin/get`)).text()
  const before = read()
  const request = toGet('/httpbin/delay/3000')
  const sockets = await Promise.all(
    Array.from({ length: 1000 }, async () => {
      const socket = connect(Number(port), '127.0.0.1')
      await once(socket, 'connect')
      socket.write(request)
      return socket
    }),
  )
  for (let index = 0; index < 50; index += 1) await assertSound()
  const taken = read() - before
  assert.ok(taken < 50 * megabyte, `${String(taken / megabyte)} MB`)
  for (const socket of sockets) socket.destroy()
  // A timer that is left would keep the process from stopping.
  child.kill('SIGTERM')
  assert.deepEqual(await once(child, 'exit'), [0, null])
  t.diagnostic(`${(taken / megabyte).toFixed(1)} MB`)
})

const slow = [
  '/delay/5',
  '/drip?duration=5&delay=0',
  '/sse?duration=5',
  '/jsonl?duration=5',
  '/range/26?duration=5',
]

for (const prefix of ['/httpbin', '/go-httpbin']) {
  test(`${prefix}: nothing is left of a client that has gone`, async (t) => {
    const app = await catalogueApp(t, {
      settings: { ALLOWED_HOSTS: '*', MAX_DURATION_SECONDS: '3600' },
    })
    const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
    const count = () => process.getActiveResourcesInfo().filter((one) => one === 'Timeout').length
    for (const path of slow) {
      await t.test(path, async () => {
        const socket = connect(Number(port), '127.0.0.1')
        const before = count()
        socket.write(toGet(prefix + path.replace('5', '3000')))
        await until(() => count() > before)
        socket.destroy()
        await until(() => count() <= before)
      })
    }
  })
}

const limited = {
  '/httpbin/delay/60': 200,
  '/go-httpbin/delay/60': 400,
  '/httpbin/drip?duration=60': 400,
  '/httpbin/drip?duration=0.04&delay=0.04': 400,
  '/go-httpbin/drip?duration=60': 400,
  '/go-httpbin/drip?duration=40ms&delay=40ms': 400,
  '/httpbin/range/10?duration=60': 400,
  '/go-httpbin/range/10?duration=60': 400,
  '/go-httpbin/sse?duration=60': 400,
  '/go-httpbin/jsonl?delay=60': 400,
  '/go-httpbin/bytes/1001': 400,
  '/go-httpbin/stream-bytes/1001': 400,
  '/go-httpbin/range/1001': 400,
  '/httpbin/range/1001': 404,
  '/go-httpbin/drip?numbytes=1001': 400,
  '/go-httpbin/websocket/echo?max_message_size=1001': 400,
}

test('the names of go-httpbin set the limits too', async (t) => {
  const app = await catalogueApp(t, {
    settings: { MAX_DURATION_SECONDS: '50ms', MAX_BODY_BYTES: '1000' },
  })
  for (const [url, status] of Object.entries(limited)) {
    await t.test(url, async () => {
      assert.equal((await app.inject(url)).statusCode, status)
    })
  }
  await t.test('/httpbin/bytes/5000 is shortened', async () => {
    assert.equal((await app.inject('/httpbin/bytes/5000')).rawPayload.length, 1000)
  })
})

test('the same seed gives the same bytes', async (t) => {
  const app = await catalogueApp(t)
  const read = async (url: string) => (await app.inject(url)).rawPayload.toString('hex')
  const bytes = await read('/httpbin/bytes/40?seed=7')
  assert.equal(await read('/go-httpbin/stream-bytes/40?seed=7&chunk_size=3'), bytes)
  assert.equal(await read('/go-httpbin/bytes/10?seed=7'), bytes.slice(0, 20))
  assert.notEqual(await read('/httpbin/bytes/40?seed=8'), bytes)
  assert.notEqual(await read('/httpbin/bytes/40'), await read('/httpbin/bytes/40'))
  const statuses = async () => {
    const one = [1, 2, 3, 4, 5, 6, 7, 8].map((seed) =>
      app.inject(`/go-httpbin/unstable?seed=${String(seed)}`),
    )
    return (await Promise.all(one)).map(({ statusCode }) => statusCode)
  }
  assert.deepEqual(await statuses(), await statuses())
  assert.equal(new Set(await statuses()).size, 2)
})

for (const prefix of ['/httpbin', '/go-httpbin']) {
  test(`${prefix}: a client cannot choose very many chunks`, async (t) => {
    const origin = await (await catalogueApp(t)).listen({ host: '127.0.0.1', port: 0 })
    const sending = request(`${origin}${prefix}/stream-bytes/100000?chunk_size=1`).end()
    const [response] = (await once(sending, 'response')) as [IncomingMessage]
    let [chunks, bytes] = [0, 0]
    response.on('data', (chunk: Buffer) => {
      chunks += 1
      bytes += chunk.length
    })
    await once(response, 'end')
    assert.equal(bytes, 100_000)
    // Node sends what is written in one turn as one chunk: with 100,000 there would be 400.
    assert.ok(chunks < 200, String(chunks))
  })
}

for (const [range, status] of [
  ['bytes=0-25', 200],
  ['bytes=1-25', 206],
  ['bytes=1-26', 416],
  ['bytes=26-26', 416],
] as const) {
  test(`Range: ${range} of 26 bytes gets ${String(status)} from httpbin`, async (t) => {
    const app = await catalogueApp(t)
    const response = await app.inject({ url: '/httpbin/range/26', headers: { range } })
    assert.equal(response.statusCode, status)
  })
}

test('a trailer cannot set what a header cannot', async (t) => {
  const app = await catalogueApp(t, { settings: { ALLOWED_HOSTS: '*' } })
  const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  const query = 'a=1&x-b=%0d%0ac&strict-transport-security=x&%20=y'
  const { trailers } = await exchange(Number(port), { line: `GET /httpbin/trailers?${query}` })
  assert.deepEqual(trailers, { a: '1', 'x-b': 'c' })
})
