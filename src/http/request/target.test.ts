import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sendRaw } from '../../../test/support/request-both-ways.ts'
import { useApp } from '../../../test/support/test-app.ts'

const settings = { ALLOWED_HOSTS: 'a.example,b.example' }

const shared = useApp({ settings })

function toMessage(method: string, target: string, ...fields: readonly string[]): string {
  const lines = [`${method} ${target} HTTP/1.1`, ...fields, 'Connection: close']
  return `${lines.join('\r\n')}\r\n\r\n`
}

const rows: readonly (readonly [status: number, target: string, ...fields: string[]])[] = [
  [200, '/mirror', 'Host: a.example'],
  [200, 'http://a.example/mirror', 'Host: b.example'],
  [200, 'HTTP://A.example:80/mirror?a=1', 'Host: b.example'],
  [200, 'http://a.example/mirror', 'Host: attacker.example'],
  [421, 'http://attacker.example/mirror', 'Host: a.example'],
  [400, 'http://a.example/mirror'],
  [400, 'http://a.example/mirror', 'Host: a.example', 'Host: a.example'],
  [400, 'http://a.example/mirror', 'Host: a b'],
  [400, 'http://user@a.example/mirror', 'Host: a.example'],
  [400, 'http://user:secret@a.example/mirror', 'Host: a.example'],
  [400, 'http:///mirror', 'Host: a.example'],
  [400, '/mirror#part', 'Host: a.example'],
  [400, '/mirror?a=1#part', 'Host: a.example'],
  [400, 'http://a.example/mirror#part', 'Host: a.example'],
  [400, 'http://a.example#part', 'Host: a.example'],
  [400, 'ftp://a.example/mirror', 'Host: a.example'],
  [421, 'https://a.example/mirror', 'Host: a.example'],
]

for (const [expected, target, ...fields] of rows) {
  test(`${target} with ${fields.join(', ') || 'no Host'} gets ${String(expected)}`, async () => {
    const app = shared()
    const response = await sendRaw(app, toMessage('GET', target, ...fields))
    assert.match(response, new RegExp(`^HTTP/1\\.1 ${String(expected)} `))
  })
}

test('problem types have the host of an absolute request target', async () => {
  const app = shared()
  const fields = ['Host: b.example', 'Accept: application/json']
  const response = await sendRaw(app, toMessage('GET', 'http://a.example/nowhere', ...fields))
  assert.match(response, /"type":"http:\/\/a\.example\/problems\/not-found"/)
})

for (const [expected, origin] of [
  [200, 'http://a.example'],
  [403, 'http://b.example'],
] as const) {
  test(`an unsafe request to an absolute target from ${origin} gets ${String(expected)}`, async () => {
    const app = shared()
    const fields = ['Host: b.example', `Origin: ${origin}`, 'Content-Length: 0']
    const response = await sendRaw(app, toMessage('POST', 'http://a.example/mirror', ...fields))
    assert.match(response, new RegExp(`^HTTP/1\\.1 ${String(expected)} `))
  })
}
