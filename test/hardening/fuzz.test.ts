import fc from 'fast-check'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asMessage, chunkedMessages, mutated, requests, type FuzzRequest } from './fuzz-requests.ts'
import { askRaw, startWatched, type RawAnswer, type WatchedVitrine } from './watched-vitrine.ts'

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/** What must hold of every answer, whatever was asked. */
function assertWellFormed({ text }: RawAnswer, request: string): void {
  const seen = `${JSON.stringify(request.slice(0, 2000))} got ${JSON.stringify(text.slice(0, 600))}`
  const head = text.slice(0, text.indexOf('\r\n\r\n'))
  const [line = '', ...fields] = head.split('\r\n')
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

/** Asks, and fails on a fault; `/status` may answer what it is asked for. */
async function assertSane({ origin }: WatchedVitrine, message: string): Promise<void> {
  const answer = await askRaw(origin, message, { endsHalf: true })
  const interim = /^HTTP\/1\.1 100 Continue\r\n\r\n/
  const text = answer.text.replace(interim, '')
  assertWellFormed({ ...answer, text }, message)
  const status = answer.statuses[0] ?? 0
  const isAsked = /\/status\/5/i.test(message)
  const seen = `${String(status)} for ${JSON.stringify(message.slice(0, 2000))}`
  assert.ok(isAsked || ![500, 502, 503, 504].includes(status), seen)
}

async function check(vitrine: WatchedVitrine, messages: fc.Arbitrary<string>, numRuns: number) {
  // Many at a time: what one request leaves behind is there for the next.
  const batches = fc.array(messages, { minLength: 10, maxLength: 10 })
  await fc.assert(
    fc.asyncProperty(batches, async (batch) => {
      await Promise.all(batch.map(async (message) => assertSane(vitrine, message)))
    }),
    // The report names the seed; a fault costs little time to shrink.
    { numRuns: numRuns / 10, interruptAfterTimeLimit: 18_000, endOnFailure: true },
  )
}

const settings = { HEADERS_SECONDS: '1', BODY_IDLE_SECONDS: '1', REQUEST_SECONDS: '2' }

test('requests put together at random are answered, and never with a fault', async (t) => {
  const vitrine = await startWatched(t, settings)
  await check(
    vitrine,
    requests.map((request: FuzzRequest) => asMessage(request)),
    1800,
  )
  await vitrine.assertSound()
})

test('content in random chunks is answered, and never with a fault', async (t) => {
  const vitrine = await startWatched(t, settings)
  await check(vitrine, chunkedMessages, 400)
  await vitrine.assertSound()
})

test('requests with bytes changed at random are answered, and never with a fault', async (t) => {
  const vitrine = await startWatched(t, settings)
  await check(vitrine, mutated, 800)
  await vitrine.assertSound()
})
