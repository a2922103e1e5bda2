import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testApp, useApp } from '../../../test/support/test-app.ts'

const sharedApp = useApp()
const lonelyApp = useApp({ settings: { DEMOS: 'bodies' } })

type Headers = Record<string, string>

const jsonType = 'application/json; charset=utf-8'
const form = { 'content-type': 'application/x-www-form-urlencoded' }
const json = { 'content-type': 'application/json' }
const text = { 'content-type': 'text/plain' }
const multipart = { 'content-type': 'multipart/form-data; boundary=x' }
const part = '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--x--\r\n'
const post = { method: 'POST', url: '/users/post' } as const
const raw = { method: 'POST', url: '/users/post/raw' } as const

test('a form or JSON body is returned as JSON', async (t) => {
  const app = sharedApp()
  const cases: [headers: Headers, payload: string, echo: unknown][] = [
    [form, 'a=1&b=two+words', { a: '1', b: 'two words' }],
    [form, 'a=1&a=2&b[]=3', { a: ['1', '2'], b: ['3'] }],
    [form, 'a[b][c]=d', { a: { b: { c: 'd' } } }],
    [json, '{"a":1,"b":{"c":[true,null,"é"]}}', { a: 1, b: { c: [true, null, 'é'] } }],
    [json, '[1,2]', [1, 2]],
    [json, '"text"', 'text'],
    [json, 'null', null],
    [{ 'content-type': 'Application/JSON; charset=utf-8' }, '{"a":1}', { a: 1 }],
    [{ 'content-type': 'application/ld+json' }, '{"a":1}', { a: 1 }],
    [{}, '{"a":1}', { a: 1 }],
  ]
  for (const [headers, payload, echo] of cases) {
    for (const url of ['/users/post', '/users/post/']) {
      await t.test(`${payload} ${url}`, async () => {
        const response = await app.inject({ ...post, url, headers, payload })
        assert.equal(response.statusCode, 200)
        assert.equal(response.headers['content-type'], jsonType)
        assert.deepEqual(response.json(), echo)
      })
    }
  }
})

test('an absent body, or one of an unsupported type, is returned as {}', async (t) => {
  const app = sharedApp()
  const cases: [headers: Headers, payload: string][] = [
    [{}, ''],
    [form, ''],
    [json, ''],
    [text, 'a=1'],
    [{ 'content-type': 'application/xml' }, '<a/>'],
    [{ 'content-type': 'application/jsonp' }, '{"a":1}'],
    [multipart, part],
  ]
  for (const [headers, payload] of cases) {
    await t.test(payload, async () => {
      const response = await app.inject({ ...post, headers, payload })
      assert.equal(response.statusCode, 200)
      assert.equal(response.headers['content-type'], jsonType)
      assert.equal(response.body, '{}')
    })
  }
})

test('a text body is returned as a JSON string', async (t) => {
  const app = sharedApp()
  const cases: [type: string, payload: string][] = [
    ['text/plain', 'glass'],
    ['text/plain; charset=utf-8', 'é🌍\r\n "quoted" \\ '],
    ['text/html', '<b>glass</b>'],
    ['text/csv', 'a,b\n1,2\n'],
    ['TEXT/Plain', '{"a":1}'],
  ]
  for (const [type, payload] of cases) {
    for (const url of ['/users/post/raw', '/users/post/raw/']) {
      await t.test(`${type} ${payload} ${url}`, async () => {
        const headers = { 'content-type': type }
        const response = await app.inject({ ...raw, url, headers, payload })
        assert.equal(response.statusCode, 200)
        assert.equal(response.headers['content-type'], jsonType)
        assert.equal(response.json(), payload)
      })
    }
  }
})

test('without a text body the raw route returns an empty JSON string', async (t) => {
  const app = sharedApp()
  const cases: [headers: Headers, payload: string][] = [
    [{}, ''],
    [text, ''],
    [json, '"glass"'],
    [form, 'a=1'],
    [{ 'content-type': 'application/octet-stream' }, 'glass'],
    [multipart, part],
  ]
  for (const [headers, payload] of cases) {
    await t.test(payload, async () => {
      const response = await app.inject({ ...raw, headers, payload })
      assert.equal(response.statusCode, 200)
      assert.equal(response.body, '""')
    })
  }
})

