import type { FastifyInstance } from 'fastify'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get } from 'node:http'
import { connect as connectHttp2, type IncomingHttpHeaders } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { suite, test, type TestContext } from 'node:test'
import type { Demo } from '../src/site/demo.ts'
import { demos } from '../src/demos/catalogue.ts'
import { makeCertificate } from './support/tls-client.ts'
import { sendRaw } from './support/watched-vitrine.ts'
import { catalogueApp, testApp, type TestApp } from './support/test-app.ts'
import { until } from './support/until.ts'

interface Line {
  msg: string
  reqId: string
  status?: number
  bytes: number
  ms: number
  cutOff?: true
  [name: string]: unknown
}

function linesOf({ logLines }: TestApp): Line[] {
  return logLines.map((line) => JSON.parse(line) as Line)
}

/** The lines of responses, once there are so many. */
async function completed(app: TestApp, count: number): Promise<Line[]> {
  const find = () => linesOf(app).filter(({ msg }) => msg === 'request completed')
  await until(() => find().length >= count)
  return find()
}

/** Responses that do not end properly. */
const faulty: Demo = {
  name: 'faulty',
  title: 'Faulty',
  summary: 'Responses that do not end.',
  routes: (_, app) => {
    app.get('/endless', (_request, reply) => reply.send(Readable.from(forEver())))
    app.get('/silent', () => new Promise(() => undefined))
    app.get('/breaking', (_request, reply) => reply.send(Readable.from(twoThenNothing())))
    return []
  },
}

async function* forEver() {
  for (;;) {
    await new Promise(setImmediate)
    yield Buffer.alloc(1000)
  }
}

async function* twoThenNothing() {
  yield Buffer.from('ab')
  await new Promise(setImmediate)
  throw new Error('the disk is gone')
}

/** Sends a GET; `headed` resolves with the head of the response, or without. */
type Leave = (
  app: FastifyInstance,
  path: string,
) => Promise<{ hangUp: () => void; headed: Promise<unknown> }>

const leaveHttp1: Leave = async (app, path) => {
  const request = get({ port: portOf(app), path, agent: false })
  request.on('error', () => undefined)
  const headed = once(request, 'response').catch(() => undefined)
  // Closed in order, it might as well wait for the response.
  return { hangUp: () => request.socket?.resetAndDestroy(), headed }
}

const leaveHttp2: Leave = async (app, path) => {
  const session = connectHttp2(`https://localhost:${String(portOf(app))}`, {
    rejectUnauthorized: false,
  })
  await once(session, 'connect')
  const stream = session.request({ ':path': path })
  stream.on('error', () => undefined)
  const headed = once(stream, 'response').catch(() => undefined)
  const hangUp = () => {
    stream.close(8)
    session.destroy()
  }
  return { hangUp, headed }
}

function portOf(app: FastifyInstance): number {
  return (app.server.address() as AddressInfo).port
}

const ways = [
  { name: 'HTTP/1.1', leave: leaveHttp1, makeSettings: () => Promise.resolve({}) },
  { name: 'HTTP/2', leave: leaveHttp2, makeSettings: makeCertificate },
]

for (const { name, leave, makeSettings } of ways) {
  suite(`over ${name}`, { timeout: 300_000 }, () => {
    async function listen(t: TestContext) {
      const app = await testApp(t, { settings: await makeSettings(t), demos: [...demos, faulty] })
      await app.listen({ port: 0, host: 'localhost' })
      return app
    }

    test('a client that disconnects during the response has one line, which shows it', async (t) => {
      const app = await listen(t)
      const { hangUp, headed } = await leave(app, '/endless')
      await headed
      hangUp()
      const [line, ...more] = await completed(app, 1)
      assert.equal(line?.cutOff, true)
      assert.equal(line.status, 200)
      assert.equal(line.route, '/endless')
      assert.ok(line.bytes >= 1000, String(line.bytes))
      assert.deepEqual(more, [])
    })

    test('a client that disconnects before the response has one line, without a status code', async (t) => {
      const app = await listen(t)
      const arrived = new Promise((resolve) => app.server.once('request', resolve))
      const { hangUp } = await leave(app, '/silent')
      await arrived
      await new Promise(setImmediate)
      hangUp()
      const [line, ...more] = await completed(app, 1)
      assert.equal(line?.cutOff, true)
      assert.ok(!('status' in line))
      assert.equal(line.bytes, 0)
      assert.deepEqual(more, [])
    })

    test('a response that fails has a line, and another with the reason', async (t) => {
      const app = await listen(t)
      await leave(app, '/breaking')
      const [line] = await completed(app, 1)
      assert.equal(line?.cutOff, true)
      assert.equal(line.bytes, 2)
      const reason = linesOf(app).find(({ msg }) => msg === 'the response was cut off')
      assert.equal(reason?.reqId, line.reqId)
      assert.equal((reason.err as Error).message, 'the disk is gone')
    })
  })
}

const contents = '/ /topic.html /places /places.ndjson /health /nowhere /%ff'.split(' ')

test('the line has the bytes of the body, with a length or streamed', async (t) => {
  const app = await catalogueApp(t)
  await app.inject({ method: 'PUT', url: '/places/rome', payload: { name: 'Rome' } })
  for (const url of contents) {
    await t.test(url, async () => {
      const { rawPayload } = await app.inject(url)
      const line = (await completed(app, 1)).at(-1)
      assert.deepEqual([line?.path, line?.bytes], [url, rawPayload.length])
      assert.equal(line?.cutOff, undefined)
    })
  }
})

