import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { formType } from '../support/resources.ts'
import { readUsage } from '../support/process-usage.ts'
import { startWatched } from '../support/watched-vitrine.ts'

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

test('long bodies stay within INSPECTOR_MAX_BYTES', { timeout: 300_000 }, async (t) => {
  const settings = { INSPECTOR_MAX_BYTES: String(8 * 1024 ** 2) }
  const {
    origin,
    process: child,
    assertSound,
  } = await startWatched(t, {
    ...settings,
    NODE_OPTIONS: '--max-old-space-size=96',
  })
  const headers = { 'content-type': 'text/plain' }
  const send = async () => {
    const url = `${origin}/users/post/raw`
    const response = await fetch(url, { method: 'POST', headers, body: long.slice(0, 200_000) })
    await response.arrayBuffer()
  }
  const sendMany = async (count: number) => {
    for (let sent = 0; sent < count; sent += 10) await Promise.all(Array.from({ length: 10 }, send))
  }
  await sendMany(300)
  const before = readUsage(child.pid)?.residentBytes ?? 0
  // Of each exchange, 128 KiB are recorded: 190 MiB without a limit.
  await sendMany(1500)
  const after = readUsage(child.pid)?.residentBytes ?? 0
  assert.ok(after - before < 96 * 1024 ** 2, `${String(before)} to ${String(after)} bytes`)
  await assertSound()
})

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

test('viewers with a filter do not delay other requests', { timeout: 120_000 }, async (t) => {
  const { origin, assertSound } = await startWatched(t)
  const headers = { accept: 'text/event-stream' }
  const closing = new AbortController()
  t.after(() => {
    closing.abort()
  })
  const view = () =>
    fetch(`${origin}/inspector/events?path=none`, { headers, signal: closing.signal })
  const viewers = await Promise.all(Array.from({ length: 200 }, view))
  assert.ok(viewers.every(({ status }) => status === 200))
  // To mask one of these takes a millisecond.
  const target = `/api/json?${'a=b&'.repeat(1900)}`
  const send = async () => (await fetch(origin + target)).arrayBuffer()
  for (let sent = 0; sent < 1000; sent += 20) await Promise.all(Array.from({ length: 20 }, send))
  await assertSound()
})
