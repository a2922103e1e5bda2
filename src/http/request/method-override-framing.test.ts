import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sendBothWays, sendRaw, ownHost } from '../../../test/support/request-both-ways.ts'
import { useApp } from '../../../test/support/test-app.ts'
import { words } from '../../../test/support/words.ts'

/** Paths whose GET is made in different ways: text, a page, a file, a streamed list, an error. */
const paths = words`
  /mirror/query?a=glass / /topic.html /people /api/json /nowhere /mirror/status/404
`

const shared = useApp({ settings: { DEMOS: 'api,static,people,mirror' } })

test('a POST overridden with HEAD has the headers of GET, the length 0 and no body', async (t) => {
  const app = shared()
  for (const path of paths) {
    await t.test(path, async () => {
      const get = await sendBothWays(app, { path })
      const headers = { 'x-http-method-override': 'HEAD' }
      const head = await sendBothWays(app, { method: 'POST', path, headers })
      assert.equal(head.body, '')
      assert.equal(head.headers['content-length'], '0')
      const differing = { 'content-length': undefined, 'cache-control': 'no-store' }
      assert.equal(head.headers['cache-control'], 'no-store')
      assert.deepEqual(
        [head.status, { ...head.headers, ...differing }],
        [get.status, { ...get.headers, ...differing }],
      )
    })
  }
})

test('a plain HEAD has the headers of GET and no body', async (t) => {
  const app = shared()
  for (const path of paths) {
    await t.test(path, async () => {
      const get = await sendBothWays(app, { path })
      for (const value of ['HEAD', 'GET']) {
        const headers = { 'x-http-method-override': value }
        const head = await sendBothWays(app, { method: 'HEAD', path, headers })
        assert.deepEqual([path, head.status, head.body], [path, get.status, ''])
        assert.equal(head.headers['content-type'], get.headers['content-type'])
      }
    })
  }
})

test('a HEAD overridden with GET is handled as GET, and the response has its length', async () => {
  const app = shared()
  const { headers, body } = await sendBothWays(app, { method: 'HEAD', path: '/mirror?_method=GET' })
  assert.deepEqual([headers['x-method'], headers['content-length'], body], ['GET', '5', ''])
})

test('a GET overridden with HEAD gets the same response as a POST overridden with HEAD', async () => {
  const app = shared()
  const { status, headers, body } = await sendBothWays(app, { path: '/mirror/query?_method=HEAD' })
  assert.deepEqual([status, headers['content-length'], body], [200, '0', ''])
})

// RFC 9110 §8.6: no Content-Length with a 204, whatever the method was.
test('a 204 has no length when a POST was overridden with HEAD', async () => {
  const app = shared()
  const path = '/mirror/status/204?_method=HEAD'
  const { status, headers } = await sendBothWays(app, { method: 'POST', path })
  assert.deepEqual([status, headers['content-length']], [204, undefined])
})

test('the next request on the connection is parsed correctly after any override', async (t) => {
  const app = shared()
  const host = `host: ${ownHost}`
  const form = '_method=HEAD&a=1'
  const type = 'content-type: application/x-www-form-urlencoded'
  const toHead = `${host}\r\nx-http-method-override: HEAD\r\n\r\n`
  const toGet = `${host}\r\nx-http-method-override: GET\r\n\r\n`
  const sized = `${host}\r\n${type}\r\ncontent-length: 16\r\n\r\n${form}`
  const chunked = `${host}\r\n${type}\r\ntransfer-encoding: chunked\r\n\r\n10\r\n${form}\r\n0\r\n\r\n`
  const firsts = [
    ...paths.flatMap((path) => [
      `POST ${path} HTTP/1.1\r\n${toHead}`,
      `GET ${path} HTTP/1.1\r\n${toHead}`,
      `HEAD ${path} HTTP/1.1\r\n${toGet}`,
    ]),
    `POST /mirror/query HTTP/1.1\r\n${sized}`,
    `POST /mirror/query HTTP/1.1\r\n${chunked}`,
    `GET /mirror/query?_method=HEAD HTTP/1.1\r\n${sized}`,
    `GET /mirror/query?_method=HEAD HTTP/1.1\r\n${chunked}`,
  ]
  const second = `GET /mirror/query?a=second HTTP/1.1\r\n${host}\r\nconnection: close\r\n\r\n`
  for (const first of firsts) {
    await t.test(first, async () => {
      const responses = await sendRaw(app, first + second)
      assert.equal(responses.match(/^HTTP\/1\.1 \d{3}/gm)?.length, 2, `${first}\n${responses}`)
      // The second begins where the headers of the first end: there is nothing in between.
      assert.match(responses, /\r\n\r\nHTTP\/1\.1 200 OK\r\n[^]*\r\n\r\na: second\n$/)
    })
  }
})

test('a POST overridden with GET gets a body', async () => {
  const app = shared()
  const path = '/mirror/query?_method=GET&a=glass'
  const response = await sendBothWays(app, { method: 'POST', path })
  assert.deepEqual([response.status, response.body], [200, 'a: glass\n'])
})
