import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { suite, test } from 'node:test'
import {
  sendRaw,
  hasNosniff,
  listen,
  openSocket,
  startWatched,
  toGet,
  toRequest,
  useWatched,
} from '../support/watched-vitrine.ts'

const quick = { HEADERS_SECONDS: '1', BODY_IDLE_SECONDS: '1', REQUEST_SECONDS: '2' }
const watched = useWatched()
const ordinary = toRequest('GET /health HTTP/1.1', ['Host: x'])
const formType = 'application/x-www-form-urlencoded'

/** Writes one byte after another until the connection ends. */
function drip(socket: Socket, byte = 'a'): void {
  const timer = setInterval(() => socket.write(byte), 100)
  for (const event of ['end', 'close', 'error']) {
    socket.on(event, () => {
      clearInterval(timer)
    })
  }
}

function toHead(path: string, type: string, length = 1000): string {
  const fields = ['Host: x', `Content-Type: ${type}`, `Content-Length: ${String(length)}`]
  return toRequest(`POST ${path} HTTP/1.1`, fields)
}

const readers: readonly [path: string, type: string, start: string][] = [
  ['/people', 'application/json', '{"name":'],
  ['/mirror/field', formType, 'a=b'],
  ['/users/post/raw', 'text/plain', 'text'],
  ['/users/post/formdata', 'multipart/form-data; boundary=b', '--b\r\nContent-Disposition: '],
  [
    '/users/post/formdata',
    'multipart/form-data; boundary=b',
    '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nbegun',
  ],
  ['/profile', 'multipart/form-data; boundary=b', ''],
  [
    '/profile',
    'multipart/form-data; boundary=b',
    '--b\r\nContent-Disposition: form-data; name="upfiles"; filename="a"\r\n\r\nbegun',
  ],
]

// They wait most of the time.
suite('what does not arrive in time', { concurrency: true }, () => {
  const watchedQuick = useWatched(quick)

  test('headers that do not arrive in time get 408', async () => {
    const { origin, assertSound } = watchedQuick()
    const beginnings = ['', 'GET /', 'GET / HTTP/1.1\r\n', 'GET / HTTP/1.1\r\nHost: x\r\nX: ']
    const responses = beginnings.map(async (beginning) => {
      const socket = openSocket(origin)
      socket.write(beginning)
      if (beginning !== '') drip(socket)
      return listen(socket)
    })
    for (const [index, response] of (await Promise.all(responses)).entries()) {
      const what = JSON.stringify(beginnings[index])
      assert.ok(response.isClosed, what)
      // A client that sent nothing may be disconnected without a response.
      if (index > 0 || response.text !== '') assert.deepEqual(response.statuses, [408], what)
      assert.ok(hasNosniff(response), what)
    }
    await assertSound()
  })

  test('a body that stops arriving gets 408, whatever reads it', async () => {
    const { origin, assertSound } = watchedQuick()
    const sent = readers.flatMap(([path, type, start]) =>
      ['', start].map((part) => [path, type, part]),
    )
    const responses = sent.map(async ([path = '', type = '', part = '']) =>
      sendRaw(origin, toHead(path, type) + part),
    )
    for (const [index, response] of (await Promise.all(responses)).entries()) {
      const what = JSON.stringify(sent[index])
      assert.deepEqual(response.statuses, [408], what)
      assert.ok(response.isClosed, what)
      assert.ok(hasNosniff(response), what)
      assert.match(response.text, /within BODY_IDLE_SECONDS, 1 second\./, what)
    }
    await assertSound()
  })

  test('a body that arrives slowly for too long gets 408, whatever reads it', async () => {
    const { origin, assertSound } = watchedQuick()
    const responses = readers.map(async ([path, type, start]) => {
      const socket = openSocket(origin)
      socket.write(toHead(path, type) + start)
      drip(socket)
      return listen(socket)
    })
    for (const [index, response] of (await Promise.all(responses)).entries()) {
      const what = JSON.stringify(readers[index])
      assert.deepEqual(response.statuses, [408], what)
      assert.ok(response.isClosed, what)
      assert.match(response.text, /within REQUEST_SECONDS, 2 seconds\./, what)
    }
    await assertSound()
  })

  test('a body that is not read gets one response, and the connection is closed', async (t) => {
    const { origin, assertSound } = watchedQuick()
    const paths = ['/nowhere', '/mirror/status/200', '/user/create', '/topic.html', '/api/nowhere']
    const types = ['application/json', 'image/png', 'multipart/form-data; boundary=b']
    const sent = paths.flatMap((path) => types.map((type) => toHead(path, type)))
    sent.push(
      toRequest('POST /nowhere HTTP/1.1', ['Host: x', 'Expect: more', 'Content-Length: 10']),
    )
    for (const before of ['', ordinary]) {
      await t.test(before, async () => {
        await Promise.all(
          sent.map(async (message) => {
            const { statuses, text, isClosed } = await sendRaw(origin, before + message)
            const what = message + text
            assert.equal(statuses.length, before === '' ? 1 : 2, what)
            assert.ok(
              statuses.every((status) => status < 500),
              what,
            )
            assert.ok(isClosed, what)
          }),
        )
      })
    }
    await assertSound()
  })

  test('a persistent connection whose next request is late gets 408', async (t) => {
    const { origin, assertSound } = watchedQuick()
    const whole = toHead('/nowhere', 'image/png', 1) + 'x'
    const beginnings: [beginning: string, statuses: readonly number[]][] = [
      ['GET / HTTP/1.1\r\nX: ', [404, 408]],
      [toHead('/mirror/field', formType), [404, 408]],
    ]
    for (const [beginning, expected] of beginnings) {
      await t.test(beginning, async () => {
        const { statuses, isClosed } = await sendRaw(origin, whole + beginning)
        assert.deepEqual(statuses, expected)
        assert.ok(isClosed)
      })
    }
    await assertSound()
  })
})

