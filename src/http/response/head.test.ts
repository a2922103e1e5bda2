import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { testApp } from '../../../test/support/test-app.ts'
import type { Demo } from '../../site/demo.ts'

test('HEAD of a stream has the headers of GET, and reads nothing', async (t) => {
  let chunks = 0
  async function* generate() {
    for (; chunks < 1000; chunks += 1) yield Promise.resolve('x')
  }
  const stream: Demo = {
    name: 'static',
    title: 'A stream',
    summary: '',
    routes: () => [
      {
        method: 'GET',
        url: '/stream',
        summary: 'Get a stream',
        example: 'x',
        handler: (_, reply) => reply.type('text/plain').send(Readable.from(generate())),
      },
    ],
  }
  const app = await testApp(t, { demos: [stream] })
  const head = await app.inject({ method: 'HEAD', url: '/stream' })
  assert.equal(head.headers['content-type'], 'text/plain')
  assert.equal(head.headers['content-length'], undefined)
  assert.equal(chunks, 0)
  assert.equal((await app.inject('/stream')).body.length, 1000)
})
