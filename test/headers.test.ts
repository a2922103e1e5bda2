import type { FastifyInstance } from 'fastify'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folders } from '../src/site/assets.ts'
import { passingHeaders } from './request-both-ways.ts'
import { createRecord } from './resources.ts'
import { ann, enter } from './sign-in.ts'
import { openUploads, upload } from './uploads.ts'

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

function lasting(headers: Headers): Headers {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !passingHeaders.includes(name)),
  )
}

/** A services with something in every room, and one address of each GET route. */
async function openHouse(t: Parameters<typeof openUploads>[0]) {
  const { app } = await openUploads(t)
  const { _id: user, cookie } = await enter(app, ann)
  const { _id: location } = await createRecord(app, '/locations', { name: 'Rome' })
  const { _id: file } = await upload(app, 'glass')
  const requestId = String((await app.inject('/health')).headers['x-request-id'])
  const assets = Object.keys(folders)
  const lists = ['', '.html', '.json', '.txt', '.csv', '.ndjson', '?page=1', '?page=2&per_page=1']
  const records = ['', '.html', '.json', '.txt', '/edit']
  const urls = [
    ...lists.flatMap((rest) => [`/users${rest}`, `/locations${rest}`]),
    ...records.flatMap((rest) => [`/users/${user}${rest}`, `/locations/${location}${rest}`]),
    ...['/users/new', '/locations/new', '/uploads', `/uploads/${file}`],
    ...[
      '/',
      '/health',
      '/health/live',
      '/health/ready',
      '/login',
      '/session',
      '/problems',
      '/problems/not-found',
    ],
    ...['/api/json', '/api/get_json_with_param?name=a', '/topic?a=b', '/topic.html', '/user42'],
    `/inspector/${requestId}`,
    ...['/favicon.ico', '/openapi.json', '/docs', '/inspector', '/status/200', '/status/204'],
    ...assets.map((name) => `/assets/${name}`),
  ]
  return { app, cookie, urls }
}

test('HEAD is GET without its content, on every route and for every Accept', async (t) => {
  const { app, urls } = await openHouse(t)
  for (const url of urls) {
    for (const accept of accepts) {
      const headers = accept === undefined ? {} : { accept }
      const got = await app.inject({ url, headers })
      const head = await app.inject({ method: 'HEAD', url, headers })
      const what = `${url} ${String(accept)}`
      assert.equal(head.statusCode, got.statusCode, what)
      assert.equal(head.body, '', what)
      const expected = lasting(got.headers)
      // A length that is known only at the end is not known to HEAD (RFC 9110 §9.3.2).
      const known = head.headers['content-length'] === undefined ? ['content-length'] : []
      for (const name of Object.keys(expected)) {
        if (known.includes(name)) continue
        assert.equal(String(head.headers[name]), String(expected[name]), `${what}: ${name}`)
      }
    }
  }
})

test('whatever has a tag or a date is 304 on it, and says again what a cache needs', async (t) => {
  const { app, urls } = await openHouse(t)
  let tagged = 0
  for (const url of urls) {
    for (const accept of accepts) {
      const headers = accept === undefined ? {} : { accept }
      const got = await app.inject({ url, headers })
      const { etag, 'last-modified': date } = got.headers
      if (got.statusCode !== 200) continue
      const what = `${url} ${String(accept)}`
      const conditions = [
        ...(etag === undefined ? [] : [{ 'if-none-match': etag }]),
        ...(date === undefined ? [] : [{ 'if-modified-since': date }]),
      ]
      for (const condition of conditions) {
        tagged += 1
        const answer = await app.inject({ url, headers: { ...headers, ...condition } })
        assert.equal(answer.statusCode, 304, what)
        assert.equal(answer.body, '', what)
        // RFC 9110 §15.4.5
        for (const name of ['cache-control', 'content-location', 'etag', 'expires', 'vary']) {
          assert.equal(answer.headers[name], got.headers[name], `${what}: ${name}`)
        }
      }
      if (date !== undefined) {
        assert.ok(Date.parse(date) <= Date.parse(String(got.headers.date ?? new Date())) + 1000)
      }
    }
  }
  assert.ok(tagged > 50, String(tagged))
})

test('an answer that Accept can change says Vary: Accept, and no other does', async (t) => {
  const { app, urls } = await openHouse(t)
  for (const url of urls) {
    const answers = await Promise.all(
      accepts.map(async (accept) =>
        app.inject({ url, headers: accept === undefined ? {} : { accept } }),
      ),
    )
    const types = new Set(answers.map(({ headers }) => headers['content-type']))
    for (const { headers, statusCode } of answers) {
      const varies = (headers.vary ?? '').split(', ').includes('Accept')
      if (types.size > 1) assert.ok(varies, `${url} ${String(statusCode)} does not say so`)
      assert.notEqual(headers.vary, '*')
    }
    const isNegotiated = answers.some(({ statusCode, headers }) => {
      return statusCode < 400 && (headers.vary ?? '').includes('Accept')
    })
    if (isNegotiated) {
      const statuses = new Set(answers.map(({ statusCode }) => statusCode))
      assert.ok(types.size > 1 || statuses.has(406), `${url} says so, and Accept changes nothing`)
    }
    for (const { headers } of answers) {
      const varies = (headers.vary ?? '').includes('Accept-Encoding')
      if (headers['content-encoding'] !== undefined) assert.ok(varies, url)
    }
  }
})

test('what accepts ranges gives the part that is asked for, and 416 where there is none', async (t) => {
  const { app, urls } = await openHouse(t)
  const ranged = []
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
  for (const path of ['/uploads/', '/topic.html', '/assets/']) {
    assert.ok(
      ranged.some((url) => url.startsWith(path)),
      path,
    )
  }
})

test('the addresses of these tests stand for every GET route there is', async (t) => {
  const { app, urls } = await openHouse(t)
  const paths = await documentedPaths(app)
  const missing = paths.filter((path) => {
    const pattern = new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{[^}]+\}/g, '[^/]+')}$`)
    return !urls.some((url) => pattern.test(url.split('?')[0] ?? ''))
  })
  assert.deepEqual(missing, [])
})

async function documentedPaths(app: FastifyInstance): Promise<string[]> {
  const { paths } = (await app.inject('/openapi.json')).json<{ paths: Record<string, object> }>()
  return Object.entries(paths)
    .filter(([, operations]) => 'get' in operations)
    .map(([path]) => path)
}
