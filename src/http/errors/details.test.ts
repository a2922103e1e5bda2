import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sendBothWays, type TestRequest } from '../../../test/support/request-both-ways.ts'
import { useApp } from '../../../test/support/test-app.ts'

const json = { 'content-type': 'application/json' }
const patch = (body: string): TestRequest => ({
  method: 'PATCH',
  path: '/places/oslo',
  headers: { 'content-type': 'application/json-patch+json' },
  body,
})
const post = (body: string, headers = {}): TestRequest => ({
  method: 'POST',
  path: '/users/post',
  headers: { ...json, ...headers },
  body,
})

const formPart = (name: string, text: string) =>
  `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`
const postForm = (parts: string): TestRequest => ({
  ...post(`${parts}--x--\r\n`, { 'content-type': 'multipart/form-data; boundary=x' }),
  path: '/users/post/formdata',
})

/** The detail names what is wrong with this request, and the setting of a limit that it exceeds. */
const rows: readonly [request: TestRequest, detail: RegExp][] = [
  [{ path: '/places/none' }, /^There is no place with the id none\.$/],
  [{ path: '/places?page=0' }, /^page must be a whole number of at least 1\.$/],
  [{ path: '/places?per_page=0' }, /^per_page must be a whole number from 1 to 1,000\.$/],
  [{ path: '/mirror/query?a[1][2][3][4][5][6]=x' }, /more than 5 levels of brackets/],
  [{ path: `/mirror/query?${'a=1&'.repeat(101)}` }, /more than 100 values of a parameter/],
  [{ path: `/mirror/query?${'a[]=1&'.repeat(101)}` }, /more than 100 values of a parameter/],
  [
    { path: `/mirror/query?${Array.from({ length: 201 }, String).join('&')}` },
    /200 .*MAX_PARAMETERS/,
  ],
  [{ method: 'QUERY', path: '/places' }, /^A QUERY request needs a Content-Type header\.$/],
  [post('{"a":'), /^The body is not valid JSON: .*[^.]\.$/],
  [post('{"__proto__":{}}'), /^The body must not have a member __proto__/],
  [post('{}', { 'content-digest': 'sha-256=:YQ==:' }), /sha-256 digest in Content-Digest\.$/],
  [post('{}', { 'content-digest': 'sha-256=a' }), /^Content-Digest must have the form/],
  [
    post(`"${'x'.repeat(1024 ** 2)}"`),
    /^The body is larger than 1,048,576 bytes \(MAX_BODY_BYTES\)\.$/,
  ],
  [post('['.repeat(65)), /deeper than 64 \(MAX_JSON_DEPTH\)/],
  [{ path: `/mirror/${'a'.repeat(8192)}` }, /longer than 8,192 bytes \(MAX_URL_BYTES\)/],
  [
    postForm(formPart('a', 'x'.repeat(1024 ** 2)) + formPart('b', 'x')),
    /fields of the form exceed 1,048,576 bytes \(MAX_BODY_BYTES\)/,
  ],
  [postForm(formPart('a', '').repeat(201)), /more than 20[0-9] \w+ \(MAX_PARAMETERS\)/],
  [patch('{}'), /^A JSON Patch must be an array/],
  [patch('[{"op":"test","path":"","value":1},{"op":"frob","path":""}]'), /^Operation 1 is invalid/],
  [patch('[{"op":"add","path":"/__proto__","value":1}]'), /^Operation 0 .*without __proto__/],
  [patch('[{"op":"replace","path":"/a/b","value":1}]'), /^replace: the path \/a\/b does not exist/],
  [patch('[{"op":"move","from":"/a","path":"/b"}]'), /^move: the path \/a or \/b does not exist/],
  [
    { method: 'DELETE', path: '/places/oslo', headers: { 'if-match': '"old"' } },
    /^A precondition of the request is false\. The current ETag is ".+"\.$/,
  ],
]

const shared = useApp({ settings: { DEMOS: 'bodies,mirror,places' } })
for (const [request, detail] of rows) {
  const { method = 'GET', path, body = '' } = request
  test(`${method} ${path.slice(0, 40)} ${String(body).slice(0, 60)} has the detail ${String(detail)}`, async () => {
    const app = shared()
    await app.inject({ method: 'PUT', url: '/places/oslo', payload: { name: 'Oslo' } })
    const headers = { accept: 'application/json', ...request.headers }
    const response = await sendBothWays(app, { ...request, headers })
    assert.match((JSON.parse(response.body) as { detail: string }).detail, detail)
  })
}
