import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sendBothWays } from '../../../test/request-both-ways.ts'
import { mirror } from '../../../test/mirror.ts'
import { testApp } from '../../../test/test-app.ts'

type App = Awaited<ReturnType<typeof testApp>>

const formType = 'application/x-www-form-urlencoded'
const methods = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** The status of a POST to the mirror and, where it was read, what the handler saw as its body. */
async function see(app: App, type: string | undefined, body: string | Buffer, more = {}) {
  const headers = { ...(type !== undefined && { 'content-type': type }), ...more }
  const response = await sendBothWays(app, { method: 'POST', path: '/mirror', headers, body })
  return [response.status, response.headers['x-body']]
}

test('each media type has its reader, and a body without a reader is ignored', async (t) => {
  const app = await testApp(t, { demos: [mirror] })
  const rows: [type: string | undefined, body: string, seen: string][] = [
    [undefined, '{"a":1}', '{"a":1}'],
    ['application/json', '{"a":1}', '{"a":1}'],
    ['Application/JSON', '{"a":1}', '{"a":1}'],
    ['application/json; charset=utf-8', '{"a":1}', '{"a":1}'],
    ['application/json;charset="UTF-8"', '{"a":1}', '{"a":1}'],
    ['application/json', '[1]', '[1]'],
    ['application/json', 'null', 'null'],
    ['application/json', '"text"', '"text"'],
    ['application/json', ' 1 ', '1'],
    ['application/merge-patch+json', '{"a":null}', '{"a":null}'],
    ['application/vnd.api+json; ext=x', '{"a":1}', '{"a":1}'],
    ['application/problem+json', '{"a":1}', '{"a":1}'],
    [formType, 'a=1&b[c]=2', '{"a":"1","b":{"c":"2"}}'],
    [`${formType}; charset=UTF-8`, 'a=%C3%A9+%2B', String.raw`{"a":"\u00e9 +"}`],
    ['text/plain', '{"a":1}', '"{\\"a\\":1}"'],
    ['text/plain; charset=utf-8', 'é', String.raw`"\u00e9"`],
    ['text/csv', 'a,b', '"a,b"'],
    ['TEXT/HTML', '<p>', '"<p>"'],
    ['application/xml', '<a/>', 'absent'],
    ['application/octet-stream', '{"a":1}', 'absent'],
    ['application/jsonp', '{"a":1}', 'absent'],
    ['application/json-seq', '{"a":1}', 'absent'],
    ['multipart/form-data; boundary=b', '--b--\r\n', 'absent'],
    ['multipart/mixed; boundary=b', '--b--\r\n', 'absent'],
  ]
  for (const [type, body, seen] of rows) {
    await t.test(`${body} ${seen}`, async () => {
      assert.deepEqual([type, ...(await see(app, type, body))], [type, 200, seen])
    })
  }
})

// Seed, general convention 6: what no reader takes is absent, and a type that is none is no reader's.
test('a body with an invalid media type is ignored', async (t) => {
  const app = await testApp(t, { demos: [mirror] })
  for (const type of ['nonsense', 'json', '/', 'application/', ';charset=utf-8']) {
    await t.test(type, async () => {
      const [status] = await see(app, type, '{"a":1}')
      assert.deepEqual([type, status], [type, 200])
    })
  }
})

test('the body of every method that may have one is parsed', async (t) => {
  const app = await testApp(t, { demos: [mirror] })
  for (const method of methods) {
    for (const chunked of [{}, { 'transfer-encoding': 'chunked' }]) {
      const headers = { 'content-type': 'application/json', ...chunked }
      const request = { method, path: '/mirror', headers, body: '{"a":1}' }
      const response = await sendBothWays(app, request)
      assert.deepEqual([method, response.headers['x-body']], [method, '{"a":1}'])
    }
  }
})

test('an empty body counts as no body, with any media type and method', async (t) => {
  const app = await testApp(t, { demos: [mirror] })
  const types = [undefined, 'application/json', formType, 'text/plain', 'application/xml']
  for (const type of [...types, 'multipart/form-data; boundary=b', 'a/b+json']) {
    for (const method of methods) {
      for (const framing of [{}, { 'content-length': '0' }, { 'transfer-encoding': 'chunked' }]) {
        const headers = { ...(type !== undefined && { 'content-type': type }), ...framing }
        const response = await sendBothWays(app, { method, path: '/mirror', headers })
        const line = `${method} ${JSON.stringify(headers)}`
        assert.deepEqual([line, response.status, response.headers['x-body']], [line, 200, 'absent'])
      }
    }
  }
})

