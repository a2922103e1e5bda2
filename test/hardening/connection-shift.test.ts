import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sendRaw, startWatched, toRequest } from '../support/watched-vitrine.ts'

const rows: readonly [title: string, status: number, fields: readonly string[]][] = [
  ['an upgrade', 200, ['Connection: Upgrade', 'Upgrade: websocket']],
  ['an unknown expectation', 417, ['Expect: 200-ok', 'Content-Length: 9']],
]

for (const [title, status, fields] of rows) {
  test(`the response to ${title} closes the connection`, async (t) => {
    const { origin } = await startWatched(t)
    const first = toRequest('GET /mirror/query HTTP/1.1', ['Host: x', ...fields])
    const { statuses, isClosed, text } = await sendRaw(origin, first)
    assert.deepEqual([statuses, isClosed], [[status], true])
    assert.match(text, /^connection: close\r$/im)
  })
}
