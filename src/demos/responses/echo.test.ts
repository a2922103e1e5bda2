import assert from 'node:assert/strict'
import { connect, type AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'
import { curl, makeCertificate } from '../../../test/support/tls-client.ts'
import { startVitrine } from '../../../test/support/start-vitrine.ts'
import { testApp, useApp } from '../../../test/support/test-app.ts'

const sharedApp = useApp()
const smallApp = useApp({ settings: { MAX_BODY_BYTES: '10' } })

/** Sends the bytes of a request, and returns those of the response. */
async function send(t: TestContext, message: string): Promise<string> {
  const app = await testApp(t)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  socket.setEncoding('latin1').write(message, 'latin1')
  return text(socket)
}

test('the echo has the request line, the headers in order and case, and the body', async (t) => {
  const head = [
    'POST /responses/echo?a=%zz&_method=DELETE HTTP/1.1',
    'Host: localhost',
    'x-CaSe: 1',
    'X-Case:  \xe9',
    'Connection: close',
    'Cookie: session=secret; a=b',
    'Transfer-Encoding: chunked',
  ]
  const response = await send(t, `${head.join('\r\n')}\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n`)
  assert.match(response, /^HTTP\/1\.1 200 OK\r\n/)
  assert.match(response, /\r\ncontent-type: message\/http\r\n/i)
  assert.match(response, /\r\ncontent-security-policy: sandbox\r\n/i)
  assert.equal(
    response.slice(response.indexOf('\r\n\r\n') + 4),
    [...head, '', 'abcde']
      .join('\r\n')
      .replace(':  \xe9', ': \xe9')
      .replace('session=secret; ', ''),
  )
})

test('the echo of a request over HTTP/2 has its host', async (t) => {
  const { origin } = await startVitrine(t, await makeCertificate(t))
  const { head, body } = await curl('--http2', '-d', 'abc', `${origin}/responses/echo`)
  assert.match(head, /^HTTP\/2 200/)
  assert.match(
    body,
    new RegExp(`^POST /responses/echo HTTP/2\\.0\r\nhost: ${new URL(origin).host}\r\n`),
  )
  assert.match(body, /\r\n\r\nabc$/)
})

const bodies = [
  ['its type', { 'content-type': 'image/png' }, { 'content-type': 'image/png' }],
  ['a type if it has none', {}, { 'content-type': 'application/octet-stream' }],
  ['its language', { 'content-language': 'de' }, { 'content-language': 'de' }],
  ['HTML in a sandbox', { 'content-type': 'text/html' }, { 'content-security-policy': 'sandbox' }],
  ['no script', { 'content-type': 'text/javascript' }, { 'content-type': 'text/plain' }],
  [
    'no other header',
    { 'x-a': '1', 'set-cookie': 'a=1' },
    { 'x-a': undefined, 'set-cookie': undefined },
  ],
] as const

for (const [name, headers, expected] of bodies) {
  test(`the echo of a body has ${name}`, async () => {
    const app = sharedApp()
    const payload = Buffer.from([0, 255, 10, 13])
    const url = '/responses/echo/body'
    const response = await app.inject({ method: 'PUT', url, headers, payload })
    assert.equal(response.statusCode, 200)
    assert.deepEqual(response.rawPayload, payload)
    assert.equal(response.headers['x-content-type-options'], 'nosniff')
    for (const [header, value] of Object.entries(expected)) {
      assert.equal(response.headers[header], value)
    }
  })
}

for (const url of ['/responses/echo', '/responses/echo/body']) {
  test(`${url} limits the body, and HEAD gets none`, async () => {
    const app = smallApp()
    const { statusCode } = await app.inject({ method: 'POST', url, payload: 'x'.repeat(11) })
    assert.equal(statusCode, 413)
    const head = await app.inject({ method: 'HEAD', url })
    assert.deepEqual([head.statusCode, head.body], [200, ''])
  })
}
