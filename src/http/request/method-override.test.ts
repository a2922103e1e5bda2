import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sendBothWays, sendRaw, type TestRequest } from '../../../test/support/request-both-ways.ts'
import { mirror } from '../../../test/support/mirror.ts'
import { testApp, useApp } from '../../../test/support/test-app.ts'

const form = { 'content-type': 'application/x-www-form-urlencoded' }
const json = { 'content-type': 'application/json' }

const mirrored = useApp({ demos: [mirror] })

/** The value of an override → the method of the request. */
const values: Readonly<Record<string, string>> = {
  GET: 'GET',
  POST: 'POST',
  PUT: 'PUT',
  DELETE: 'DELETE',
  PATCH: 'PATCH',
  OPTION: 'OPTIONS',
  OPTIONS: 'OPTIONS',
  HEAD: 'HEAD',
}

/** The source of an override → a request with `value` there. */
const sources: Readonly<Record<string, (value: string) => TestRequest>> = {
  'the query string': (value) => ({ path: `/mirror?_method=${value}` }),
  'a query string with encoded letters': (value) => ({ path: `/mirror?%5f%6Dethod=${value}` }),
  'a JSON body': (value) => ({
    path: '/mirror',
    headers: json,
    body: JSON.stringify({ _method: value }),
  }),
  'a body without a type': (value) => ({
    path: '/mirror',
    body: JSON.stringify({ _method: value }),
  }),
  'a body of a +json type': (value) => ({
    path: '/mirror',
    headers: { 'content-type': 'application/merge-patch+json' },
    body: JSON.stringify({ _method: value }),
  }),
  'a form body': (value) => ({ path: '/mirror', headers: form, body: `_method=${value}` }),
  'the header': (value) => ({ path: '/mirror', headers: { 'x-http-method-override': value } }),
}

for (const [source, send] of Object.entries(sources)) {
  test(`${source} sets every method in any letter case, of any request that carries parameters there`, async (t) => {
    const app = mirrored()
    for (const [value, method] of Object.entries(values)) {
      await t.test(`${value} ${method}`, async () => {
        const mixed = value.slice(0, 1) + value.slice(1).toLowerCase()
        for (const spelling of [value, value.toLowerCase(), mixed]) {
          // RFC 9110 §9.3.1: the content of GET, HEAD and DELETE has no meaning.
          const methods = ['POST', 'PUT', 'PATCH', 'OPTIONS']
          if (send(value).body === undefined) methods.push('GET', 'DELETE')
          for (const receivedMethod of methods) {
            const { status, headers } = await sendBothWays(app, {
              method: receivedMethod,
              ...send(spelling),
            })
            const line = `${receivedMethod} with ${spelling}`
            assert.deepEqual([line, status, headers['x-method']], [line, 200, method])
          }
        }
      })
    }
  })

  test(`an invalid method in ${source} is ignored`, async (t) => {
    const app = mirrored()
    const unknown = ['', 'TRACE', 'CONNECT', 'QUERY', 'PROPFIND', 'PUTS', 'PUT,DELETE', '1']
    for (const value of [...unknown, '__proto__', 'constructor', 'toString']) {
      await t.test(value, async () => {
        const { status, headers } = await sendBothWays(app, { method: 'POST', ...send(value) })
        assert.deepEqual([value, status, headers['x-method']], [value, 200, 'POST'])
      })
    }
  })
}

test('a letter that resembles one in Unicode does not match it', async (t) => {
  const app = mirrored()
  // ſ and ı become S and I in upper case.
  for (const value of ['po%C5%BFt', 'opt%C4%B1on']) {
    await t.test(value, async () => {
      const path = `/mirror?_method=${value}`
      const { headers } = await sendBothWays(app, { method: 'PUT', path })
      assert.deepEqual([value, headers['x-method']], [value, 'PUT'])
    })
  }
})

test('the query string has precedence over the body, and the body over the header', async (t) => {
  const app = mirrored()
  const header = { 'x-http-method-override': 'DELETE' }
  const rows: [expected: string, TestRequest][] = [
    [
      'PUT',
      { path: '/mirror?_method=PUT', headers: { ...form, ...header }, body: '_method=PATCH' },
    ],
    ['PUT', { path: '/mirror?_method=PUT', headers: json, body: '{"_method":"PATCH"}' }],
    ['PUT', { path: '/mirror?_method=PUT', headers: header }],
    ['PATCH', { path: '/mirror', headers: { ...form, ...header }, body: '_method=PATCH' }],
    ['PATCH', { path: '/mirror', headers: { ...json, ...header }, body: '{"_method":"PATCH"}' }],
    // The method as sent is a value like any other.
    ['POST', { path: '/mirror?_method=POST', headers: header }],
  ]
  for (const [expected, request] of rows) {
    await t.test(JSON.stringify(request), async () => {
      const { headers } = await sendBothWays(app, { method: 'POST', ...request })
      assert.equal(headers['x-method'], expected)
    })
  }
})

