import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { framingRows, pipelinedRows, tooLargeRows } from './framing-rows.ts'
import { fieldRows, requestLineRows, versionTwoRows } from './raw-request-rows.ts'
import { sendRaw, hasNosniff, toGet, toRequest, useWatched } from '../support/watched-vitrine.ts'
import { words } from '../support/words.ts'

const watched = useWatched()
const allowed5xx = [501, 505]

async function readLocations(origin: string): Promise<unknown> {
  return (await fetch(`${origin}/places`, { headers: { accept: 'application/json' } })).json()
}

/** Sends every row on a new connection, and after each an ordinary request. */
async function sendRows(t: TestContext, rows: typeof requestLineRows): Promise<void> {
  const vitrine = watched()
  for (const [what, message, allowed, options = {}] of rows) {
    await t.test(what, async () => {
      assert.equal(vitrine.process.exitCode, null, 'the process has ended')
      const response = await sendRaw(vitrine.origin, message, options)
      const { statuses } = response
      const seen = `${what}: ${JSON.stringify(response.text.slice(0, 300))}`
      assert.equal(statuses.length, 1, seen)
      assert.ok(allowed.includes(statuses[0] ?? 0), seen)
      assert.ok(
        statuses.every((status) => status < 500 || allowed5xx.includes(status)),
        seen,
      )
      assert.ok(response.isClosed, `left open after ${seen}`)
      assert.ok(hasNosniff(response), seen)
      assert.equal(
        (await sendRaw(vitrine.origin, toGet('/mirror/query?a=next'))).statuses[0],
        200,
        what,
      )
    })
  }
  assert.deepEqual(await readLocations(vitrine.origin), [], 'something was created')
  await vitrine.assertSound()
}

test('a request line of any kind gets one response, and the next client is served', async (t) => {
  await sendRows(t, requestLineRows)
})

test('HTTP/2.0 in a request line is rejected, and the next client is served', async (t) => {
  await sendRows(t, versionTwoRows)
})

test('header fields of any kind get one response, and the next client is served', async (t) => {
  await sendRows(t, fieldRows)
})

test('a body with any framing gets one response, and the next client is served', async (t) => {
  await sendRows(t, framingRows)
})

test('oversized parts of a request get the right status code, and the next client is served', async (t) => {
  await sendRows(t, tooLargeRows)
})

const chunked = ['Host: x', 'Transfer-Encoding: chunked']
const malformedHeads = [
  ['in a header', toRequest('HEAD / HTTP/1.1', ['Host: x', 'A Header: x']), 400],
  // Its body is not read before the response.
  ['in its chunks', toRequest('HEAD / HTTP/1.1', chunked, 'x'), 200],
  [
    'behind a GET',
    toRequest('GET /health HTTP/1.1', ['Host: x']) + 'HEAD / HTTP/1.1\r\n:\r\n\r\n',
    400,
  ],
] as const
for (const [where, message, status] of malformedHeads) {
  test(`a HEAD request with an error ${where} gets no content`, async () => {
    const vitrine = watched()
    const { statuses, text } = await sendRaw(vitrine.origin, message)
    assert.equal(statuses.at(-1), status)
    // RFC 9110 §9.3.2
    assert.match(text, /\r\n\r\n$/)
    await vitrine.assertSound()
  })
}

const watchedApi = useWatched({ DEMOS: 'api' })
const apiRows = [
  ['PROPFIND /api/json', 501],
  ['QUERY /api/json', 405],
  ['TRACE /api/json', 405],
  ['GET /api/%zz', 400],
  ['GET /api/json?name=%ff', 400],
  ['POST /api/%E0%A4', 400],
] as const
for (const [line, status] of apiRows) {
  test(`${line} gets ${String(status)}, with an error of the shape of /api`, async () => {
    const vitrine = watchedApi()
    const message = toRequest(`${line} HTTP/1.1`, ['Host: x', 'Connection: close'])
    const { statuses, text } = await sendRaw(vitrine.origin, message)
    assert.deepEqual(statuses, [status])
    assert.match(text, /\r\n\r\n\{"error":".+"\}\n?$/)
    await vitrine.assertSound()
  })
}

