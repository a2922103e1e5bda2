import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { example, ofNothing, sha256, sha512, toField } from '../../../test/support/digests.ts'
import { sendRaw, ownHost } from '../../../test/support/request-both-ways.ts'
import { useApp } from '../../../test/support/test-app.ts'
import { findWantedAlgorithm } from './digest.ts'

const requestCases: [value: string, status: number][] = [
  [sha256, 200],
  [sha512, 200],
  [`${sha256}, ${sha512}`, 200],
  [`${sha256};a=1`, 200],
  ['', 200],
  // Unknown and insecure algorithms are ignored.
  ['md5=:7Qdih1MuhjZehB6Sv8UNjA==:', 200],
  [`unixsum=:AAAA:, ${sha256}`, 200],
  [sha256.replace('sha-256', 'sha-257'), 200],
  ['constructor=:AAAA:', 200],
  // Of several of one name the last counts (RFC 9651 §4.2.2).
  [`${ofNothing}, ${sha256}`, 200],
  [`${sha256}, ${ofNothing}`, 400],
  [ofNothing, 400],
  [`${sha256}, ${toField('sha-512', '')}`, 400],
  [sha256.replace('sha-256', 'sha-512'), 400],
  ['sha-256=::', 400],
  // No dictionary of byte sequences.
  ['sha-256', 400],
  ['sha-256=RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=', 400],
  ['sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=', 400],
  ['sha-256="RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg="', 400],
  ['sha-256=:%%%:', 400],
  ['sha-256=(:RK/0:)', 400],
  ['SHA-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:', 400],
  [`${sha256},`, 400],
  ['md5=1', 400],
]

const shared = useApp({ settings: { DEMOS: 'bodies,people,places,static' } })

test('the body is compared with the digest in the request', async () => {
  const app = shared()
  for (const field of ['content-digest', 'repr-digest']) {
    for (const [value, status] of requestCases) {
      for (const chunked of [{}, { 'transfer-encoding': 'chunked' }]) {
        const headers = { 'content-type': 'application/json', [field]: value, ...chunked }
        const request = { method: 'POST', url: '/users/post', headers, payload: example } as const
        const response = await app.inject(request)
        assert.equal(response.statusCode, status, `${field}: ${value}: ${response.body}`)
        if (status === 200) assert.deepEqual(response.json(), { hello: 'world' })
      }
    }
  }
})

test('a digest of another body is rejected as a mismatch, and an invalid one as malformed', async () => {
  const app = shared()
  const sendRequest = (value: string) =>
    app.inject({
      method: 'POST',
      url: '/users/post',
      headers: { accept: 'application/json', 'content-digest': value },
      payload: { hello: 'world' },
    })
  assert.match((await sendRequest(ofNothing)).json<{ type: string }>().type, /digest-mismatch$/)
  assert.match((await sendRequest('nonsense=1')).json<{ type: string }>().type, /bad-request$/)
})

test('a body with a wrong digest changes nothing, with any media type and method', async (t) => {
  const app = shared()
  await app.inject({ method: 'PUT', url: '/places/pier', payload: { name: 'Pier' } })
  const cases = [
    ['POST', '/places', 'application/json', '{"name":"Jetty"}'],
    ['POST', '/places', 'application/x-www-form-urlencoded', 'name=Jetty'],
    ['PUT', '/places/pier', 'application/json', '{"name":"Jetty"}'],
    ['PATCH', '/places/pier', 'application/json', '{"name":"Jetty"}'],
    // The method stands in the content, which has to be read for it.
    ['POST', '/places/pier', 'application/x-www-form-urlencoded', '_method=DELETE'],
  ] as const
  for (const [method, url, type, payload] of cases) {
    await t.test(`${method} ${url}`, async () => {
      const headers = { 'content-type': type, 'content-digest': ofNothing }
      const { statusCode } = await app.inject({ method, url, headers, payload })
      assert.ok(statusCode === 400 || statusCode === 405, `${method} ${url}: ${String(statusCode)}`)
    })
  }
  const list = await app.inject({ url: '/places', headers: { accept: 'application/json' } })
  const names = list.json<{ name: string }[]>().map(({ name }) => name)
  assert.deepEqual(names, ['Pier'])
})

