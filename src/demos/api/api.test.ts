import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testApp, useApp } from '../../../test/support/test-app.ts'
import type { OpenApiDocument } from '../../http/openapi/document.ts'

const sharedApp = useApp()

interface Content {
  content: string
  name?: string
}

const jsonType = 'application/json; charset=utf-8'
const form = { 'content-type': 'application/x-www-form-urlencoded' }
const json = { 'content-type': 'application/json' }
const post = { method: 'POST', url: '/api/post_json_with_param' } as const

test('/api/json returns a JSON object with only content', async (t) => {
  const app = sharedApp()
  for (const url of ['/api/json', '/api/json/', '/api/json?name=ann']) {
    await t.test(url, async () => {
      const response = await app.inject(url)
      assert.equal(response.statusCode, 200)
      assert.equal(response.headers['content-type'], jsonType)
      const object = response.json<Content>()
      assert.deepEqual(Object.keys(object), ['content'])
      assert.equal(typeof object.content, 'string')
    })
  }
})

test('name in the query string is returned beside content', async (t) => {
  const app = sharedApp()
  const cases: [query: string, name: string][] = [
    ['name=ann', 'ann'],
    ['name=', ''],
    ['name=caf%C3%A9+%22', 'café "'],
    ['name=a&name=b', 'a, b'],
    ['name[]=a&name[]=b', 'a, b'],
    ['name[x]=b', '{"x":"b"}'],
  ]
  for (const [query, name] of cases) {
    for (const path of ['/api/get_json_with_param', '/api/get_json_with_param/']) {
      await t.test(`${query} ${name} ${path}`, async () => {
        const response = await app.inject(`${path}?${query}`)
        assert.equal(response.statusCode, 200)
        assert.equal(response.headers['content-type'], jsonType)
        const object = response.json<Content>()
        assert.deepEqual(Object.keys(object), ['content', 'name'])
        assert.equal(typeof object.content, 'string')
        assert.equal(object.name, name)
      })
    }
  }
})

test('without name in the query string the response has no name', async (t) => {
  const app = sharedApp()
  for (const query of ['', '?', '?other=ann']) {
    await t.test(query, async () => {
      const response = await app.inject(`/api/get_json_with_param${query}`)
      assert.equal(response.statusCode, 200)
      assert.deepEqual(Object.keys(response.json<Content>()), ['content'])
    })
  }
})

test('name in a body is returned beside content', async (t) => {
  const app = sharedApp()
  const cases: [headers: Record<string, string>, payload: string, name: string][] = [
    [form, 'name=ann', 'ann'],
    [form, 'name=', ''],
    [form, 'name=caf%C3%A9+x', 'café x'],
    [form, 'name=a&name=b', 'a, b'],
    [form, 'name[x]=b', '{"x":"b"}'],
    [json, '{"name":"ann"}', 'ann'],
    [json, '{"name":["a","b"]}', 'a, b'],
    [json, '{"name":{"x":[1]}}', '{"x":[1]}'],
    [{ 'content-type': 'application/ld+json' }, '{"name":"ann"}', 'ann'],
    [{}, '{"name":"ann"}', 'ann'],
  ]
  for (const [headers, payload, name] of cases) {
    for (const url of [post.url, `${post.url}/`]) {
      await t.test(`${payload} ${name} ${url}`, async () => {
        const response = await app.inject({ ...post, url, headers, payload })
        assert.equal(response.statusCode, 200)
        assert.equal(response.headers['content-type'], jsonType)
        const object = response.json<Content>()
        assert.deepEqual(Object.keys(object), ['content', 'name'])
        assert.equal(object.name, name)
      })
    }
  }
})

test('without name in the body the response has no name', async (t) => {
  const app = sharedApp()
  const cases: [headers: Record<string, string>, payload: string][] = [
    [form, ''],
    [form, 'other=ann'],
    [json, ''],
    [json, 'null'],
    [json, '{}'],
    [{ 'content-type': 'text/plain' }, 'name=ann'],
    [{ 'content-type': 'application/xml' }, '<name>ann</name>'],
  ]
  for (const [headers, payload] of cases) {
    await t.test(payload, async () => {
      const response = await app.inject({ ...post, headers, payload })
      assert.equal(response.statusCode, 200)
      assert.deepEqual(Object.keys(response.json<Content>()), ['content'])
    })
  }
})

test('a POST ignores name in the query string', async () => {
  const app = sharedApp()
  const response = await app.inject({ ...post, url: `${post.url}?name=ann` })
  assert.deepEqual(Object.keys(response.json<Content>()), ['content'])
})

test('a body whose reader is disabled is ignored', async (t) => {
  const cases: [readers: string, headers: Record<string, string>, payload: string][] = [
    ['none', form, 'name=ann'],
    ['none', json, '{"name":"ann"}'],
    ['json,text,multipart', form, 'name=ann'],
    ['form', json, '{"name":"ann"}'],
    ['form', {}, '{"name":"ann"}'],
  ]
  for (const [readers, headers, payload] of cases) {
    await t.test(readers, async () => {
      const app = await testApp(t, { settings: { BODY_READERS: readers } })
      const response = await app.inject({ ...post, headers, payload })
      assert.equal(response.statusCode, 200)
      assert.deepEqual(Object.keys(response.json<Content>()), ['content'])
    })
  }
})

