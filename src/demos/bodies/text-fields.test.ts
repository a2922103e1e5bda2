import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testApp, type TestApp, useApp } from '../../../test/support/test-app.ts'

const sharedApp = useApp()

/** One part as it travels: its header lines, then its content. */
interface Part {
  headers: readonly string[]
  content: string | Buffer
}

function field(name: string, content: string | Buffer): Part {
  return { headers: [`Content-Disposition: form-data; name="${name}"`], content }
}

function file(name: string, content: string | Buffer): Part {
  const disposition = `Content-Disposition: form-data; name="${name}"; filename="p.png"`
  return { headers: [disposition, 'Content-Type: image/png'], content }
}

function toMultipart(parts: readonly Part[]): Buffer {
  const encoded = parts.flatMap(({ headers, content }) => [
    Buffer.from(`--x\r\n${headers.join('\r\n')}\r\n\r\n`),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ])
  return Buffer.concat([...encoded, Buffer.from('--x--\r\n')])
}

async function send(
  app: TestApp,
  payload: string | Buffer,
  type = 'multipart/form-data; boundary=x',
) {
  const headers = { 'content-type': type }
  return app.inject({ method: 'POST', url: '/users/post/formdata', headers, payload })
}

test('the text fields of a form with a file are returned as JSON', async (t) => {
  const app = sharedApp()
  const body = new FormData()
  body.append('name', 'ann é')
  body.append('pic', new File([Buffer.from([0x89, 0x50, 0x00, 0xff])], 'p.png'))
  body.append('note', 'two\r\nlines')
  const request = new Response(body)
  const type = request.headers.get('content-type') ?? ''
  const payload = Buffer.from(await request.arrayBuffer())
  for (const url of ['/users/post/formdata', '/users/post/formdata/']) {
    await t.test(url, async () => {
      const headers = { 'content-type': type }
      const response = await app.inject({ method: 'POST', url, headers, payload })
      assert.equal(response.statusCode, 200)
      assert.equal(response.headers['content-type'], 'application/json; charset=utf-8')
      assert.deepEqual(response.json(), { name: 'ann é', note: 'two\r\nlines' })
    })
  }
})

test('any mix of fields and files is returned without the files', async (t) => {
  const app = sharedApp()
  const empty = 'Content-Disposition: form-data; name="pic"; filename=""'
  const cases: [parts: Part[], echo: unknown][] = [
    [[], {}],
    [[field('a', '1')], { a: '1' }],
    [[field('a', '')], { a: '' }],
    [[field('a', '1'), field('a', '2'), field('b', '3')], { a: ['1', '2'], b: '3' }],
    [[file('pic', 'bytes')], {}],
    [[file('pic', 'bytes'), field('a', '1')], { a: '1' }],
    [[field('a', '1'), file('pic', 'x'), file('other', 'y')], { a: '1' }],
    [[{ headers: [empty, 'Content-Type: application/octet-stream'], content: '' }], {}],
    [[field('é', 'ü')], { é: 'ü' }],
    [[field('_method', 'DELETE')], { _method: 'DELETE' }],
    [[field('c[d]', 'z'), field('c[e][]', 'y')], { c: { d: 'z', e: ['y'] } }],
    [[field('a[]', '1'), field('a[]', '2')], { a: ['1', '2'] }],
    [[field('qty[1534]', '2')], { qty: { 1534: '2' } }],
    [[field('a&b=c', '%41+ &d=e')], { 'a&b=c': '%41+ &d=e' }],
  ]
  for (const [parts, echo] of cases) {
    await t.test(JSON.stringify(echo), async () => {
      const response = await send(app, toMultipart(parts))
      assert.equal(response.statusCode, 200)
      assert.deepEqual(response.json(), echo)
    })
  }
})

test('a text field stays text, whatever its media type', async (t) => {
  const app = sharedApp()
  const disposition = 'Content-Disposition: form-data; name="a"'
  for (const content of ['{"b":1}', 'no JSON']) {
    await t.test(content, async () => {
      const headers = [disposition, 'Content-Type: application/json']
      const response = await send(app, toMultipart([{ headers, content }]))
      assert.equal(response.statusCode, 200)
      assert.deepEqual(response.json(), { a: content })
    })
  }
})

test('the media type is case-insensitive, and the boundary may be quoted', async () => {
  const app = sharedApp()
  const response = await send(
    app,
    toMultipart([field('a', '1')]),
    'Multipart/Form-Data; boundary="x"',
  )
  assert.deepEqual(response.json(), { a: '1' })
})

test('a body that is not multipart/form-data is returned as {}', async (t) => {
  const app = sharedApp()
  const parts = toMultipart([field('a', '1')])
  const cases: [type: string, payload: string | Buffer][] = [
    ['multipart/mixed; boundary=x', parts],
    ['application/octet-stream', parts],
    ['application/x-www-form-urlencoded', 'a=1'],
    ['application/json', '{"a":"1"}'],
    ['text/plain', 'a=1'],
  ]
  for (const [type, payload] of cases) {
    await t.test(type, async () => {
      const response = await send(app, payload, type)
      assert.equal(response.statusCode, 200)
      assert.equal(response.body, '{}')
    })
  }
})