test('digests are checked over a socket too, with and without chunks', async (t) => {
  const app = shared()
  const head = `POST /users/post/raw HTTP/1.1\r\nhost: ${ownHost}\r\ncontent-type: text/plain\r\nconnection: close\r\n`
  const cases: [digest: string, status: string][] = [
    [sha256, '200'],
    [ofNothing, '400'],
  ]
  for (const [digest, status] of cases) {
    await t.test(`${digest} ${status}`, async () => {
      const digested = `${head}content-digest: ${digest}\r\n`
      for (const rest of [
        `content-length: 19\r\n\r\n${example}`,
        `transfer-encoding: chunked\r\n\r\n9\r\n${example.slice(0, 9)}\r\na\r\n${example.slice(9)}\r\n0\r\n\r\n`,
      ]) {
        const response = await sendRaw(app, digested + rest)
        assert.equal(response.slice(9, 12), status, response)
      }
    })
  }
})

// RFC 9530 §4
test('the preferred algorithm is used, among the supported ones', async (t) => {
  const cases: [value: string | undefined, algorithm: string | undefined][] = [
    [undefined, undefined],
    ['', undefined],
    ['sha-256=1', 'sha-256'],
    ['sha-512=3, sha-256=10, unixsum=0', 'sha-256'],
    ['sha-512=10, sha-256=3', 'sha-512'],
    ['sha-256=5, sha-512=5', 'sha-256'],
    ['sha-512=5, sha-256=5', 'sha-512'],
    ['md5=10, sha-512=1', 'sha-512'],
    ['sha-256=0', undefined],
    ['sha-256=0, sha-512=1', 'sha-512'],
    ['md5=10', undefined],
    ['sha-256=11', undefined],
    ['sha-256=-1', undefined],
    ['sha-256=1.5', undefined],
    ['sha-256', undefined],
    ['sha-256="10"', undefined],
    ['constructor=10', undefined],
    ['nonsense=', undefined],
  ]
  for (const [value, algorithm] of cases) {
    await t.test(String(value), () => {
      assert.equal(findWantedAlgorithm(value), algorithm)
    })
  }
})

const wanted = { 'want-repr-digest': 'sha-256=1', 'want-content-digest': 'sha-512=1' }

test('Want-Repr-Digest adds digests to every response but streams, for HEAD too', async (t) => {
  const app = shared()
  await app.inject({ method: 'PUT', url: '/people/ann', payload: { name: 'Ann', password: 'x' } })
  for (const url of ['/people/ann', '/mirror/query?a=glass', '/', '/nowhere', '/people/ann.json']) {
    await t.test(url, async () => {
      const get = await app.inject({ url, headers: wanted })
      assert.equal(get.headers['repr-digest'], toField('sha-256', get.rawPayload))
      assert.equal(get.headers['content-digest'], toField('sha-512', get.rawPayload))
      const head = await app.inject({ method: 'HEAD', url, headers: wanted })
      // RFC 9530 appendix B.2
      if (url !== '/nowhere') assert.equal(head.headers['repr-digest'], get.headers['repr-digest'])
      assert.equal(head.headers['content-digest'], toField('sha-512', ''))
      const { headers } = await app.inject(url)
      assert.deepEqual([headers['repr-digest'], headers['content-digest']], [undefined, undefined])
    })
  }
})

test('the response to an unsafe method has digests too, and a 304 has none', async () => {
  const app = shared()
  const request = { method: 'POST', url: '/users/post', headers: wanted } as const
  const written = await app.inject({ ...request, payload: { hello: 'world' } })
  assert.equal(written.headers['repr-digest'], toField('sha-256', '{"hello":"world"}'))
  const { etag } = (await app.inject('/topic.html')).headers
  const fresh = { url: '/topic.html', headers: { ...wanted, 'if-none-match': etag } }
  const { headers } = await app.inject(fresh)
  assert.deepEqual([headers['repr-digest'], headers['content-digest']], [undefined, undefined])
})

test('files have digests', async () => {
  const app = shared()
  const page = await readFile(new URL('../../../public/topic.html', import.meta.url))
  const file = await app.inject({ url: '/topic.html', headers: wanted })
  assert.equal(file.headers['repr-digest'], toField('sha-256', page))
  assert.equal(file.headers['content-digest'], toField('sha-512', page))
})