const broken: [what: string, message: string, expected: readonly number[]][] = [
  ['ends within a body that already has its response', '', [404]],
  ['continues with an invalid chunk', 'no chunk\r\n', [404]],
  ['continues with malformed HTTP', `0\r\n\r\n${ordinary}no HTTP\r\n`, [404, 200, 400]],
  ['continues with incomplete headers', '0\r\n\r\nGET / HTTP/1.1\r\nHost: ', [404, 400]],
  [
    'continues with large headers',
    `0\r\n\r\n${toGet('/', `X: ${'x'.repeat(20_000)}`)}`,
    [404, 431],
  ],
]

for (const [what, message, expected] of broken) {
  test(`a connection that ${what} gets ${expected.join(', ')}`, async () => {
    const { origin, assertSound } = watched()
    const socket = openSocket(origin)
    const fields = ['Host: x', 'Content-Type: image/png', 'Transfer-Encoding: chunked']
    socket.write(toRequest('POST /nowhere HTTP/1.1', fields))
    await once(socket, 'readable')
    socket.end(message)
    const { statuses, isClosed } = await listen(socket)
    assert.deepEqual(statuses, expected)
    assert.ok(isClosed)
    await assertSound()
  })
}

test('many slow connections do not block other clients', async (t) => {
  const { origin, assertSound } = await startWatched(t, { HEADERS_SECONDS: '300' })
  const crowd = Array.from({ length: 200 }, (_, index) => {
    const socket = openSocket(origin)
    socket.write(index % 2 ? 'GET / HTTP/1.1\r\nX: ' : toHead('/mirror/field', formType))
    drip(socket)
    return socket
  })
  t.after(() => {
    for (const socket of crowd) socket.destroy()
  })
  await Promise.all(crowd.map(async (socket) => once(socket, 'connect')))
  for (let index = 0; index < 50; index += 1) {
    assert.equal((await sendRaw(origin, toGet('/mirror/query?a=1'))).statuses[0], 200)
  }
  assert.ok(crowd.every((socket) => !socket.destroyed && !socket.readableEnded))
  await assertSound()
})

test('connections over MAX_CONNECTIONS are dropped, and accepted again when others end', async (t) => {
  const { origin, assertSound } = await startWatched(t, { MAX_CONNECTIONS: '5' })
  const held = Array.from({ length: 5 }, () => openSocket(origin))
  for (const socket of held) {
    socket.write(toRequest('GET /health HTTP/1.1', ['Host: x']))
    await once(socket, 'data')
  }
  const over = await sendRaw(origin, toGet('/health'))
  assert.deepEqual([over.text, over.isClosed], ['', true])
  for (const socket of held) socket.destroy()
  let response = await sendRaw(origin, toGet('/health'))
  while (response.text === '') response = await sendRaw(origin, toGet('/health'))
  assert.deepEqual(response.statuses, [200])
  await assertSound()
})

test('a client that sends the whole body first can read a 413', async (t) => {
  const { origin, assertSound } = await startWatched(t, {
    MAX_BODY_BYTES: '100000',
    MAX_UPLOAD_BYTES: '100000',
  })
  const file = `--b\r\nContent-Disposition: form-data; name="upfiles"; filename="a"\r\n\r\n`
  const cases: [path: string, type: string, start: string][] = [
    ['/people', 'application/json', '"'],
    ['/mirror/field', formType, 'a='],
    ['/users/post/raw', 'text/plain', ''],
    ['/profile', 'multipart/form-data; boundary=b', file],
    ['/users/post/formdata', 'multipart/form-data; boundary=b', file.replace('upfiles', 'pic')],
    [
      '/users/post/formdata',
      'multipart/form-data; boundary=b',
      '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n',
    ],
  ]
  for (const [path, type, start] of cases) {
    for (const size of [200_000, 2_000_000]) {
      await t.test(`${path} ${type} ${String(size)}`, async () => {
        const content = start + 'x'.repeat(size)
        for (const isChunked of [false, true]) {
          const framing = isChunked
            ? 'Transfer-Encoding: chunked'
            : `Content-Length: ${String(content.length)}`
          const fields = ['Host: x', 'Connection: close', `Content-Type: ${type}`, framing]
          const framed = isChunked
            ? `${content.length.toString(16)}\r\n${content}\r\n0\r\n\r\n`
            : content
          const socket = openSocket(origin)
          socket.write(toRequest(`POST ${path} HTTP/1.1`, fields))
          // Like a simple client: it reads only after it has sent everything.
          await new Promise((resolve) => socket.write(framed, resolve))
          assert.deepEqual((await listen(socket)).statuses, [413], `${path} ${type} ${framing}`)
        }
      })
    }
  }
  await assertSound()
})