test('an empty multipart body counts as no body', async () => {
  const app = sharedApp()
  const response = await send(app, '')
  assert.equal(response.statusCode, 200)
  assert.equal(response.body, '{}')
})

test('a malformed multipart body gets 400 with problem details', async (t) => {
  const app = sharedApp()
  const whole = toMultipart([field('a', '1'), file('pic', 'bytes')]).toString()
  const cases: [what: string, payload: string | Buffer, type?: string][] = [
    ['no multipart', 'glass'],
    ['cut in a file', whole.slice(0, whole.indexOf('bytes') + 2)],
    ['cut in a field', whole.slice(0, whole.indexOf('\r\n1') + 3)],
    ['cut before its end', whole.slice(0, -6)],
    ['another boundary', whole, 'multipart/form-data; boundary=y'],
    ['no boundary', whole, 'multipart/form-data'],
    [
      'a part without a name',
      toMultipart([{ headers: ['Content-Disposition: form-data'], content: '1' }]),
    ],
    ['text that is not UTF-8', toMultipart([field('a', Buffer.from([0xff]))])],
    ['a name that is not UTF-8', Buffer.from(whole.replace('"a"', '"\xe9"'), 'latin1')],
    ['a field that is named __proto__', toMultipart([field('__proto__', '1')])],
    ['a nested field that is named __proto__', toMultipart([field('a[__proto__][b]', '1')])],
    ['a field below a sixth bracket', toMultipart([field('a[b][c][d][e][f][g]', '1')])],
  ]
  for (const [what, payload, type] of cases) {
    await t.test(what, async () => {
      const response = await send(app, payload, type)
      assert.equal(response.statusCode, 400)
      assert.match(String(response.headers['content-type']), /^application\/problem\+json/)
    })
  }
})

test('no field name changes a prototype', async () => {
  const app = sharedApp()
  await send(app, toMultipart([field('__proto__', '1'), field('__proto__[b]', '1')]))
  await send(app, toMultipart([field('constructor', '1')]))
  assert.equal(({} as { b?: unknown }).b, undefined)
  assert.equal({}.constructor, Object)
})

test('fields over MAX_BODY_BYTES get 413, one alone or all together', async (t) => {
  const app = await testApp(t, { settings: { MAX_BODY_BYTES: '100' } })
  const json = ['Content-Disposition: form-data; name="j"', 'Content-Type: application/json']
  const list = JSON.stringify({ x: 'x'.repeat(70) })
  const cases: [what: string, parts: Part[], status: number][] = [
    ['at the limit', [field('a', 'x'.repeat(100))], 200],
    ['one over it', [field('a', 'x'.repeat(101))], 413],
    ['two at it together', [field('a', 'x'.repeat(50)), field('b', 'x'.repeat(50))], 200],
    ['two over it together', [field('a', 'x'.repeat(50)), field('b', 'x'.repeat(51))], 413],
    [
      'two over it together with the media type of JSON',
      [
        { headers: json, content: list },
        { headers: json, content: list },
      ],
      413,
    ],
  ]
  for (const [what, parts, status] of cases) {
    await t.test(what, async () => {
      assert.equal((await send(app, toMultipart(parts))).statusCode, status)
    })
  }
})

test('a file over MAX_UPLOAD_BYTES gets 413, and one at the limit does not', async (t) => {
  const app = await testApp(t, { settings: { MAX_UPLOAD_BYTES: '100', MAX_BODY_BYTES: '10' } })
  for (const [size, status] of [
    [100, 200],
    [101, 413],
    [200_000, 413],
  ] as const) {
    await t.test(String(size), async () => {
      const response = await send(
        app,
        toMultipart([file('pic', 'x'.repeat(size)), field('a', '1')]),
      )
      assert.equal(response.statusCode, status)
      if (status === 200) assert.deepEqual(response.json(), { a: '1' })
      else assert.match(String(response.headers['content-type']), /^application\/problem\+json/)
    })
  }
})

test('a field with another charset gets 415', async () => {
  const app = sharedApp()
  const headers = [...field('a', '').headers, 'Content-Type: text/plain; charset=iso-8859-1']
  assert.equal((await send(app, toMultipart([{ headers, content: '1' }]))).statusCode, 415)
})

test('more than 200 fields get 413', async () => {
  const app = sharedApp()
  const fields = (count: number) =>
    toMultipart(Array.from({ length: count }, (_, index) => field(`k${String(index)}`, '1')))
  assert.equal((await send(app, fields(200))).statusCode, 200)
  assert.equal((await send(app, fields(201))).statusCode, 413)
})
