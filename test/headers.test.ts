import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { createExamples } from './support/examples.ts'
import { loadDocument } from './support/openapi/load-document.ts'
import { variableHeaders } from './support/request-both-ways.ts'
import { isEndless, isRaw } from './support/routes.ts'
import { catalogueApp } from './support/test-app.ts'

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

/** The app with a record of each kind, and the URLs of every GET route. */
async function openApp(t: TestContext) {
  const app = await catalogueApp(t)
  const examples: Record<string, string> = {
    ...(await createExamples(app)),
    '/inspector': String((await app.inject('/health')).headers['x-request-id']),
    '/problems': 'not-found',
  }
  const { paths } = await loadDocument(app)
  const urls = Object.entries(paths)
    // The headers of `/mirror` show the method.
    .filter(([path, operations]) => operations.get && path !== '/mirror' && !isRaw(app, path))
    .filter(([path]) => !isEndless(path))
    .map(([path]) =>
      path.replace(/^(.*?)\/?\{\w+\}/, (_, prefix: string) =>
        prefix in examples ? `${prefix}/${examples[prefix] ?? ''}` : path.replace(/\{\w+\}/, '200'),
      ),
    )
  const others = ['/people', '/places'].flatMap((path) => [
    `${path}?page=1`,
    `${path}?page=2&per_page=1`,
  ])
  const files = ['/topic.html', '/assets/vitrine.css', '/assets/icon.svg', '/favicon.ico']
  urls.push(...others, ...files, '/mirror/status/204')
  return { app, urls }
}

test('HEAD is GET without its body, on every route and for every Accept', async (t) => {
  const { app, urls } = await openApp(t)
  for (const url of urls) {
    const isSeen = trackTypes()
    for (const accept of accepts) {
      const headers = accept === undefined ? {} : { accept }
      const got = await app.inject({ url, headers })
      if (isSeen(got)) continue
      const head = await app.inject({ method: 'HEAD', url, headers })
      const what = `${url} ${String(accept)}`
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

test('every response with an ETag or a date supports 304, which has the headers for caches', async (t) => {
  const { app, urls } = await openApp(t)
  let tagged = 0
  for (const url of urls) {
    const isSeen = trackTypes()
    for (const accept of accepts) {
      const headers = accept === undefined ? {} : { accept }
      const got = await app.inject({ url, headers })
      const { etag, 'last-modified': date } = got.headers
      if (isSeen(got) || got.statusCode !== 200) continue
      const what = `${url} ${String(accept)}`
      const conditions = [
        ...(etag === undefined ? [] : [{ 'if-none-match': etag }]),
        ...(date === undefined ? [] : [{ 'if-modified-since': date }]),
      ]
      for (const condition of conditions) {
        tagged += 1
        const response = await app.inject({ url, headers: { ...headers, ...condition } })
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
  const { app, urls } = await openApp(t)
  for (const url of urls) {
    await t.test(`${url} has Vary: Accept only if Accept changes it`, async () => {
      const responses = await Promise.all(
        accepts.map(async (accept) =>
          app.inject({ url, headers: accept === undefined ? {} : { accept } }),
        ),
      )
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
  const { app, urls } = await openApp(t)
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
