import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { type TestApp, useApp } from '../../../test/support/test-app.ts'

const sharedApp = useApp()
const binsApp = useApp({ settings: { DEMOS: 'responses,bins' } })

async function getRaw(app: TestApp, target: string): Promise<string> {
  if (!app.server.listening) await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.end(`GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
  return (await buffer(socket)).toString('latin1')
}

const toBase64 = (text: string) => Buffer.from(text, 'latin1').toString('base64')
const toTarget = (description: object) =>
  `/responses/custom?description=${encodeURIComponent(JSON.stringify(description))}`

const sent: readonly [what: string, target: string, line: string][] = [
  ['Latin-1 in Base64', '/responses/custom?header_base64=X-Name:+Q2Fm6Q==', 'X-Name: Caf\xe9'],
  ['a + in Base64', '/responses/custom?header_base64=X-A:+/fv7+w==', 'X-A: \xfd\xfb\xfb\xfb'],
  ['a + first in Base64', '/responses/custom?header_base64=X-A:++8=', 'X-A: \xfb\xef'],
  ['a + first after a space', '/responses/custom?header_base64=X-A:+++8=', 'X-A: \xfb\xef'],
  ['a + last in Base64', '/responses/custom?header_base64=X-A:%20/fv+', 'X-A: \xfd\xfb\xfe'],
  ['Base64 without padding', '/responses/custom?header_base64=X-A:_fs', 'X-A: \xfd\xfb'],
  ['an escaped + in Base64', '/responses/custom?header_base64=X-A:%20%2B%2B8%3D', 'X-A: \xfb\xef'],
  ['Base64 in JSON', toTarget({ header_base64: { 'X-Name': 'Q2Fm6Q==' } }), 'X-Name: Caf\xe9'],
  [
    'a list of Base64 in JSON',
    toTarget({ header_base64: { 'X-Name': [toBase64('\xe9'), toBase64('\x80')] } }),
    'X-Name: \xe9\r\nX-Name: \x80',
  ],
  ['UTF-8 in Base64', toTarget({ header_base64: { 'X-A': 'w6k=' } }), 'X-A: \xc3\xa9'],
  ['UTF-8 as text', '/responses/custom?header=X-A:+%C3%A9', 'X-A: \xc3\xa9'],
  [
    'ends of lines',
    toTarget({ header_base64: { 'X-A': toBase64('a\r\nX-B: c\0d') } }),
    'X-A: a  X-B: c d',
  ],
]
for (const [what, target, line] of sent) {
  test(`a header with ${what} is sent as these bytes`, async () => {
    const response = await getRaw(sharedApp(), target)
    assert.match(response, /^HTTP\/1\.1 200 /)
    assert.ok(response.includes(`\r\n${line}\r\n`), response)
  })
}

const invalid = ['8=', '8', '+A===', '=', 'Q2E==', 'Q2Fm 6Q==', 'Q2Fm6Q==\n', 'Q2E*']
for (const value of invalid) {
  test(`${JSON.stringify(value)} is no Base64 in a header or a body`, async () => {
    const app = binsApp()
    for (const response of [{ header_base64: { 'X-A': value } }, { base64: value }]) {
      assert.equal((await app.inject(toTarget(response))).statusCode, 400, JSON.stringify(response))
      const bin = await app.inject({ method: 'POST', url: '/bins', payload: { response } })
      assert.ok([400, 422].includes(bin.statusCode), bin.body)
    }
    const query = `header_base64=X-A:${encodeURIComponent(value.replaceAll(' ', '*'))}`
    assert.equal((await app.inject(`/responses/custom?${query}`)).statusCode, 400)
  })
}

test('a header of a bin can be given as bytes', async () => {
  const app = binsApp()
  const payload = { response: { header_base64: { 'X-Name': toBase64('\xe9') } } }
  const { headers } = await app.inject({ method: 'POST', url: '/bins', payload })
  const id = String(headers.location).split('/').at(-1) ?? ''
  assert.match(await getRaw(app, `/b/${id}`), /\r\nX-Name: \xe9\r\n/)
})

const limited: readonly [what: string, header: Record<string, string>][] = [
  ['a cookie of the service', { 'Set-Cookie': 'session=1; Path=/' }],
  ['a redirect to another host', { Location: 'https://example.com/' }],
  ['a header that is not allowed', { 'Access-Control-Allow-Origin': 'https://a.example' }],
]
for (const [what, header] of limited) {
  test(`${what} has the same limits as text and as Base64`, async () => {
    const app = sharedApp()
    const encoded = Object.entries(header).map(([name, value]) => [name, toBase64(value)] as const)
    const asText = await app.inject(toTarget({ headers: header }))
    const asBytes = await app.inject(toTarget({ header_base64: Object.fromEntries(encoded) }))
    for (const { headers } of [asText, asBytes])
      for (const name of ['date', 'x-request-id', 'server-timing'])
        Reflect.deleteProperty(headers, name)
    assert.deepEqual(asBytes.headers, asText.headers)
  })
}

const wrong = [
  '/responses/custom?body=caf%E9',
  '/responses/custom?header=X-A:+%E9',
  '/responses/custom?%E9=1',
  '/responses/custom?description=%7B%22body%22:%22%E9%22%7D',
  '/responses/fault/stall?body=%C3%28',
  '/responses/rate/k?tag=%FF',
  '/responses/custom?header_base64=X-A:+%21',
  '/responses/custom?header_base64=X-A',
  toTarget({ header_base64: { 'X-A': '!' } }),
  toTarget({ header_base64: { 'X-A': ['YQ==', '!'] } }),
  toTarget({ header_base64: { 'X A': 'YQ==' } }),
  toTarget({ header_base64: 'YQ==' }),
]
for (const target of wrong) {
  test(`${target} gets 400`, async () => {
    const app = sharedApp()
    assert.equal((await app.inject(target)).statusCode, 400)
  })
}
