import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { asMultipart, multipartType } from '../../../test/support/multipart-form.ts'
import { startVitrine } from '../../../test/support/start-vitrine.ts'
import { useApp } from '../../../test/support/test-app.ts'

const url = '/users/post/formdata'
const bodies = useApp({ settings: { DEMOS: 'bodies' } })

test('a field over the limit gets 413 before the idle timeout', async (t) => {
  const { origin } = await startVitrine(t, { BODY_IDLE_SECONDS: '3600' })
  for (const size of [1024 ** 2 + 1, 3 * 1024 ** 2, 9 * 1024 ** 2]) {
    await t.test(String(size), async () => {
      const { headers, payload } = asMultipart([{ name: 'a', content: 'a'.repeat(size) }])
      const body = new Uint8Array(payload)
      const { status } = await fetch(origin + url, { method: 'POST', headers, body })
      assert.equal(status, 413)
    })
  }
})

const rows: readonly [size: number, status: number][] = [
  [100, 200],
  [8000, 200],
  [8300, 400],
  [100_000, 400],
]
for (const [size, status] of rows) {
  test(`a part with a header of ${String(size)} bytes gets ${String(status)}`, async () => {
    const app = bodies()
    const part = { name: 'a', content: 'b' }
    const more = { name: 'c', type: `text/plain; x=${'x'.repeat(size)}`, content: 'd' }
    for (const parts of [
      [part, more],
      [more, part],
    ]) {
      const response = await app.inject({ method: 'POST', url, ...asMultipart(parts) })
      assert.equal(response.statusCode, status)
    }
  })
}

test('text after the last part is not parsed as a header', async () => {
  const app = bodies()
  const { headers, payload } = asMultipart([{ name: 'a', content: 'b' }])
  const epilogue = Buffer.concat([payload, Buffer.alloc(20_000, 'x')])
  const response = await app.inject({ method: 'POST', url, headers, payload: epilogue })
  assert.deepEqual(response.json(), { a: 'b' })
})

const absent: readonly [type: string | undefined, payload: string][] = [
  ['application/json', '{"a":1}'],
  ['application/json', '{"a'],
  [undefined, '{"a'],
  ['application/x-www-form-urlencoded', 'a[b[=%ff'],
  ['text/plain; charset=utf-16', 'a'],
  ['application/xml', '<a/>'],
]
for (const BODY_READERS of ['json,form,text,multipart', 'json,form,text']) {
  suite(`with BODY_READERS=${BODY_READERS} another body is an absent multipart form`, () => {
    const app = useApp({ settings: { DEMOS: 'bodies', BODY_READERS } })
    for (const [type, payload] of absent) {
      test(`${type ?? 'no type'}: ${payload}`, async () => {
        const headers = type === undefined ? {} : { 'content-type': type }
        const response = await app().inject({ method: 'POST', url, headers, payload })
        assert.deepEqual([response.statusCode, response.body], [200, '{}'])
      })
    }
  })
}

const charsets: readonly [type: string, status: number][] = [
  ['text/plain; charset=utf-16', 415],
  ['text/plain; charset="ISO-8859-1"', 415],
  ['text/plain;charset=UTF-8', 200],
  ['text/plain; format=flowed; charset="utf-8"', 200],
  ['text/plain; charset=us-ascii', 200],
  ['text/plain', 200],
]
for (const [type, status] of charsets) {
  test(`a body of the type ${type} gets ${String(status)}`, async () => {
    const app = bodies()
    const headers = { 'content-type': type }
    const response = await app.inject({
      method: 'POST',
      url: '/users/post/raw',
      headers,
      payload: 'a',
    })
    assert.equal(response.statusCode, status)
    const json = type.replace('text/plain', 'application/json')
    const other = { method: 'POST', url: '/users/post', headers: { 'content-type': json } } as const
    assert.equal((await app.inject({ ...other, payload: '{}' })).statusCode, status)
  })
}

test('a multipart form without a boundary gets 400', async () => {
  const app = bodies()
  const headers = { 'content-type': multipartType.split(';')[0] }
  assert.equal((await app.inject({ method: 'POST', url, headers, payload: 'a' })).statusCode, 400)
})

test('a Content-Type with two boundaries gets 400', async () => {
  const app = bodies()
  const headers = { 'content-type': 'multipart/form-data; x=";boundary=q"; boundary=abc' }
  const payload = '--abc\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n--abc--\r\n'
  const { statusCode } = await app.inject({ method: 'POST', url, headers, payload })
  assert.equal(statusCode, 400)
})

const boundaries: readonly [type: string, boundary: string, headerBytes: number, status: number][] =
  [
    ['boundary=AA', 'AA', 10, 200],
    ['boundary=AA', 'AA', 9000, 400],
    ['boundary="A;=,B C"', 'A;=,B C', 10, 400],
    ['boundary="A=,B C"', 'A=,B C', 10, 200],
    ['boundary="A=,B C"', 'A=,B C', 9000, 400],
    ['charset="utf-8"; x="; y"; Boundary=AA ; z=1', 'AA', 10, 200],
    ['charset="utf-8"; x="; y"; Boundary=AA ; z=1', 'AA', 9000, 400],
    ["boundary='()+_,-./:=?", "'()+_,-./:=?", 10, 200],
    [`boundary=${'x'.repeat(70)}`, 'x'.repeat(70), 10, 200],
    [`boundary=${'x'.repeat(71)}`, 'x'.repeat(71), 10, 400],
    [`boundary="${'x'.repeat(300)}"`, 'x'.repeat(300), 10, 400],
    // Each of these is read by the parser as the boundary in the second column.
    [String.raw`boundary="A\"A"`, 'A"A', 10, 400],
    [String.raw`boundary="A\A"`, String.raw`A\A`, 10, 400],
    ['boundary="AA ', 'AA', 10, 400],
    ['boundary="AA "', 'AA ', 10, 400],
    ['boundary=A A', 'AA', 10, 400],
    ['boundary=A"A', 'AA', 10, 400],
    ['bound ary=AA; boundary=BB', 'AA', 10, 400],
    ['boundary"=AA"; boundary=BB', 'AA', 10, 400],
    ["boundary*=utf-8''AA", 'AA', 10, 400],
    ['boundary=A%41', 'A%41', 10, 400],
  ]
for (const [parameters, boundary, size, status] of boundaries) {
  test(`${parameters.slice(0, 90)}, with a part header of ${String(size)} bytes, gets ${String(status)}`, async () => {
    const app = bodies()
    const payload = [
      `--${boundary}`,
      `X-Long: ${'h'.repeat(size)}`,
      'Content-Disposition: form-data; name="a"',
      '',
      `b\r\n--${boundary}--\r\n`,
    ].join('\r\n')
    const headers = { 'content-type': `multipart/form-data; ${parameters}` }
    const response = await app.inject({ method: 'POST', url, headers, payload })
    assert.equal(response.statusCode, status, response.body)
    if (status === 200) assert.deepEqual(response.json(), { a: 'b' })
    else assert.doesNotMatch(response.body, /needle|malformed/)
  })
}