test('the error for an unknown path names /api/json, for any method and Accept', async (t) => {
  const app = sharedApp()
  const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const
  for (const url of ['/api', '/api/', '/api/nowhere', '/api/json/more', '/api/nowhere?a=1']) {
    for (const method of methods) {
      for (const accept of ['*/*', 'text/html', 'text/plain']) {
        await t.test(`${url} ${method} ${accept}`, async () => {
          const response = await app.inject({ method, url, headers: { accept } })
          assert.equal(response.statusCode, 404, `${method} ${url}`)
          assert.equal(response.headers['content-type'], jsonType, `${method} ${url}`)
          const object = response.json<{ error: string }>()
          assert.deepEqual(Object.keys(object), ['error'], `${method} ${url}`)
          assert.match(object.error, /\/api\/json/, `${method} ${url}`)
        })
      }
    }
  }
})

test('an unsupported method gets 405 with Allow, and an error that names /api/json', async (t) => {
  const app = sharedApp()
  const cases = [
    ['POST', '/api/json', 'GET, HEAD, OPTIONS'],
    ['DELETE', '/api/json/', 'GET, HEAD, OPTIONS'],
    ['POST', '/api/get_json_with_param', 'GET, HEAD, OPTIONS'],
    ['PUT', '/api/get_json_with_param', 'GET, HEAD, OPTIONS'],
    ['GET', '/api/post_json_with_param', 'POST, OPTIONS'],
    ['PATCH', '/api/post_json_with_param', 'POST, OPTIONS'],
  ] as const
  for (const [method, url, allow] of cases) {
    await t.test(`${method} ${url}`, async () => {
      const response = await app.inject({ method, url, headers: { accept: 'text/html' } })
      assert.equal(response.statusCode, 405)
      assert.equal(response.headers.allow, allow)
      assert.equal(response.headers['content-type'], jsonType)
      const object = response.json<{ error: string }>()
      assert.deepEqual(Object.keys(object), ['error'])
      assert.match(object.error, /\/api\/json/)
    })
  }
})

test('a malformed request gets an error of the same shape', async (t) => {
  const app = await testApp(t, { settings: { MAX_BODY_BYTES: '100' } })
  const cases = [
    ['GET', '/api/json?a=%ff', {}, '', 400],
    ['GET', '/api/json?a[1][2][3][4][5][6]=x', {}, '', 400],
    ['GET', '/api/%ff', {}, '', 400],
    ['POST', post.url, json, '{"name":', 400],
    ['POST', post.url, json, '['.repeat(65), 400],
    ['POST', post.url, json, '{"__proto__":{"name":"ann"}}', 400],
    ['POST', post.url, form, 'name=%ff', 400],
    ['POST', post.url, form, `name=${'x'.repeat(96)}`, 413],
  ] as const
  for (const [method, url, headers, payload, status] of cases) {
    await t.test(`${url} ${payload}`, async () => {
      const response = await app.inject({ method, url, headers, ...(payload && { payload }) })
      assert.equal(response.statusCode, status)
      assert.equal(response.headers['content-type'], jsonType)
      assert.deepEqual(Object.keys(response.json<object>()), ['error'])
    })
  }
})

test('HEAD has the headers of GET and no body', async (t) => {
  const app = sharedApp()
  for (const url of ['/api/json', '/api/get_json_with_param?name=ann', '/api/nowhere']) {
    await t.test(url, async () => {
      const get = await app.inject(url)
      const head = await app.inject({ method: 'HEAD', url })
      assert.equal(head.statusCode, get.statusCode)
      assert.equal(head.headers['content-type'], get.headers['content-type'])
      assert.equal(head.headers['content-length'], get.headers['content-length'])
      assert.equal(head.body, '')
    })
  }
})

test('a path that only begins with the letters of /api has no API error', async (t) => {
  const app = await testApp(t, { settings: { DEMOS: 'api,mirror' } })
  const response = await app.inject('/apiary')
  assert.equal(response.statusCode, 404)
  assert.equal(response.headers['content-type'], 'text/plain; charset=utf-8')
  assert.match(response.body, /\/apiary/)
})

test('api alone: any other path, with any method, gets JSON that names /api/json', async (t) => {
  const app = await testApp(t, { settings: { DEMOS: 'api' } })
  for (const url of ['/nowhere', '/a/b/c', '/api', '/api/nowhere', '/users', '/user', '/a.html']) {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const) {
      await t.test(`${method} ${url}`, async () => {
        const response = await app.inject({ method, url, headers: { accept: 'text/html' } })
        assert.equal(response.statusCode, 404)
        assert.equal(response.headers['content-type'], 'application/json; charset=utf-8')
        const object = response.json<{ error: string }>()
        assert.deepEqual(Object.keys(object), ['error'])
        assert.match(object.error, /\/api\/json/)
      })
    }
  }
})

test('the document has the errors of /api, which have their own shape', async () => {
  const app = sharedApp()
  const { paths } = (await app.inject('/openapi.json')).json<OpenApiDocument>()
  const { 400: error } = paths['/api/json']?.get?.responses ?? {}
  assert.deepEqual(error, { $ref: '#/components/responses/api-BadRequest' })
})
