import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openEverything } from './support/every-url.ts'
import { variableHeaders } from './support/request-both-ways.ts'
import { useApp } from './support/test-app.ts'

const accepts = [
  undefined,
  '*/*',
  'text/html',
  'application/json',
  'text/plain',
  'text/csv',
  'application/x-ndjson',
  'image/png',
]

type Headers = Readonly<Record<string, unknown>>

/** Whether another Accept had a response of this type: the rest of it is the same. */
function trackTypes(): (got: { statusCode: number; headers: Headers }) => boolean {
  const seen = new Set<string>()
  return ({ statusCode, headers }) => {
    const { size } = seen
    return seen.add(`${String(statusCode)} ${String(headers['content-type'])}`).size === size
  }
}

function withoutVariable(headers: Headers): Headers {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !variableHeaders.includes(name)),
  )
}

const urls: string[] = []
const shared = useApp({}, async (t) => {
  const opened = await openEverything(t)
  // The headers of `/mirror` show the method, and each visit of a lesson gets another name.
  urls.push(...opened.urls.filter((url) => !['/mirror', '/learn/caching'].includes(url)))
  urls.push(
    ...['/people', '/places'].flatMap((path) => [`${path}?page=1`, `${path}?page=2&per_page=1`]),
  )
  urls.push('/topic.html', '/mirror/status/204')
  return opened.app
})

/** The response of each URL for each Accept, which the first test that wants it requests. */
const responses = new Map<string, Promise<Response[]>>()

function getResponses(url: string): Promise<Response[]> {
  const known = responses.get(url) ?? Promise.all(accepts.map((accept) => get(url, accept)))
  responses.set(url, known)
  return known
}

type Response = Awaited<ReturnType<typeof get>>

async function get(url: string, accept?: string) {
  const headers = accept === undefined ? {} : { accept }
  const { statusCode, headers: received } = await shared().inject({ url, headers })
  return { sent: headers, what: `${url} ${String(accept)}`, statusCode, headers: received }
}

test('HEAD is GET without its body, on every route and for every Accept', async () => {
  const app = shared()
  for (const url of urls) {
    const isSeen = trackTypes()
    for (const got of await getResponses(url)) {
      if (isSeen(got)) continue
      const { what, sent } = got
      const head = await app.inject({ method: 'HEAD', url, headers: sent })
      assert.equal(head.statusCode, got.statusCode, what)
      assert.equal(head.body, '', what)
      const expected = withoutVariable(got.headers)
      // A length that is known only at the end is not known to HEAD (RFC 9110 §9.3.2).
      const known = head.headers['content-length'] === undefined ? ['content-length'] : []
      for (const name of Object.keys(expected)) {
        if (known.includes(name)) continue
        assert.equal(String(head.headers[name]), String(expected[name]), `${what}: ${name}`)
      }
    }
  }
})

test('every response with an ETag or a date supports 304, which has the headers for caches', async () => {
  const app = shared()
  let tagged = 0
  for (const url of urls) {
    const isSeen = trackTypes()
    for (const got of await getResponses(url)) {
      const { what, sent } = got
      const { etag, 'last-modified': date } = got.headers
      if (isSeen(got) || got.statusCode !== 200) continue
      const conditions = [
        ...(etag === undefined ? [] : [{ 'if-none-match': etag }]),
        ...(date === undefined ? [] : [{ 'if-modified-since': date }]),
      ]
      for (const condition of conditions) {
        tagged += 1
        const response = await app.inject({ url, headers: { ...sent, ...condition } })
        assert.equal(response.statusCode, 304, what)
        assert.equal(response.body, '', what)
        // RFC 9110 §15.4.5
        for (const name of ['cache-control', 'content-location', 'etag', 'expires', 'vary']) {
          assert.equal(response.headers[name], got.headers[name], `${what}: ${name}`)
        }
      }
      if (date !== undefined) {
        assert.ok(Date.parse(date) <= Date.parse(String(got.headers.date ?? new Date())) + 1000)
      }
    }
  }
  assert.ok(tagged > 50, String(tagged))
})

test('exactly the responses that depend on Accept have Vary: Accept', async (t) => {
  for (const url of urls) {
    await t.test(`${url} has Vary: Accept only if Accept changes it`, async () => {
      const responses = await getResponses(url)
      const types = new Set(responses.map(({ headers }) => headers['content-type']))
      for (const { headers, statusCode } of responses) {
        const varies = (headers.vary ?? '').split(', ').includes('Accept')
        if (types.size > 1) assert.ok(varies, `${url} ${String(statusCode)} has no Vary: Accept`)
        assert.notEqual(headers.vary, '*')
      }
      const isNegotiated = responses.some(({ statusCode, headers }) => {
        return statusCode < 400 && (headers.vary ?? '').split(', ').includes('Accept')
      })
      if (isNegotiated) {
        assert.ok(types.size > 1 || new Set(responses.map(({ statusCode }) => statusCode)).has(406))
      }
      for (const { headers } of responses) {
        const varies = (headers.vary ?? '').includes('Accept-Encoding')
        if (headers['content-encoding'] !== undefined) assert.ok(varies)
      }
    })
  }
})

test('every response with Accept-Ranges supports ranges, and 416', async (t) => {
  const app = shared()
  const ranged: string[] = []
  for (const url of urls) {
    const got = await app.inject(url)
    const part = await app.inject({ url, headers: { range: 'bytes=1-2' } })
    if (got.headers['accept-ranges'] !== 'bytes') {
      assert.equal(part.statusCode, got.statusCode, url)
      continue
    }
    ranged.push(url)
    const size = got.rawPayload.length
    assert.equal(part.statusCode, 206, url)
    assert.deepEqual(part.rawPayload, got.rawPayload.subarray(1, 3), url)
    assert.equal(part.headers['content-range'], `bytes 1-2/${String(size)}`)
    const beyond = await app.inject({ url, headers: { range: `bytes=${String(size)}-` } })
    assert.equal(beyond.statusCode, 416, url)
    assert.equal(beyond.headers['content-range'], `bytes */${String(size)}`)
    const { etag = '' } = got.headers
    for (const [status, ifRange] of [
      [206, etag],
      [200, '"other"'],
    ] as const) {
      const headers = { range: 'bytes=1-2', 'if-range': ifRange }
      assert.equal((await app.inject({ url, headers })).statusCode, status, `${url} ${ifRange}`)
    }
  }
  for (const path of ['/topic.html', '/assets/']) {
    await t.test(path, () => {
      assert.ok(ranged.some((url) => url.startsWith(path)))
    })
  }
})