test('only the readers in BODY_READERS parse bodies', async (t) => {
  const kinds: [reader: string, url: string, headers: Headers, payload: string, echo: string][] = [
    ['json', '/users/post', json, '{"a":"1"}', '{"a":"1"}'],
    ['json', '/users/post', {}, '{"a":"1"}', '{"a":"1"}'],
    ['form', '/users/post', form, 'a=1', '{"a":"1"}'],
    ['text', '/users/post/raw', text, 'glass', '"glass"'],
    ['multipart', '/users/post/formdata', multipart, part, '{"a":"1"}'],
  ]
  const settings = ['none', 'json', 'form', 'text', 'multipart', 'json,form', 'text,multipart']
  for (const readers of [...settings, 'json,form,text,multipart']) {
    await t.test(readers, async () => {
      const app = await testApp(t, { settings: { BODY_READERS: readers } })
      for (const [reader, url, headers, payload, echo] of kinds) {
        const response = await app.inject({ method: 'POST', url, headers, payload })
        const absent = reader === 'text' ? '""' : '{}'
        assert.equal(response.statusCode, 200, `${readers}: ${reader}`)
        assert.equal(
          response.body,
          readers.split(',').includes(reader) ? echo : absent,
          `${readers}: ${reader}`,
        )
      }
    })
  }
})

test('a malformed body is not an error when its reader is disabled', async (t) => {
  const app = await testApp(t, { settings: { BODY_READERS: 'none' } })
  const cases: [url: string, headers: Headers, payload: string][] = [
    ['/users/post', json, '{"a":'],
    ['/users/post', form, 'a=%ff'],
    ['/users/post/formdata', multipart, 'no multipart at all'],
  ]
  for (const [url, headers, payload] of cases) {
    await t.test(payload, async () => {
      const response = await app.inject({ method: 'POST', url, headers, payload })
      assert.equal(response.statusCode, 200)
      assert.equal(response.body, '{}')
    })
  }
})

test('a malformed body gets 400 with problem details', async (t) => {
  const app = sharedApp()
  const cases: [url: string, headers: Headers, payload: string | Buffer][] = [
    ['/users/post', json, '{"a":'],
    ['/users/post', {}, 'glass'],
    ['/users/post', json, '{"__proto__":{"a":1}}'],
    ['/users/post', json, '['.repeat(65) + ']'.repeat(65)],
    ['/users/post', json, Buffer.from([0x22, 0xff, 0x22])],
    ['/users/post', form, 'a=%ff'],
    ['/users/post', form, 'a[1][2][3][4][5][6]=x'],
    ['/users/post', form, 'k=1&'.repeat(201)],
    ['/users/post/raw', text, Buffer.from([0xff])],
  ]
  for (const [url, headers, payload] of cases) {
    await t.test(String(payload).slice(0, 40), async () => {
      const response = await app.inject({ method: 'POST', url, headers, payload })
      assert.equal(response.statusCode, 400)
      assert.match(String(response.headers['content-type']), /^application\/problem\+json/)
      assert.equal(response.json<{ status: number }>().status, 400)
    })
  }
})

test('JSON nested 64 levels deep is accepted', async () => {
  const app = sharedApp()
  const payload = '['.repeat(64) + ']'.repeat(64)
  assert.equal((await app.inject({ ...post, headers: json, payload })).body, payload)
})

