import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { test, type TestContext } from 'node:test'
import { createBrotliDecompress, createGunzip, createZstdDecompress } from 'node:zlib'
import { testApp } from '../../../test/support/test-app.ts'
import type { Demo } from '../../site/demo.ts'

const decoders = { zstd: createZstdDecompress, br: createBrotliDecompress, gzip: createGunzip }

interface Produce {
  (): AsyncGenerator<string>
}

/** A service on a socket, with one stream. Returns what requests it. */
async function openStream(t: TestContext, produce: Produce) {
  const demo: Demo = {
    name: 'records',
    title: 'Records',
    summary: 'A stream.',
    routes: () => [
      {
        method: 'GET',
        url: '/records',
        summary: 'Return a stream',
        handler: (_, reply) => reply.type('application/x-ndjson').send(Readable.from(produce())),
      },
    ],
  }
  const app = await testApp(t, { demos: [demo], expectsFaults: true })
  const origin = await app.listen({ port: 0 })
  return async (coding: string) => {
    const request = get(`${origin}/records`, { headers: { 'accept-encoding': coding } })
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    return response
  }
}

for (const [coding, createDecoder] of Object.entries(decoders)) {
  test(`the client of a ${coding} stream gets each record before the next one is made`, async (t) => {
    let next = Promise.withResolvers<undefined>()
    const send = await openStream(t, async function* () {
      for (let number = 1; number <= 3; number += 1) {
        yield `{"number":${String(number)}}\n`
        await next.promise
        next = Promise.withResolvers()
      }
    })
    const response = await send(coding)
    assert.equal(response.headers['content-encoding'], coding)
    assert.equal(response.headers['content-length'], undefined)
    const records: string[] = []
    for await (const record of response.pipe(createDecoder())) {
      records.push(String(record))
      next.resolve(undefined)
    }
    assert.deepEqual(records, ['{"number":1}\n', '{"number":2}\n', '{"number":3}\n'])
  })

  test(`a client that disconnects ends the producer of a ${coding} stream, many times`, async (t) => {
    let ended = Promise.withResolvers<undefined>()
    let made = 0
    const send = await openStream(t, async function* () {
      try {
        for (;;) {
          made += 1
          yield crypto.randomUUID().repeat(1000)
        }
      } finally {
        ended.resolve(undefined)
      }
    })
    // More often than there are encoders.
    for (let count = 0; count < 80; count += 1) {
      ended = Promise.withResolvers()
      const response = await send(coding)
      assert.equal(response.headers['content-encoding'], coding, String(count))
      await once(response, 'readable')
      response.destroy()
      await ended.promise
    }
    assert.ok(made > 80)
  })
}

test('a stream that fails is cut off, or gets 500 before its start', async (t) => {
  const received = Promise.withResolvers<undefined>()
  const send = await openStream(t, async function* () {
    yield 'first\n'
    await received.promise
    throw new Error('the store failed')
  })
  const response = await send('gzip')
  await once(response, 'readable')
  received.resolve(undefined)
  await assert.rejects(async () => {
    for await (const chunk of response) assert.ok(chunk)
  }, /aborted/)
  const early = await send('gzip')
  assert.equal(early.statusCode, 500)
  assert.equal(early.headers['content-encoding'], undefined)
})