test('the first source with a parameter decides, also if its value is not a method', async (t) => {
  const app = mirrored()
  const header = { 'x-http-method-override': 'DELETE' }
  const values = ['TRACE', 'FOO', '', 'PUT,DELETE', 'PUT&_method=PUT', 'PUT&_method=FOO']
  const parameters = values.map((value) => `_method=${value}`)
  parameters.push('_method', '%5Fmethod=FOO', '_method[]=PUT', '_method[0]=PUT', '_method[a]=PUT')
  const members = [
    '"TRACE"',
    '["PUT"]',
    '{"a":"PUT"}',
    '1',
    'true',
    'null',
    '""',
    '"PUT","_method":0',
  ]
  const rows: TestRequest[] = [
    ...parameters.flatMap((text) => [
      { path: `/mirror?${text}`, headers: header },
      { path: `/mirror?${text}`, headers: { ...form, ...header }, body: '_method=PATCH' },
      { path: `/mirror?${text}`, headers: { ...json, ...header }, body: '{"_method":"PATCH"}' },
      { path: '/mirror', headers: { ...form, ...header }, body: text },
    ]),
    ...members.map((value) => ({
      path: '/mirror',
      headers: { ...json, ...header },
      body: `{"_method":${value}}`,
    })),
  ]
  for (const request of rows) {
    await t.test(JSON.stringify(request), async () => {
      const { status, headers } = await sendBothWays(app, { method: 'POST', ...request })
      const seen = { ...(JSON.parse(headers['x-query'] ?? '') as object) }
      assert.deepEqual([status, headers['x-method'], seen], [200, 'POST', {}])
    })
  }
})

test('a value of the header that is not one method is ignored', async (t) => {
  const app = mirrored()
  for (const value of ['PUT, DELETE', '', 'FOO']) {
    await t.test(value, async () => {
      const headers = { 'x-http-method-override': value }
      const sent = await sendBothWays(app, { method: 'POST', path: '/mirror', headers })
      assert.equal(sent.headers['x-method'], 'POST')
    })
  }
})

for (const method of ['GET', 'HEAD', 'DELETE', 'QUERY', 'PROPFIND']) {
  test(`the body of ${method} does not override the method`, async () => {
    const app = mirrored()
    const bodies: [TestRequest['headers'], body: string][] = [
      [json, '{"_method":"PUT"}'],
      [form, '_method=PUT'],
      [{ ...form, 'transfer-encoding': 'chunked' }, '_method=PUT'],
      [{ 'content-type': 'application/merge-patch+json' }, '{"_method":"FOO"}'],
    ]
    for (const [headers, body] of bodies) {
      const request = { method, path: '/mirror', body }
      const { headers: plain } = await sendBothWays(app, { ...request, headers: { ...headers } })
      // The mirror has no route for PROPFIND, and its 501 has no such header.
      assert.equal(plain['x-method'], method === 'PROPFIND' ? undefined : method)
      const override = { ...headers, 'x-http-method-override': 'PATCH' }
      const { headers: overridden } = await sendBothWays(app, { ...request, headers: override })
      assert.equal(overridden['x-method'], 'PATCH')
    }
  })
}

test('a safe request with a body deletes nothing', async (t) => {
  const app = await testApp(t)
  await app.inject({ method: 'PUT', url: '/places/rome', payload: { name: 'Rome' } })
  const body = '{"_method":"DELETE"}'
  for (const method of ['GET', 'HEAD', 'QUERY']) {
    const sent = await sendBothWays(app, { method, path: '/places/rome', headers: json, body })
    assert.equal(sent.status, method === 'QUERY' ? 405 : 200)
  }
  assert.equal((await app.inject('/places/rome')).statusCode, 200)
})

test('bodies without fields do not override the method', async (t) => {
  const app = mirrored()
  const multipart = '--b\r\ncontent-disposition: form-data; name="_method"\r\n\r\nPUT\r\n--b--\r\n'
  const rows: [type: string, body: string][] = [
    ['multipart/form-data; boundary=b', multipart],
    ['text/plain', '_method=PUT'],
    ['text/plain', '{"_method":"PUT"}'],
    ['application/xml', '_method=PUT'],
    ['application/octet-stream', '{"_method":"PUT"}'],
    ['application/json', '"_method"'],
    ['application/json', '[{"_method":"PUT"}]'],
    ['application/json', '{"a":{"_method":"PUT"}}'],
    ['application/x-www-form-urlencoded', 'a[_method]=PUT'],
  ]
  for (const [type, body] of rows) {
    await t.test(`${type} ${body}`, async () => {
      const request = { method: 'POST', headers: { 'content-type': type }, body }
      const sent = await sendBothWays(app, { ...request, path: '/mirror' })
      assert.deepEqual([body, sent.status, sent.headers['x-method']], [body, 200, 'POST'])
      const inQuery = await sendBothWays(app, { ...request, path: '/mirror?_method=PATCH' })
      assert.deepEqual([body, inQuery.status, inQuery.headers['x-method']], [body, 200, 'PATCH'])
    })
  }
})

test('a malformed body does not override the method, and is rejected', async (t) => {
  const app = await testApp(t, { demos: [mirror], settings: { MAX_BODY_BYTES: '100' } })
  const header = { 'x-http-method-override': 'PATCH' }
  const rows: [status: number, TestRequest][] = [
    [400, { path: '/mirror', headers: { ...json, ...header }, body: '{"_method":"PUT"' }],
    [400, { path: '/mirror?_method=PUT', headers: json, body: '{' }],
    [413, { path: '/mirror', headers: { ...json, ...header }, body: `"${'x'.repeat(100)}"` }],
    [415, { path: '/mirror', headers: { ...json, 'content-encoding': 'compress' }, body: '{}' }],
    [400, { path: `/mirror?_method=PUT&a=%ff` }],
  ]
  for (const [expected, request] of rows) {
    await t.test(JSON.stringify(request), async () => {
      const { status } = await sendBothWays(app, { method: 'POST', ...request })
      assert.equal(status, expected)
    })
  }
})

test('an override in the body of OPTIONS * gets 400: no other method has this target', async () => {
  const app = mirrored()
  const body = '{"_method":"GET"}'
  const fields = ['Host: localhost', 'Connection: close', 'Content-Type: application/json']
  const head = ['OPTIONS * HTTP/1.1', ...fields, `Content-Length: ${String(body.length)}`, '', '']
  assert.match(await sendRaw(app, head.join('\r\n') + body), /^HTTP\/1\.1 400 /)
})
