import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { createBin, type Captured } from '../../../test/support/bins.ts'
import { asMultipart } from '../../../test/support/multipart-form.ts'
import { useApp } from '../../../test/support/test-app.ts'

const sharedApp = useApp()

const form = asMultipart([
  { name: 'text', content: 'plain' },
  { name: 'page', fileName: 'a.txt', content: 'glass' },
])

for (const [coding, payload, count] of [
  ['gzip', gzipSync(form.payload), 1],
  ['deflate, br', brotliCompressSync(deflateSync(form.payload)), 1],
  ['gzip', form.payload, 0],
  ['unknown', form.payload, 0],
  ['gzip', gzipSync(Buffer.alloc(20_000_000)), 0],
] as const) {
  test(`a form of ${String(payload.length)} bytes with the coding ${coding} has ${String(count)} field and file`, async () => {
    const bin = await createBin(sharedApp())
    const headers = { ...form.headers, 'content-encoding': coding }
    await bin.send('', { method: 'POST', headers, payload })
    const [captured] = await bin.list()
    const url = `/requests/${captured?.id ?? ''}`
    const { fields, files } = (await bin.read(url)).json<Captured>()
    assert.deepEqual(fields, count === 1 ? [['text', 'plain']] : [])
    assert.deepEqual(
      files.map(({ name, size }) => [name, size]),
      count === 1 ? [['a.txt', 5]] : [],
    )
    assert.equal((await bin.read(`${url}/files/1`)).body === 'glass', count === 1)
    assert.ok((await bin.read(`${url}/body`)).rawPayload.equals(payload))
  })
}
