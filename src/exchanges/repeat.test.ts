import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { request } from 'node:http'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { catalogueApp } from '../../test/support/test-app.ts'
import { exchange, textBody } from '../../test/support/exchanges.ts'
import type { Exchange } from './exchange.ts'
import { toBytes } from './message-http.ts'
import { toCommands, toReplay } from './repeat.ts'

type Sent = readonly [
  method: string,
  target: string,
  fields?: readonly string[],
  body?: string | Buffer,
]

const form = 'application/x-www-form-urlencoded'
const multipart =
  '--X\r\nContent-Disposition: form-data; name="upfiles"; filename="a.txt"\r\n\r\nit\'s \\n\r\n--X--\r\n'

const cases: Readonly<Record<string, Sent>> = {
  'a GET': ['GET', '/api/json'],
  'a GET without Accept and User-Agent': ['GET', '/api/json', ['X-A', '1']],
  'a query with brackets and quotes': ['GET', "/topic?a[]={1,2}&a[]='$HOME`id`&b=%27"],
  'dot segments': ['GET', '/topic/../topic/./x?a=../b'],
  'fields that repeat, are empty, or in UTF-8': [
    'GET',
    '/api/json',
    ['X-A', '1', 'x-a', '2', 'X-E', '', 'X-U', Buffer.from('é•').toString('latin1')],
  ],
  codings: ['GET', '/people', ['Accept-Encoding', 'gzip, br', 'Accept', 'text/html;q=0.5, */*']],
  'a HEAD': ['HEAD', '/api/json', ['User-Agent', 'x']],
  'a GET with a body': ['GET', '/api/json', ['Content-Type', 'text/plain'], 'a'],
  'a DELETE': ['DELETE', '/people/nobody'],
  'an unusual method': ['PURGE', '/api/json'],
  'an asterisk': ['OPTIONS', '*'],
  'a form': ['POST', '/toc/aaa', ['Content-Type', form], 'a=%40b&a=c+d'],
  'a body that begins with @': [
    'POST',
    '/users/post/raw',
    ['Content-Type', 'text/plain'],
    '@/etc/passwd',
  ],
  'quotes, tabs and newlines': [
    'POST',
    '/users/post/raw',
    ['Content-Type', 'text/plain'],
    'it\'s\n\t"\\n"\n\n$(id)\n',
  ],
  'a body without a type': ['POST', '/users/post', [], '{"a": 1}'],
  'control characters': [
    'POST',
    '/users/post/raw',
    ['Content-Type', 'text/plain'],
    "a\r\n\\0101\t\u001b[0m\u007f%s'\n\n",
  ],
  'a multipart body': [
    'POST',
    '/profile',
    ['Content-Type', 'multipart/form-data; boundary=X'],
    multipart,
  ],
  'control characters and NUL': [
    'POST',
    '/users/post/raw',
    ['Content-Type', 'text/plain'],
    'a\0\r\n',
  ],
  bytes: [
    'PUT',
    '/people/x',
    ['Content-Type', 'application/octet-stream'],
    Buffer.from([0, 255, 10, 13, 128]),
  ],
}

const isInstalled = await promisify(execFile)('curl', ['--version']).then(Boolean, () => false)

/** curl has its own, and cannot have the recorded ones. */
const ofConnection = /^(host|connection|content-length|transfer-encoding)$/i

for (const [name, [method, path, fields = [], body = '']] of Object.entries(cases)) {
  test(`curl repeats a request with ${name}`, { skip: !isInstalled }, async (t) => {
    const app = await catalogueApp(t, { settings: { INSPECTOR: 'all' } })
    const origin = await app.listen({ host: '127.0.0.1', port: 0 })
    await send(origin, [method, path, fields, body])
    const load = async () => {
      const headers = { accept: 'application/json' }
      const { body } = await app.inject({ url: '/inspector?assets=1', headers })
      const [latest] = (JSON.parse(body) as { exchanges: { id: string }[] }).exchanges
      const one = await app.inject({ url: `/inspector/${latest?.id ?? ''}`, headers })
      return one.json<Exchange & { curl: string }>()
    }
    const first = await load()
    await promisify(execFile)('sh', ['-c', first.curl], { encoding: 'buffer' })
    const second = await load()
    assert.notEqual(first.id, second.id)
    assert.deepEqual(
      [second.method, second.target, second.status],
      [method, first.target, first.status],
    )
    const toFields = (one: Exchange) =>
      one.requestFields.filter(([field]) => !ofConnection.test(field)).toSorted()
    assert.deepEqual(toFields(second), toFields(first))
    for (const one of [first, second]) {
      assert.deepEqual(toBytes(one.requestBody), Buffer.from(body))
    }
  })
}