test('over HTTP/2 the bytes are the same, and no complete response is called aborted', async (t) => {
  const app = await catalogueApp(t, { settings: await makeCertificate(t) })
  await app.listen({ port: 0, host: 'localhost' })
  const session = connectHttp2(`https://localhost:${String(portOf(app))}`, {
    rejectUnauthorized: false,
  })
  t.after(() => {
    session.destroy()
  })
  const rows = [
    ...contents.map((path) => ({ ':path': path })),
    { ':method': 'HEAD', ':path': '/' },
    { ':method': 'OPTIONS', ':path': '/people' },
    { ':path': '/mirror/status/204' },
    { ':path': '/mirror/status/304' },
  ]
  for (const [index, row] of rows.entries()) {
    const content = await buffer(session.request(row, { endStream: true }))
    const line = (await completed(app, index + 1)).at(-1)
    const logged = [line?.path, line?.bytes, line?.cutOff]
    assert.deepEqual(logged, [row[':path'], content.length, undefined])
  }
})

test('a response without a body has no bytes', async (t) => {
  const app = await catalogueApp(t)
  const { headers } = await app.inject('/topic.html')
  const rows = [
    { method: 'HEAD', url: '/topic.html' },
    { method: 'HEAD', url: '/places' },
    { method: 'OPTIONS', url: '/places' },
    { method: 'GET', url: '/mirror/status/204' },
    { method: 'GET', url: '/topic.html', headers: { 'if-none-match': String(headers.etag) } },
    { method: 'GET', url: '/places', headers: { 'x-http-method-override': 'HEAD' } },
  ] as const
  for (const row of rows) {
    await app.inject(row)
    assert.deepEqual([row.url, (await completed(app, 1)).at(-1)?.bytes], [row.url, 0])
  }
})

test('a line has the route, the method after an override and the received one', async (t) => {
  const app = await catalogueApp(t)
  await app.inject({ method: 'POST', url: '/people/a?_method=DELETE&secret=1' })
  await app.inject({ method: 'GET', url: '/nowhere?secret=1' })
  const [overridden, unknown] = await completed(app, 2)
  assert.deepEqual(
    [overridden?.method, overridden?.receivedMethod, overridden?.route, overridden?.path],
    ['DELETE', 'POST', '/people/:id', '/people/a'],
  )
  assert.ok(unknown && !('receivedMethod' in unknown) && !('route' in unknown))
  assert.ok(app.logLines.every((line) => !line.includes('secret')))
})

const [trace, parent] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331']

test('a line has the trace of a valid traceparent', async (t) => {
  const app = await catalogueApp(t)
  const send = async (headers: IncomingHttpHeaders) => {
    await app.inject({ url: '/health', headers })
    const line = linesOf(app).at(-1)
    return [line?.traceId, line?.parentId]
  }
  assert.deepEqual(await send({ traceparent: `00-${trace}-${parent}-01` }), [trace, parent])
  assert.deepEqual(await send({ traceparent: `00-${trace}-${parent}` }), [undefined, undefined])
  assert.deepEqual(await send({}), [undefined, undefined])
})

const invalid: readonly [what: string, message: string, line: Record<string, unknown>][] = [
  [
    'an unknown method',
    'FOOBAR / HTTP/1.1\r\nHost: x\r\n\r\n',
    { status: 400, failure: 'HPE_INVALID_METHOD', msg: 'The request is not valid HTTP.' },
  ],
  [
    'headers that are too large',
    `GET / HTTP/1.1\r\nHost: x\r\nA: ${'a'.repeat(20_000)}\r\n\r\n`,
    {
      status: 431,
      failure: 'HPE_HEADER_OVERFLOW',
      msg: 'The headers exceed 16,384 bytes (MAX_HEADER_BYTES).',
    },
  ],
  [
    'CONNECT',
    'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n',
    { method: 'CONNECT', status: 501, msg: 'CONNECT is not implemented.' },
  ],
]

for (const [what, message, expected] of invalid) {
  test(`a request that no handler receives has one line: ${what}`, async (t) => {
    const app = await catalogueApp(t, { settings: {} })
    const origin = await app.listen({ port: 0, host: '127.0.0.1' })
    const { statuses } = await sendRaw(origin, message)
    assert.deepEqual(statuses, [expected.status])
    const lines = linesOf(app).filter(({ msg }) => !msg.startsWith('Server listening'))
    assert.equal(lines.length, 1)
    assert.partialDeepStrictEqual(lines[0], { level: 30, ...expected })
  })
}

test('a request whose body is not valid HTTP has one line', async (t) => {
  const app = await catalogueApp(t, { settings: {} })
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  const head = 'POST /users/post HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n'
  assert.deepEqual((await sendRaw(origin, `${head}zz\r\n`)).statuses, [400])
  await completed(app, 1)
  assert.ok(!linesOf(app).some(({ msg }) => msg === 'The request is not valid HTTP.'))
})

test('a line has no secret of a bin, which can be in a path', async (t) => {
  const app = await catalogueApp(t)
  const secret = `vbs_${'a1-_'.repeat(8)}`
  await app.inject(`/b/${secret}/x`)
  await app.inject(`/nowhere/${secret.replace('v', '%76')}`)
  const paths = (await completed(app, 2)).map(({ path }) => path)
  assert.deepEqual(paths, ['/b/vbs_***/x', '/nowhere/vbs_***'])
})
