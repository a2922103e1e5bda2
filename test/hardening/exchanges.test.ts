import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { formType } from '../resources.ts'
import { startWatched } from './watched-vitrine.ts'

const long = 'a'.repeat(1_000_000)

const rows: readonly [what: string, type: string, body: string][] = [
  ['a long _request_id', formType, `_request_id=${long}`],
  ['a _request_id that is an object', 'application/json', `{"_request_id":{"a":"${long}"}}`],
  ['a random _request_id before a long field', formType, `_request_id=${randomUUID()}&a=${long}`],
]

for (const [what, type, body] of rows) {
  test(`exchanges with ${what} do not fill the memory`, async (t) => {
    const settings = { NODE_OPTIONS: '--max-old-space-size=96' }
    const { origin, assertSound } = await startWatched(t, settings)
    for (let index = 0; index < 150; index += 1) {
      const headers = { accept: 'text/html', 'content-type': type }
      const response = await fetch(`${origin}/users`, { method: 'POST', headers, body })
      assert.equal(response.status, 422)
      await response.arrayBuffer()
    }
    await assertSound()
  })
}

test(
  'long headers of many exchanges are masked in linear time',
  { timeout: 120_000 },
  async (t) => {
    const { origin, assertSound } = await startWatched(t)
    const id = randomUUID()
    const headers = { accept: 'text/html', 'x-request-id': id, 'x-a': ','.repeat(15_000) }
    for (let index = 0; index < 40; index += 1) {
      await (await fetch(`${origin}/health`, { headers })).arrayBuffer()
    }
    for (let index = 0; index < 20; index += 1) {
      const response = await fetch(`${origin}/inspector?request_id=${id}`)
      assert.equal(response.status, 200)
      await response.arrayBuffer()
    }
    await assertSound()
  },
)