test('a body over the limit gets 413, and one at the limit does not', async (t) => {
  const app = await testApp(t, { settings: { MAX_BODY_BYTES: '100' } })
  const cases: [url: string, headers: Headers, payload: string, status: number][] = [
    ['/users/post', form, `a=${'x'.repeat(98)}`, 200],
    ['/users/post', form, `a=${'x'.repeat(99)}`, 413],
    ['/users/post', json, `"${'x'.repeat(98)}"`, 200],
    ['/users/post', json, `"${'x'.repeat(99)}"`, 413],
    ['/users/post/raw', text, 'x'.repeat(100), 200],
    ['/users/post/raw', text, 'x'.repeat(101), 413],
    ['/users/post/raw', text, 'é'.repeat(51), 413],
  ]
  for (const [url, headers, payload, status] of cases) {
    await t.test(`${url} ${payload}`, async () => {
      assert.equal((await app.inject({ method: 'POST', url, headers, payload })).statusCode, status)
    })
  }
})

test('the routes of bodies and of users do not shadow each other', async (t) => {
  const app = await testApp(t, { settings: { DEMOS: 'bodies,users' } })
  assert.match((await app.inject('/users/new')).body, /<form/)
  const got = await app.inject('/users/post')
  assert.deepEqual([got.statusCode, got.headers.allow], [405, 'POST, OPTIONS'])
  const response = await app.inject({ ...post, headers: form, payload: 'name=ann&password=x' })
  assert.deepEqual(response.json(), { name: 'ann', password: 'x' })
  const users = await app.inject({ url: '/users', headers: { accept: 'application/json' } })
  assert.deepEqual(users.json(), [])
})

test('OPTIONS and 405 list the methods', async (t) => {
  const app = lonelyApp()
  const cases: [url: string, allow: string][] = [
    ['/users', 'GET, HEAD, OPTIONS'],
    ['/users/42', 'GET, HEAD, OPTIONS'],
    ['/users/post', 'GET, HEAD, POST, OPTIONS'],
    ['/users/post/raw', 'POST, OPTIONS'],
    ['/users/post/formdata', 'POST, OPTIONS'],
  ]
  for (const [url, allow] of cases) {
    await t.test(url, async () => {
      const options = await app.inject({ method: 'OPTIONS', url })
      assert.equal(options.statusCode, 204)
      assert.equal(options.headers.allow, allow)
      for (const method of ['PUT', 'PATCH', 'DELETE'] as const) {
        const response = await app.inject({ method, url })
        assert.equal(response.statusCode, 405, `${method} ${url}`)
        assert.equal(response.headers.allow, allow, `${method} ${url}`)
      }
    })
  }
})

test('a 405 from a route that responds with JSON has problem details', async (t) => {
  const app = sharedApp()
  for (const url of ['/users/post/raw', '/users/post/formdata']) {
    await t.test(url, async () => {
      const response = await app.inject(url)
      assert.equal(response.statusCode, 405)
      assert.match(String(response.headers['content-type']), /^application\/problem\+json/)
    })
  }
})

test('bodies alone: /users and /users/:id return plain text for any id', async (t) => {
  const app = lonelyApp()
  const cases: [url: string, shown: string][] = [
    ['/users', 'users'],
    ['/users/', 'users'],
    ['/users/42', '42'],
    ['/users/42/', '42'],
    ['/users/new', 'new'],
    ['/users/post', 'post'],
    ['/users/caf%C3%A9', 'café'],
  ]
  for (const [url, shown] of cases) {
    await t.test(url, async () => {
      const response = await app.inject({ url, headers: { accept: 'text/html' } })
      assert.equal(response.statusCode, 200)
      assert.equal(response.headers['content-type'], 'text/plain; charset=utf-8')
      assert.ok(response.body.includes(shown))
      const head = await app.inject({ method: 'HEAD', url })
      assert.equal(head.statusCode, 200)
      assert.equal(head.headers['content-length'], response.headers['content-length'])
      assert.equal(head.body, '')
    })
  }
})

test('a response page marks its demo, not the resource with this prefix', async () => {
  const app = sharedApp()
  const headers = { accept: 'text/html' }
  const { body } = await app.inject({ method: 'POST', url: '/users/post', headers, payload: {} })
  assert.match(body, /href="\/demos\/bodies" aria-current="page"/)
})