test('several requests on one connection get their responses in order', async (t) => {
  const vitrine = watched()
  for (const [what, message, expected] of pipelinedRows) {
    await t.test(what, async () => {
      const { statuses, text, isClosed } = await sendRaw(vitrine.origin, message)
      assert.deepEqual(statuses, expected, text.slice(0, 600))
      assert.ok(isClosed)
    })
  }
  await vitrine.assertSound()
})

test('many pipelined requests all get a response, in order', async () => {
  const vitrine = watched()
  const targets = Array.from(
    { length: 100 },
    (_, index) => `/mirror/query?a=number-${String(index)}-`,
  )
  const message = targets.map((target) => toRequest(`GET ${target} HTTP/1.1`, ['Host: x']))
  const { text } = await sendRaw(vitrine.origin, message.join('') + toGet('/health'))
  assert.deepEqual(
    [...text.matchAll(/a: (number-\d+-)/g)].map(([, name]) => name),
    targets.map((target) => target.slice('/mirror/query?a='.length)),
  )
  await vitrine.assertSound()
})

test('every byte in every place of a request gets a response, and never a 500', async (t) => {
  const vitrine = watched()
  const places: [string, (byte: string) => string][] = [
    ['the path', (byte) => toGet(`/user${byte}x`)],
    ['the query', (byte) => toGet(`/mirror/query?a=${byte}x`)],
    ['a field name', (byte) => toGet('/health', `X${byte}y: z`)],
    ['a field value', (byte) => toGet('/health', `X: y${byte}z`)],
    [
      'the host',
      (byte) => toRequest('GET /health HTTP/1.1', [`Host: a${byte}b`, 'Connection: close']),
    ],
    [
      'the method',
      (byte) => toRequest(`GE${byte}T /health HTTP/1.1`, ['Host: x', 'Connection: close']),
    ],
  ]
  const bytes = [0, 1, 8, 9, 10, 11, 12, 13, 27, 32, 34, 35, 37, 47, 58, 60, 64, 92, 127, 128, 255]
  for (const [place, toMessage] of places) {
    for (const byte of bytes) {
      await t.test(`${place} ${String(byte)}`, async () => {
        const response = await sendRaw(vitrine.origin, toMessage(String.fromCharCode(byte)))
        const seen = `byte ${String(byte)} in ${place}: ${JSON.stringify(response.text.slice(0, 200))}`
        assert.ok(response.statuses.length >= 1, seen)
        for (const status of response.statuses) {
          assert.ok(status < 500 || allowed5xx.includes(status), seen)
        }
        assert.ok(hasNosniff(response), seen)
      })
    }
  }
  await vitrine.assertSound()
})

test('a body that ends early is stored by no route', async (t) => {
  const vitrine = watched()
  const content = '{"name":"cut short"}'
  const types = ['application/json', 'application/x-www-form-urlencoded', 'text/plain']
  for (const type of types) {
    await t.test(type, async () => {
      const message = toRequest(
        'POST /places HTTP/1.1',
        ['Host: x', `Content-Type: ${type}`, 'Content-Length: 500'],
        content,
      )
      const { statuses } = await sendRaw(vitrine.origin, message, { endsHalf: true })
      assert.deepEqual(statuses, [400])
    })
  }
  assert.deepEqual(await readLocations(vitrine.origin), [])
  await vitrine.assertSound()
})

test('a client that closes its half after the request still gets its response', async (t) => {
  const { origin, assertSound } = watched()
  const targets = words`
    /health /mirror/query?a=1 /topic.html /people /session /nowhere /mirror/status/404
  `
  for (const target of targets) {
    await t.test(target, async () => {
      const { statuses } = await sendRaw(origin, toGet(target), { endsHalf: true })
      assert.equal(statuses.length, 1)
    })
  }
  await assertSound()
})