function send(origin: string, [method, path, fields = [], body = '']: Sent): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<undefined>()
  const length = Buffer.byteLength(body)
  const headers = [
    'Host',
    new URL(origin).host,
    ...fields,
    ...(length > 0 ? ['Content-Length', String(length)] : []),
  ]
  const sent = request(origin, { method, path, headers, agent: false }, (response) => {
    response.resume().once('end', resolve)
  })
  sent.once('error', reject).end(body)
  return promise
}

test('fields of the connection, the request id and masked values are left out', () => {
  const { curl } = toCommands(
    exchange({
      requestFields: [
        ['Host', 'localhost'],
        ['Accept', '*/*'],
        ['User-Agent', 'x'],
        ['Cookie', '••••••'],
        ['X-Request-Id', '1'],
        ['X-Inspector', '••••••'],
        ['Connection', 'close'],
        ['X-B', '2'],
      ],
    }),
  )
  const fields = [...curl.matchAll(/-H '(.*?)'/g)].map(([, field]) => field)
  assert.deepEqual(fields, ['Accept: */*', 'User-Agent: x', 'X-B: 2'])
})

test('Python and Go get methods, fields and bodies as literals', () => {
  const { python, go, fetch } = toCommands(
    exchange({
      method: 'PURGE',
      requestFields: [
        ['X-A', '"1"'],
        ['x-a', '2'],
      ],
      requestBody: { size: 2, isCut: false, hex: '00ff' },
    }),
  )
  assert.match(python, /^import base64\nimport requests\n/)
  assert.match(python, /requests\.request\(\n {4}"PURGE",\n/)
  assert.match(python, /headers=\{"X-A": "\\"1\\", 2"\},\n {4}data=base64\.b64decode\("AP8="\),/)
  assert.match(go, /NewDecoder\(base64\.StdEncoding, strings\.NewReader\("AP8="\)\)/)
  assert.match(go, /Header\.Set\("X-A", "\\"1\\", 2"\)/)
  assert.match(fetch, /body: Uint8Array\.from\(atob\("AP8="\)/)
})

test('a body of which only the start was recorded comes from a file', () => {
  const requestBody = { size: 70_000, isCut: true, text: 'a' }
  const { curl, python, go, httpie } = toCommands(exchange({ method: 'POST', requestBody }))
  assert.match(curl, /--data-binary @content$/)
  assert.match(httpie, /< content$/)
  assert.match(python, /data=open\("content", "rb"\)/)
  assert.match(go, /content, err := os\.Open\("content"\)/)
})

for (const [name, parts, isPossible] of [
  ['a POST', { method: 'POST', requestBody: textBody('a') }, true],
  ['a GET', {}, true],
  ['a GET with a body', { requestBody: textBody('a') }, false],
  ['a TRACE', { method: 'TRACE' }, false],
  ['an asterisk', { method: 'OPTIONS', target: '*' }, false],
  ['another host', { target: '//other.example/' }, false],
  ['another path', { target: '/b/bin/../../bins/bin' }, false],
  ['an encoded other path', { target: '/b/bin/%2e%2E/.%2e/session?a' }, false],
  ['another path after backslashes', { target: '/b/bin\\..\\..\\session' }, false],
  ['dots in names', { target: '/a../..b/.well-known/%2ea?b=../c' }, true],
  ['another origin', { target: 'http://other.example/' }, false],
  [
    'a body that was cut',
    { method: 'POST', requestBody: { ...textBody('a'), isCut: true } },
    false,
  ],
] as const) {
  test(`${name} can ${isPossible ? '' : 'not '}be replayed by a browser`, () => {
    assert.equal(toReplay(exchange(parts)) !== undefined, isPossible)
  })
}
