import fc from 'fast-check'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { costlyRequests } from './fuzz-costly.ts'
import { asMessage, chunkedMessages, mutated, requests, type FuzzRequest } from './fuzz-requests.ts'
import { readUsage } from '../support/process-usage.ts'
import {
  sendRaw,
  startWatched,
  type RawResponse,
  type WatchedVitrine,
} from '../support/watched-vitrine.ts'

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/** Checks that must hold for every response. */
function assertWellFormed({ text }: RawResponse, request: string): void {
  const seen = `${JSON.stringify(request.slice(0, 2000))} got ${JSON.stringify(text.slice(0, 600))}`
  const [line = '', ...fields] = text.slice(0, text.indexOf('\r\n\r\n')).split('\r\n')
  assert.match(line, /^HTTP\/1\.1 [2-5]\d\d [ -~]*$/, seen)
  for (const field of fields) {
    const colon = field.indexOf(':')
    assert.match(field.slice(0, colon), token, seen)
    assert.match(field.slice(colon + 1), /^ [\t -~\x80-\xff]*$/, seen)
  }
  const names = fields.map((field) => field.slice(0, field.indexOf(':')).toLowerCase())
  const isSingle = (name: string) => names.filter((other) => other === name).length <= 1
  for (const name of ['content-length', 'content-type', 'transfer-encoding', 'etag', 'location']) {
    assert.ok(isSingle(name), seen)
  }
  assert.ok(!(names.includes('content-length') && names.includes('transfer-encoding')), seen)
  assert.ok(names.includes('x-content-type-options'), seen)
}

/** Sends the request, and fails on a 500; `/status` may respond with any requested code. */
async function assertSane({ origin }: WatchedVitrine, message: string): Promise<void> {
  const response = await sendRaw(origin, message, { endsHalf: true })
  const text = response.text.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '')
  assertWellFormed({ ...response, text }, message)
  const status = response.statuses[0] ?? 0
  const isRequested = /\/status\/5/i.test(message)
  const seen = `${String(status)} for ${JSON.stringify(message.slice(0, 2000))}`
  assert.ok(isRequested || ![500, 502, 503, 504].includes(status), seen)
}

/** Far above the cost of any request of these sizes: requests that blocked the service took minutes. */
const maxCpuSeconds = 2
const maxResidentBytes = 500 * 1024 ** 2

/** `together` are sent at a time: each request can affect the next. */
async function check(
  vitrine: WatchedVitrine,
  messages: fc.Arbitrary<string>,
  { numRuns, together = 10 }: { numRuns: number; together?: number },
) {
  const batches = fc.array(messages, { minLength: together, maxLength: together })
  await fc.assert(
    fc.asyncProperty(batches, async (batch) => {
      const before = readUsage(vitrine.process.pid)
      await Promise.all(batch.map(async (message) => assertSane(vitrine, message)))
      const after = readUsage(vitrine.process.pid)
      if (before === undefined || after === undefined) return
      const seconds = after.cpuSeconds - before.cpuSeconds
      const seen = JSON.stringify(batch.map((message) => message.slice(0, 2000)))
      assert.ok(seconds <= maxCpuSeconds * together, `${String(seconds)} s of CPU for ${seen}`)
      const mebibytes = String(after.residentBytes / 1024 ** 2)
      assert.ok(after.residentBytes <= maxResidentBytes, `${mebibytes} MiB after ${seen}`)
    }),
    // The report names the seed; a fault costs little time to shrink.
    { numRuns: numRuns / together, interruptAfterTimeLimit: 18_000, endOnFailure: true },
  )
}

const settings = { HEADERS_SECONDS: '1', BODY_IDLE_SECONDS: '1', REQUEST_SECONDS: '2' }

test('random requests get a response, and never a 500', async (t) => {
  const vitrine = await startWatched(t, settings)
  await check(
    vitrine,
    requests.map((request: FuzzRequest) => asMessage(request)),
    { numRuns: 1800 },
  )
  await vitrine.assertSound()
})

test('bodies in random chunks get a response, and never a 500', async (t) => {
  const vitrine = await startWatched(t, settings)
  await check(vitrine, chunkedMessages, { numRuns: 400 })
  await vitrine.assertSound()
})

test('requests with random changes of bytes get a response, and never a 500', async (t) => {
  const vitrine = await startWatched(t, settings)
  await check(vitrine, mutated, { numRuns: 800 })
  await vitrine.assertSound()
})

for (const [title, messages] of Object.entries(costlyRequests)) {
  test(`random ${title} cost little time and memory`, async (t) => {
    const vitrine = await startWatched(t, { ...settings, NODE_OPTIONS: '--max-old-space-size=128' })
    for (const id of ['one', ...Array.from({ length: 200 }, (_, index) => String(index))]) {
      const content = JSON.stringify({ name: id, note: 'a'.repeat(2000) })
      const fields = ['Content-Type: application/json']
      await assertSane(
        vitrine,
        asMessage({ method: 'PUT', target: `/locations/${id}`, fields, content }),
      )
    }
    await check(vitrine, messages, { numRuns: 300, together: 1 })
    await vitrine.assertSound()
  })
}
