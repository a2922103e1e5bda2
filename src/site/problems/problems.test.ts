import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  sendBothWays,
  sendRaw,
  ownHost,
  ownOrigin,
  type TestRequest,
} from '../../../test/support/request-both-ways.ts'
import { catalogueApp, testApp, useApp } from '../../../test/support/test-app.ts'
import { problemTypes } from '../../http/errors/problem-types.ts'

const sharedApp = useApp({}, catalogueApp)

interface Problem {
  type: string
  title: string
  status: number
  detail: string
  instance: string
}

const json = { accept: 'application/json' }
const fields = { 'content-type': 'application/json' }

/** Errors of demos, of the checks of every request, and of the framework. */
const rejected: readonly [slug: keyof typeof problemTypes, TestRequest][] = [
  ['bad-request', { path: '/user42?a=%ff' }],
  ['bad-request', { path: '/%ff' }],
  ['bad-request', { method: 'POST', path: '/users/post', headers: fields, body: '{' }],
  ['unauthorized', { method: 'POST', path: '/login', headers: fields, body: credentials() }],
  ['cross-site-write', { method: 'POST', path: '/people', headers: { origin: 'null' } }],
  ['unsafe-link', { path: '/people/1?_method=DELETE', headers: { 'sec-fetch-site': 'none' } }],
  ['not-found', { path: '/nowhere' }],
  ['not-found', { path: '/people/none' }],
  ['method-not-allowed', { method: 'DELETE', path: '/people' }],
  ['method-not-allowed', { method: 'PUT', path: '/topic.html' }],
  ['content-too-large', { method: 'POST', path: '/users/post', headers: fields, body: large() }],
  ['uri-too-long', { path: `/${'x'.repeat(9000)}` }],
  [
    'unsupported-media-type',
    { method: 'POST', path: '/people', headers: { 'content-encoding': 'compress' }, body: '1' },
  ],
  ['range-not-satisfiable', { path: '/topic.html', headers: { range: 'bytes=999999-' } }],
  ['precondition-failed', { path: '/topic.html', headers: { 'if-match': '"other"' } }],
  ['expectation-failed', { path: '/health', headers: { expect: 'more' } }],
  ['invalid-fields', { method: 'POST', path: '/people', headers: fields, body: '{}' }],
  ['not-implemented', { method: 'PROPFIND', path: '/' }],
]

function credentials(): string {
  return JSON.stringify({ username: 'nobody', password: 'x' })
}

function large(): string {
  return JSON.stringify('x'.repeat(2 * 1024 * 1024))
}

test('the type of an error is the URL of its page', async (t) => {
  const app = sharedApp()
  for (const [slug, request] of rejected) {
    await t.test(slug, async () => {
      const line = `${request.method ?? 'GET'} ${request.path.slice(0, 40)}`
      const headers = { ...json, ...request.headers }
      const response = await sendBothWays(app, { ...request, headers })
      assert.match(response.headers['content-type'] ?? '', /^application\/problem\+json/, line)
      const problem = JSON.parse(response.body) as Problem
      assert.equal(problem.type, `${ownOrigin}/problems/${slug}`, line)
      assert.equal(problem.status, response.status, line)
      assert.equal(problem.title, problemTypes[slug].title, line)
      assert.match(problem.instance, /^urn:uuid:[0-9a-f-]{36}$/, line)
      assert.equal(response.headers['cache-control'], 'no-store', line)

      const path = problem.type.slice(ownOrigin.length)
      const page = await sendBothWays(app, { path, headers: json })
      assert.equal(page.status, 200)
      const { type, title, status } = JSON.parse(page.body) as Problem
      assert.deepEqual([type, title, status], [problem.type, problem.title, problem.status])
    })
  }
})

test('the type of an error without a Host is a path', async (t) => {
  const app = sharedApp()
  const accept = 'accept: application/json\r\nconnection: close'
  for (const host of ['', 'host: bad host\r\n', 'host: a/b\r\n', 'host:\r\n']) {
    await t.test(host, async () => {
      const response = await sendRaw(app, `GET /people HTTP/1.1\r\n${host}${accept}\r\n\r\n`)
      assert.match(response, /^HTTP\/1.1 400 [^]*"type":"\/problems\/bad-request"/)
    })
  }
})

test('a 406 lists the available media types', async () => {
  const app = sharedApp()
  const headers = { accept: 'application/problem+json, image/png' }
  const response = await sendBothWays(app, { path: '/problems', headers })
  assert.equal(response.status, 406)
  const { offers } = JSON.parse(response.body) as { offers: string[] }
  assert.deepEqual(offers, ['text/html', 'application/json', 'text/plain'])
  assert.match(response.headers.vary ?? '', /\bAccept\b(?!-)/)
})

test('an error page links to the page of its problem type', async () => {
  const app = sharedApp()
  const { body } = await app.inject({ url: '/nowhere', headers: { accept: 'text/html' } })
  assert.match(body, /<a href="\/problems\/not-found">/)
})

test('every problem type has a page, in every media type, and is in the list', async (t) => {
  const app = sharedApp()
  const list = await app.inject({ url: '/problems', headers: { ...json, host: ownHost } })
  assert.deepEqual(
    list.json<Problem[]>().map(({ type }) => type),
    Object.keys(problemTypes).map((slug) => `${ownOrigin}/problems/${slug}`),
  )
  const url = '/problems'
  const { body: listPage } = await app.inject({ url, headers: { accept: 'text/html' } })
  for (const [slug, { title, status }] of Object.entries(problemTypes)) {
    await t.test(slug, async () => {
      assert.ok(listPage.includes(`href="/problems/${slug}"`))
      for (const accept of ['text/html', 'text/plain', 'application/json']) {
        const response = await app.inject({ url: `/problems/${slug}`, headers: { accept } })
        assert.equal(response.statusCode, 200)
        assert.ok(response.body.includes(title))
        assert.ok(response.body.includes(String(status)))
        assert.doesNotMatch(response.body, /\{origin\}/)
        assert.equal(response.headers['cache-control'], 'public, max-age=3600')
        assert.equal(response.headers.vary, 'Origin, Accept-Encoding, X-Sandbox, Accept')
      }
    })
  }
})

test('the pages exist whichever demos are open, and an unknown problem type is 404', async (t) => {
  for (const demo of ['mirror', 'people']) {
    await t.test(demo, async () => {
      const app = await testApp(t, { settings: { DEMOS: demo } })
      assert.equal((await app.inject('/problems/not-found')).statusCode, 200)
      for (const url of ['/problems', '/openapi.json', '/inspector']) {
        const accept = url === '/inspector' ? 'text/html' : 'application/json'
        const { body } = await app.inject({ url, headers: { accept, host: ownHost } })
        const commands = [
          ...body.replaceAll(/<[^>]*>/g, '').matchAll(/curl [^`]*?http:\/\/[\w.]+(\/[\w/.-]*)/g),
        ]
        assert.ok(commands.length > 0)
        for (const [command, path] of commands) {
          assert.equal((await app.inject({ url: path ?? '' })).statusCode, 200, command)
        }
      }
      for (const slug of ['nothing', 'constructor', '__proto__']) {
        assert.equal((await app.inject(`/problems/${slug}`)).statusCode, 404, slug)
      }
    })
  }
})
