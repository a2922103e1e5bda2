import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:http2'
import { test } from 'node:test'
import { startSecure } from '../support/tls-client.ts'
import { sendRaw, startWatched, toRequest } from '../support/watched-vitrine.ts'

const quick = { HEADERS_SECONDS: '1', BODY_IDLE_SECONDS: '1', REQUEST_SECONDS: '2' }
const form = 'multipart/form-data; boundary=b'
const file = '--b\r\nContent-Disposition: form-data; name="upfiles"; filename="a"\r\n\r\n'

const readers: readonly [path: string, type: string, start: string][] = [
  ['/people', 'application/json', '"'],
  ['/mirror/field', 'application/x-www-form-urlencoded', 'a='],
  ['/profile', form, file],
  ['/users/post/formdata', form, file.replace('upfiles', 'pic')],
]

test('a body that arrives slowly for too long gets 408 over HTTP/2, too', async (t) => {
  const { origin, assertSound } = await startSecure(t, quick)
  const session = connect(origin, { rejectUnauthorized: false })
  t.after(() => {
    session.destroy()
  })
  const statuses = readers.map(async ([path, type, start]) => {
    const stream = session.request({ ':method': 'POST', ':path': path, 'content-type': type })
    stream.on('error', () => undefined)
    stream.write(start)
    const timer = setInterval(() => stream.write('a'), 100)
    t.after(() => {
      clearInterval(timer)
    })
    const [headers] = (await once(stream, 'response')) as [Record<string, unknown>]
    clearInterval(timer)
    return headers[':status']
  })
  assert.deepEqual(
    await Promise.all(statuses),
    readers.map(() => 408),
  )
  await assertSound()
})

test('a body that is too large and stops arriving gets a response soon', async (t) => {
  const settings = { BODY_IDLE_SECONDS: '1', MAX_BODY_BYTES: '1000', MAX_UPLOAD_BYTES: '1000' }
  const { origin, assertSound } = await startWatched(t, settings)
  for (const [path, type, start] of readers) {
    await t.test(path, async () => {
      const fields = [
        'Host: x',
        'Connection: close',
        `Content-Type: ${type}`,
        'Content-Length: 3000000',
      ]
      const head = toRequest(`POST ${path} HTTP/1.1`, fields, start)
      assert.equal((await sendRaw(origin, head + 'x'.repeat(20_000))).statuses[0], 413)
    })
  }
  await assertSound()
})