test('bytes that are not UTF-8 get 400', async (t) => {
  const app = await testApp(t, { demos: [mirror] })
  const bytes = [[0xff], [0xc3], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80]]
  for (const wrong of bytes.map((numbers) => Buffer.from(numbers))) {
    const quoted = Buffer.concat([Buffer.from('"'), wrong, Buffer.from('"')])
    assert.deepEqual(await see(app, 'application/json', quoted), [400, undefined])
    assert.deepEqual(await see(app, 'text/plain', wrong), [400, undefined])
    const value = Buffer.concat([Buffer.from('a='), wrong])
    assert.deepEqual(await see(app, formType, value), [400, undefined])
  }
  for (const wrong of ['a=%ff', 'a=%C3', '%C0%80=1', 'a=%ED%A0%80']) {
    await t.test(wrong, async () => {
      assert.deepEqual([wrong, ...(await see(app, formType, wrong))], [wrong, 400, undefined])
    })
  }
})

test('many brackets side by side, or in a string, are not nesting', async (t) => {
  const app = await testApp(t, { demos: [mirror] })
  const values = [Array.from({ length: 100 }, () => []), { text: '[{'.repeat(100) }]
  for (const value of values) {
    const text = JSON.stringify(value)
    assert.deepEqual(await see(app, 'application/json', text), [200, text])
  }
})

test('JSON may be nested 64 levels deep and no deeper', async (t) => {
  const app = await testApp(t, { demos: [mirror] })
  const lists = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
  const objects = (depth: number) => '{"a":'.repeat(depth) + '1' + '}'.repeat(depth)
  const mixed = (depth: number) => '[{"a":'.repeat(depth / 2) + '1' + '}]'.repeat(depth / 2)
  const rows: [status: number, body: string][] = [
    [200, lists(64)],
    [400, lists(65)],
    [200, objects(64)],
    [400, objects(65)],
    [200, mixed(64)],
    [400, mixed(66)],
    [400, '['.repeat(500_000)],
    [200, JSON.stringify('['.repeat(1000))],
    [200, JSON.stringify({ ['{'.repeat(1000)]: ']'.repeat(1000) })],
    [200, JSON.stringify(['\\"[', '\\\\', '['.repeat(100)])],
    [400, `["\\\\",${lists(65)}]`],
    [400, `["]]]]]",${lists(64)}]`],
    [200, `[${Array.from({ length: 100 }, () => lists(63)).join()}]`],
  ]
  for (const [expected, body] of rows) {
    await t.test(body, async () => {
      const [status] = await see(app, 'application/json', body)
      assert.deepEqual([body.slice(0, 80), status], [body.slice(0, 80), expected])
    })
  }
})

test('keys that could change a prototype are rejected, and no prototype is changed', async (t) => {
  const app = await testApp(t, { demos: [mirror] })
  const bodies = [
    '{"__proto__":{"polluted":1}}',
    '{"__proto__":null}',
    '{"a":[{"__proto__":{"polluted":1}}]}',
    String.raw`{"\u005f\u005fproto__":{"polluted":1}}`,
    String.raw`{"__pr\u006fto__":{"polluted":1}}`,
    '{"constructor":{"prototype":{"polluted":1}}}',
    '{"a":{"constructor":{"prototype":{"polluted":1}}}}',
    String.raw`{"c\u006fnstructor":{"prototype":{"polluted":1}}}`,
  ]
  for (const body of bodies) {
    await t.test(body, async () => {
      assert.deepEqual(
        [body, ...(await see(app, 'application/json', body))],
        [body, 400, undefined],
      )
      assert.equal('polluted' in {}, false)
    })
  }
})

test('harmless keys that resemble those of a prototype are accepted', async (t) => {
  const app = await testApp(t, { demos: [mirror] })
  const bodies = ['{"constructor":"x"}', '{"constructor":null}', '{"prototype":1}', '{"proto":1}']
  for (const body of [...bodies, '{"a":"__proto__"}', '{"toString":1,"hasOwnProperty":2}']) {
    await t.test(body, async () => {
      assert.deepEqual(await see(app, 'application/json', body), [200, body])
    })
  }
})

test('no key of a form changes a prototype', async (t) => {
  const app = await testApp(t, { demos: [mirror] })
  const nested = ['a[__proto__][polluted]=1', 'constructor[prototype][polluted]=1']
  for (const body of ['__proto__[polluted]=1', '__proto__.polluted=1', ...nested]) {
    await t.test(body, async () => {
      await see(app, formType, body)
      assert.equal('polluted' in {}, false)
    })
  }
})

test('invalid JSON with the media type of JSON gets 400', async (t) => {
  const app = await testApp(t, { demos: [mirror] })
  const bodies = ['{', '}', ']', '{"a":1,}', "{'a':1}", 'a=1', 'undefined', 'NaN', '1 2', ' ', '"']
  for (const body of bodies) {
    for (const type of ['application/json', 'a/b+json', undefined]) {
      assert.deepEqual([body, ...(await see(app, type, body))], [body, 400, undefined])
    }
  }
})

