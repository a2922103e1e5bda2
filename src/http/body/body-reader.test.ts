import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sendBothWays } from '../../../test/support/request-both-ways.ts'
import { mirror } from '../../../test/support/mirror.ts'
import { sendToMirror } from '../../../test/support/mirrored-body.ts'
import { testApp, useApp, type TestApp } from '../../../test/support/test-app.ts'

const formType = 'application/x-www-form-urlencoded'
const mirrored = useApp({ demos: [mirror] })
const methods = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

test('each media type has its reader, and a body without a reader is ignored', async (t) => {
  const app = mirrored()
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
    await t.test(`${type ?? 'no type'}: ${body}`, async () => {
      assert.deepEqual([type, ...(await sendToMirror(app, type, body))], [type, 200, seen])
    })
  }
})

// Seed, general convention 6: a body without a reader is absent, and so is one with an invalid type.
test('a body with an invalid media type is ignored', async (t) => {
  const app = mirrored()
  for (const type of ['nonsense', 'json', '/', 'application/', ';charset=utf-8']) {
    await t.test(type, async () => {
      const [status] = await sendToMirror(app, type, '{"a":1}')
      assert.deepEqual([type, status], [type, 200])
    })
  }
})

test('the body of every method that may have one is parsed', async () => {
  const app = mirrored()
  for (const method of methods) {
    for (const chunked of [{}, { 'transfer-encoding': 'chunked' }]) {
      const headers = { 'content-type': 'application/json', ...chunked }
      const request = { method, path: '/mirror', headers, body: '{"a":1}' }
      const response = await sendBothWays(app, request)
      assert.deepEqual([method, response.headers['x-body']], [method, '{"a":1}'])
    }
  }
})

test('an empty body counts as no body, with any media type and method', async () => {
  const app = mirrored()
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

test('a body of MAX_BODY_BYTES is accepted, and one more byte gets 413', async (t) => {
  const app = await testApp(t, { demos: [mirror], settings: { MAX_BODY_BYTES: '1000' } })
  const headers = [{}, { 'transfer-encoding': 'chunked' }]
  for (const framing of headers) {
    for (const [type, make] of Object.entries(makers)) {
      const line = `${type} ${JSON.stringify(framing)}`
      const [most] = await sendToMirror(app, type, make(1000), framing)
      const [over] = await sendToMirror(app, type, make(1001), framing)
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
  const usual = await testApp(t, { settings: { DEMOS: 'bodies' } })
  const raised = await testApp(t, {
    settings: { DEMOS: 'bodies', MAX_BODY_BYTES: String(2 * mebibyte) },
  })
  const rows: [TestApp, bytes: number, status: number][] = [
    [usual, mebibyte, 200],
    [usual, mebibyte + 1, 413],
    [raised, 2 * mebibyte, 200],
    [raised, 2 * mebibyte + 1, 413],
  ]
  for (const [app, bytes, expected] of rows) {
    await t.test(`${String(bytes)} ${String(expected)}`, async () => {
      const response = await sendBothWays(app, {
        method: 'POST',
        path: '/users/post',
        headers: { 'content-type': 'text/plain' },
        body: makeText(bytes),
      })
      assert.deepEqual([bytes, response.status], [bytes, expected])
    })
  }
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
          assert.deepEqual([line, ...(await sendToMirror(app, type, body))], [line, 200, expected])
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

const ignored: readonly [url: string, type: string | undefined, body: string, ignored?: string][] =
  [
    ['/users/post', 'application/xml', 'x', 'application/xml'],
    ['/users/post', 'Image/PNG; a=b', 'x', 'image/png'],
    ['/users/post', 'text/plain', 'x', 'text/plain'],
    ['/users/post', 'multipart/form-data; boundary=b', 'x', 'multipart/form-data'],
    ['/users/post', 'nonsense', 'x', 'application/octet-stream'],
    ['/users/post', 'application/xml', ''],
    ['/users/post', 'application/problem+json', '{}'],
    ['/users/post', undefined, '{}'],
    ['/users/post/raw', 'application/json', '{}', 'application/json'],
    ['/users/post/raw', 'text/csv', 'a'],
    ['/users/post/formdata', 'application/x-www-form-urlencoded', 'a=1', formType],
    ['/users/post/formdata', 'multipart/form-data; boundary=b', '--b--'],
    ['/api/post_json_with_param', 'application/xml', 'x', 'application/xml'],
  ]
const bodies = useApp({ settings: { DEMOS: 'bodies,api' } })
for (const [url, type = 'no type', body, expected] of ignored) {
  test(`Vitrine-Ignored-Body of ${url} with ${type} and ${body || 'no body'} is ${String(expected)}`, async () => {
    const app = bodies()
    const headers = type === 'no type' ? {} : { 'content-type': type }
    const response = await sendBothWays(app, { method: 'POST', path: url, headers, body })
    const { 'vitrine-ignored-body': named } = response.headers
    assert.deepEqual([response.status, named], [200, expected])
  })
}

test('Vitrine-Ignored-Body names a body whose reader is disabled', async (t) => {
  const app = await testApp(t, { settings: { DEMOS: 'bodies', BODY_READERS: 'none' } })
  for (const url of ['/users/post', '/users/post/raw', '/users/post/formdata']) {
    for (const type of ['application/json', formType, 'text/plain', 'multipart/form-data']) {
      const headers = { 'content-type': type }
      const response = await sendBothWays(app, { method: 'POST', path: url, headers, body: 'x' })
      assert.deepEqual([response.status, response.headers['vitrine-ignored-body']], [200, type])
    }
  }
})
