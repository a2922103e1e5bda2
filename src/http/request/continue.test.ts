import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { listen, openSocket, toRequest, useWatched } from '../../../test/support/watched-vitrine.ts'
import { sendRaw } from '../../../test/support/request-both-ways.ts'
import { testApp } from '../../../test/support/test-app.ts'
import type { Demo } from '../../site/demo.ts'

const watched = useWatched()
const expects = 'Expect: 100-continue'
const json = 'Content-Type: application/json'
const form = 'Content-Type: multipart/form-data; boundary=b'
const picture = 'Content-Type: image/png'
const length = (bytes: number) => `Content-Length: ${String(bytes)}`

/** Requests whose header section decides the response. */
const decided: readonly [what: string, line: string, fields: readonly string[], status: number][] =
  [
    ['a path without a route', 'POST /nowhere', [json, length(9)], 404],
    ['a malformed percent-encoding', 'POST /%zz', [json, length(9)], 400],
    ['a parameter that is not UTF-8', 'PUT /people/%ff', [json, length(9)], 400],
    ['a body that is too large', 'POST /places', [json, length(2_000_000)], 413],
    ['a form that is too large', 'POST /profile', [form, length(20_000_000)], 413],
    ['an invalid Host', 'POST /places', ['Host: a b', json, length(9)], 400],
    ['another site', 'POST /places', ['Origin: http://evil.example', json, length(9)], 403],
    ['a type that no reader takes', 'POST /places', [picture, length(9)], 415],
    [
      'a coding that is not decoded',
      'POST /places',
      ['Content-Encoding: compress', json, length(9)],
      415,
    ],
    ['a body that no reader parses', 'POST /mirror/status/200', [picture, length(9)], 200],
    ['another expectation', 'POST /places', ['Expect: more', json, length(9)], 417],
    ['no body', 'GET /health', [], 200],
    ['an empty body', 'POST /places', [json, length(0)], 422],
  ]

for (const [what, line, fields, status] of decided) {
  test(`Expect: 100-continue with ${what} gets ${String(status)} and no 100`, async () => {
    const { origin, assertSound } = watched()
    const socket = openSocket(origin)
    const host = fields.some((field) => field.startsWith('Host:')) ? [] : ['Host: x']
    const expectation = fields.some((field) => field.startsWith('Expect:')) ? [] : [expects]
    const all = [...host, 'Connection: close', ...expectation, ...fields]
    socket.write(toRequest(`${line} HTTP/1.1`, all))
    const { text } = await listen(socket)
    assert.match(text, new RegExp(`^HTTP/1\\.1 ${String(status)} `))
    await assertSound()
  })
}

const read: readonly [
  what: string,
  line: string,
  fields: string[],
  body: string,
  status: number,
][] = [
  ['a resource', 'POST /places', [json], '{"name":"a"}', 201],
  ['a page of this site', 'POST /places', [json, 'Origin: http://x'], '{"name":"a"}', 201],
  ['a method that its path lacks', 'PUT /health', [json], '{"a":1}', 405],
  ['a method in the body', 'POST /places/a', [json], '{"_method":"GET"}', 404],
  ['a method of a file in the body', 'POST /topic.html', [json], '{"_method":"GET"}', 200],
  [
    'a form',
    'POST /profile',
    [form],
    '--b\r\nContent-Disposition: form-data; name="upfiles"; filename="a"\r\n\r\na\r\n--b--\r\n',
    200,
  ],
]

for (const [what, line, fields, body, status] of read) {
  test(`Expect: 100-continue with ${what} gets 100 before the body is sent`, async () => {
    const { origin, assertSound } = watched()
    const socket = openSocket(origin)
    const all = ['Host: x', 'Connection: close', expects, ...fields, length(body.length)]
    socket.write(toRequest(`${line} HTTP/1.1`, all))
    const [interim] = (await once(socket, 'data')) as [Buffer]
    assert.equal(interim.toString(), 'HTTP/1.1 100 Continue\r\n\r\n')
    socket.write(body)
    assert.deepEqual((await listen(socket)).statuses, [status])
    await assertSound()
  })
}

test('Expect: 100-continue with a malformed path gets the error of its route', async (t) => {
  const lookUp = () => Promise.reject(new Error('EIO: i/o error'))
  const demo: Demo = {
    name: 'static',
    title: 'Files on a broken disk',
    summary: '',
    routes: (_services, app) => {
      app.all('/*', { config: { hasPath: lookUp } }, lookUp)
      return []
    },
  }
  const app = await testApp(t, { demos: [demo], expectsFaults: true })
  const fields = ['Host: localhost', 'Connection: close', expects, json, length(2)]
  const text = await sendRaw(app, toRequest('POST /file HTTP/1.1', fields, '{}'))
  assert.match(text, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 500 /)
  assert.ok(app.logLines.some((line) => line.includes('EIO')))
})