test('a body of MAX_BODY_BYTES is accepted, and one more byte gets 413', async (t) => {
  const app = await testApp(t, { demos: [mirror], settings: { MAX_BODY_BYTES: '1000' } })
  const headers = [{}, { 'transfer-encoding': 'chunked' }]
  for (const framing of headers) {
    for (const [type, make] of Object.entries(makers)) {
      const line = `${type} ${JSON.stringify(framing)}`
      const [most] = await see(app, type, make(1000), framing)
      const [over] = await see(app, type, make(1001), framing)
      assert.deepEqual([line, most, over], [line, 200, 413])
    }
  }
})

const makers: Readonly<Record<string, (bytes: number) => string>> = {
  'application/json': (bytes) => `"${'x'.repeat(bytes - 2)}"`,
  [formType]: (bytes) => `a=${'x'.repeat(bytes - 2)}`,
  'text/plain': makeText,
}

/** Counted in bytes, not in characters. */
function makeText(bytes: number): string {
  return 'é'.repeat(bytes / 2) + 'x'.repeat(bytes % 2)
}

test('the default limit is 1 MiB, and a higher setting applies', async (t) => {
  const mebibyte = 1024 * 1024
  const usual = await testApp(t)
  const raised = await testApp(t, { settings: { MAX_BODY_BYTES: String(2 * mebibyte) } })
  const rows: [App, bytes: number, status: number][] = [
    [usual, mebibyte, 200],
    [usual, mebibyte + 1, 413],
    [raised, 2 * mebibyte, 200],
    [raised, 2 * mebibyte + 1, 413],
  ]
  for (const [app, bytes, expected] of rows) {
    await t.test(`${String(bytes)} ${String(expected)}`, async () => {
      const body = makeText(bytes)
      const headers = { 'content-type': 'text/plain' }
      const response = await sendBothWays(app, {
        method: 'POST',
        path: '/users/post',
        headers,
        body,
      })
      assert.deepEqual([bytes, response.status], [bytes, expected])
    })
  }
})

test('a body with a Content-Encoding gets 415 with Accept-Encoding', async (t) => {
  const app = await testApp(t, { demos: [mirror] })
  for (const encoding of ['gzip', 'br', 'deflate', 'identity, gzip', 'x-unknown']) {
    for (const type of ['application/json', formType, 'text/plain']) {
      await t.test(`${encoding} ${type}`, async () => {
        const headers = { 'content-type': type, 'content-encoding': encoding }
        const request = { method: 'POST', path: '/mirror', headers, body: '1' }
        const response = await sendBothWays(app, request)
        assert.deepEqual([response.status, response.headers['accept-encoding']], [415, 'identity'])
      })
    }
  }
  const plain = { 'content-encoding': 'Identity' }
  assert.deepEqual(await see(app, 'application/json', '1', plain), [200, '1'])
})

test('BODY_READERS selects the parsed media types; the others are ignored', async (t) => {
  const kinds: Readonly<Record<string, [type: string | undefined, body: string, seen: string][]>> =
    {
      json: [
        ['application/json', '{"a":1}', '{"a":1}'],
        [undefined, '{"a":1}', '{"a":1}'],
      ],
      form: [[formType, 'a=1', '{"a":"1"}']],
      text: [['text/plain', 'a', '"a"']],
    }
  for (const setting of ['none', 'json', 'form', 'text', 'json,text', 'json,form,text']) {
    await t.test(setting, async () => {
      const app = await testApp(t, { demos: [mirror], settings: { BODY_READERS: setting } })
      for (const [kind, rows] of Object.entries(kinds)) {
        for (const [type, body, seen] of rows) {
          const expected = setting.split(',').includes(kind) ? seen : 'absent'
          const line = `${setting}: ${String(type)}`
          assert.deepEqual([line, ...(await see(app, type, body))], [line, 200, expected])
        }
      }
    })
  }
})

test('a method in a body that is not parsed is ignored', async (t) => {
  const app = await testApp(t, { demos: [mirror], settings: { BODY_READERS: 'text' } })
  const rows: [type: string, body: string][] = [
    ['application/json', '{"_method":"PUT"}'],
    [formType, '_method=PUT'],
  ]
  for (const [type, body] of rows) {
    await t.test(`${type} ${body}`, async () => {
      const headers = { 'content-type': type }
      const response = await sendBothWays(app, { method: 'POST', path: '/mirror', headers, body })
      assert.equal(response.headers['x-method'], 'POST')
    })
  }
})

test('the routes that echo bodies return {} for a body without a reader', async (t) => {
  const app = await testApp(t)
  for (const type of [
    'application/xml',
    'text/plain',
    'image/png',
    'multipart/form-data; boundary=b',
  ]) {
    await t.test(type, async () => {
      const headers = { 'content-type': type }
      const request = { method: 'POST', path: '/users/post', headers, body: 'x' }
      const response = await sendBothWays(app, request)
      assert.deepEqual([type, response.status, response.body], [type, 200, '{}'])
    })
  }
})
