import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { formType } from '../support/resources.ts'
import { sendRaw, toRequest, useWatched } from '../support/watched-vitrine.ts'

type Body = string | Buffer<ArrayBuffer>
type Row = readonly [what: string, path: string, type: string, body: Body, allowed: number[]]

const json = 'application/json'
const watched = useWatched()
const watchedSmall = useWatched({ MAX_BODY_BYTES: '1000' })

/** Bodies that a route does not accept, and the status codes that are right for them. */
const rows: readonly Row[] = [
  ...['{', '[1,', "{'a':1}", 'NaN', '{"a":01}', '\u{feff}', 'undefined', '{"a":1}}', '"\t"'].map(
    (body): Row => [`invalid JSON: ${body}`, '/people', json, body, [400]],
  ),
  ...['1', '"text"', 'null', '[]', '[{"name":"a"}]', 'true'].map((body): Row => [
    `JSON other than an object: ${body}`,
    '/people',
    json,
    body,
    [422],
  ]),
  ['an array 40,000 deep', '/users/post', json, '['.repeat(40_000) + ']'.repeat(40_000), [400]],
  ['an object 40,000 deep', '/users/post', json, '{"a":'.repeat(40_000), [400]],
  ['an array 65 deep', '/users/post', json, '['.repeat(65) + ']'.repeat(65), [400]],
  ['an array 64 deep', '/users/post', json, '['.repeat(64) + ']'.repeat(64), [200]],
  ['brackets in a string', '/users/post', json, `"${'['.repeat(1000)}"`, [200]],
  ['JSON in UTF-16', '/people', json, Buffer.from('{"name":"a"}', 'utf16le'), [400]],
  ['JSON that is not UTF-8', '/people', json, Buffer.from([0x22, 0xff, 0x22]), [400]],
  ['a form that is not UTF-8', '/mirror/field', formType, 'a=%ff', [400]],
  ['text that is not UTF-8', '/users/post/raw', 'text/plain', Buffer.from([0xe9]), [400]],
  [
    'a number too large',
    '/places',
    json,
    '{"name":"a","latitude":1e999,"longitude":0}',
    [400, 422],
  ],
  [
    'numbers written as strings',
    '/places',
    json,
    '{"name":"a","latitude":"1","longitude":"2"}',
    [422],
  ],
  ['one of two numbers', '/places', json, '{"name":"a","latitude":1}', [422]],
  [
    'form values that are not decimal numbers',
    '/places',
    formType,
    'name=a&latitude=0x1&longitude=1_0',
    [422],
  ],
  ['required fields missing', '/people', json, '{}', [422]],
  ['a name that is an object', '/people', json, '{"name":{"a":1},"password":["x"]}', [422]],
  ['a repeated name in a form', '/people', formType, 'name=a&name=b&password=x', [422]],
  ['a name too long', '/people', json, `{"name":"${'x'.repeat(201)}","password":"x"}`, [422]],
  ['a password too long', '/people', json, `{"name":"x","password":"${'é'.repeat(513)}"}`, [422]],
  ['201 parameters', '/users/post', formType, 'a=1&'.repeat(201), [400]],
  ['101 items in a list', '/users/post', formType, 'a[]=1&'.repeat(101), [400]],
  ['brackets 6 deep', '/users/post', formType, 'a[1][2][3][4][5][6]=x', [400]],
  ['a list with the length 10^8', '/users/post', formType, 'a[length]=100000000', [200, 400]],
  ['an index of 10^8', '/users/post', formType, 'a[100000000]=x', [200, 400]],
  ['an unsupported media type', '/people', 'application/xml', '<a/>', [415]],
  ['an invalid media type', '/people', 'nonsense', '{}', [415]],
  [
    'multipart for a resource without files',
    '/people',
    'multipart/form-data; boundary=b',
    '--b--\r\n',
    [415],
  ],
  ['JSON for an upload', '/profile', json, '{}', [415]],
  ['multipart/mixed for an upload', '/profile', 'multipart/mixed; boundary=b', '--b--\r\n', [415]],
  ['multipart without a boundary', '/profile', 'multipart/form-data', '--b--\r\n', [400]],
  ['an empty boundary', '/profile', 'multipart/form-data; boundary=', '--b--\r\n', [400]],
  [
    'a boundary of 300 characters',
    '/profile',
    `multipart/form-data; boundary=${'x'.repeat(300)}`,
    `--${'x'.repeat(300)}--\r\n`,
    [400],
  ],
  [
    'multipart without a boundary line',
    '/profile',
    'multipart/form-data; boundary=b',
    'garbage',
    [400],
  ],
  [
    'multipart that ends in a part header',
    '/profile',
    'multipart/form-data; boundary=b',
    '--b\r\nConte',
    [400],
  ],
]

test('invalid bodies are rejected with the right status code and change nothing', async (t) => {
  const { origin, assertSound } = watched()
  for (const [what, path, type, body, allowed] of rows) {
    await t.test(`${what} ${path}`, async () => {
      const headers = { 'content-type': type, accept: json }
      const { status } = await fetch(origin + path, { method: 'POST', headers, body })
      assert.ok(allowed.includes(status), String(status))
    })
  }
  for (const path of ['/people', '/places', '/uploads']) {
    await t.test(path, async () => {
      assert.deepEqual(await (await fetch(origin + path, { headers: { accept: json } })).json(), [])
    })
  }
  await assertSound()
})

test('encoded bodies that are too large, malformed or of an unknown coding are rejected', async (t) => {
  const { origin, assertSound } = watched()
  const bomb = gzipSync(Buffer.alloc(120_000_000), { level: 1 })
  const cases: [coding: string, body: Body, status: number][] = [
    ['gzip', Buffer.from(bomb), 413],
    ['gzip', 'garbage', 400],
    ['banana', '{}', 415],
    ['gzip, gzip', Buffer.from(gzipSync(bomb)), 413],
    ['br', '{}', 400],
  ]
  const routes = [
    ['/people', json],
    ['/mirror/field', formType],
    ['/users/post/raw', 'text/plain'],
    ['/profile', 'multipart/form-data; boundary=b'],
    ['/users/post/formdata', 'multipart/form-data; boundary=b'],
  ]
  for (const [path = '', type = ''] of routes) {
    for (const [coding, body, status] of cases) {
      await t.test(`${path} ${coding} ${String(status)}`, async () => {
        const headers = { 'content-type': type, 'content-encoding': coding }
        const response = await fetch(origin + path, { method: 'POST', headers, body })
        assert.equal(response.status, status)
        const accepted = status === 415 ? 'gzip, br, zstd, deflate' : null
        assert.equal(response.headers.get('accept-encoding'), accepted)
      })
    }
  }
  await assertSound()
})

for (const path of ['/people', '/users/post', '/responses/echo', '/httpbin/post']) {
  test(`a chunked body that is too large, and goes on, gets 413 from ${path}`, async () => {
    const { origin, assertSound } = watchedSmall()
    const chunk = `3e8\r\n${'0'.repeat(1000)}\r\n`
    const fields = ['Host: x', `Content-Type: ${json}`, 'Transfer-Encoding: chunked']
    const head = toRequest(`POST ${path} HTTP/1.1`, [...fields, 'Connection: close'])
    const { statuses } = await sendRaw(origin, `${head}${chunk.repeat(2000)}0\r\n\r\n`)
    assert.deepEqual(statuses, [413])
    await assertSound()
  })
}
