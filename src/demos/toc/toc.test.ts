import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertDocumented } from '../../../test/support/openapi/documented.ts'
import { testApp, useApp } from '../../../test/support/test-app.ts'

const sharedApp = useApp()

const form = { 'content-type': 'application/x-www-form-urlencoded' }
const json = { 'content-type': 'application/json' }
const post = { method: 'POST', url: '/toc/aaa' } as const

test('the value of a is returned as text', async () => {
  const app = sharedApp()
  const payload = 'a=glass&sex=female&vehicle=bike&vehicle=car'
  const response = await app.inject({ ...post, headers: form, payload })
  assert.equal(response.statusCode, 200)
  assert.equal(response.headers['content-type'], 'text/plain; charset=utf-8')
  assert.equal(response.headers['x-content-type-options'], 'nosniff')
  assert.equal(response.body, 'glass')
})

test('the value of a is returned byte for byte', async (t) => {
  const app = sharedApp()
  const values = [
    '  two spaces  ',
    'a\r\nb\n',
    '\u0000',
    'é🌍\u202e',
    '<b>&amp;"\'',
    '+%&=',
    '\ufeff',
  ]
  for (const value of values) {
    await t.test(JSON.stringify(value), async () => {
      const payload = `a=${encodeURIComponent(value)}`
      const response = await app.inject({ ...post, headers: form, payload })
      assert.deepEqual(response.rawPayload, Buffer.from(value))
    })
  }
})

test('a list or an object in a is shown as text', async (t) => {
  const app = sharedApp()
  const cases: [headers: Record<string, string>, payload: string, shown: string][] = [
    [form, 'a=one+two', 'one two'],
    [form, 'a=one&a=two', 'one, two'],
    [form, 'a[]=one&a[]=two', 'one, two'],
    [form, 'a[b]=c', '{"b":"c"}'],
    [json, '{"a":"glass"}', 'glass'],
    [json, '{"a":["one","two"]}', 'one, two'],
    [json, '{"a":{"b":["c"]}}', '{"b":["c"]}'],
    [json, '{"a":5}', '5'],
    [{}, '{"a":"glass"}', 'glass'],
  ]
  for (const [headers, payload, shown] of cases) {
    await t.test(payload, async () => {
      const response = await app.inject({ ...post, headers, payload })
      assert.equal(response.statusCode, 200)
      assert.equal(response.body, shown)
    })
  }
})

test('an absent a is an empty text', async (t) => {
  const app = sharedApp()
  const cases: [headers: Record<string, string>, payload: string][] = [
    [form, ''],
    [form, 'a='],
    [form, 'b=glass'],
    [json, ''],
    [json, 'null'],
    [json, '["a"]'],
    [{ 'content-type': 'text/plain' }, 'a=glass'],
    [{ 'content-type': 'application/xml' }, '<a>glass</a>'],
    [{ 'content-type': 'multipart/form-data; boundary=x' }, 'not read here'],
  ]
  for (const [headers, payload] of cases) {
    await t.test(payload, async () => {
      const response = await app.inject({ ...post, headers, payload })
      assert.equal(response.statusCode, 200)
      assert.equal(response.headers['content-type'], 'text/plain; charset=utf-8')
      assert.equal(response.body, '')
    })
  }
})

test('a in the query string is ignored', async () => {
  const app = sharedApp()
  const url = '/toc/aaa?a=query'
  const response = await app.inject({ ...post, url, headers: form, payload: 'b=1' })
  assert.equal(response.statusCode, 200)
  assert.equal(response.body, '')
})

test('a form is ignored without the form reader', async (t) => {
  for (const readers of ['none', 'json,text,multipart']) {
    await t.test(readers, async () => {
      const app = await testApp(t, { settings: { BODY_READERS: readers } })
      const response = await app.inject({ ...post, headers: form, payload: 'a=glass' })
      assert.equal(response.statusCode, 200)
      assert.equal(response.body, '')
    })
  }
})

test('a malformed body gets 400, and one that is too large 413', async (t) => {
  const app = await testApp(t, { settings: { MAX_BODY_BYTES: '100' } })
  const cases: [headers: Record<string, string>, payload: string, status: number][] = [
    [form, 'a=%ff', 400],
    [json, '{"a":', 400],
    [form, 'a[1][2][3][4][5][6]=x', 400],
    [form, `a=${'x'.repeat(98)}`, 200],
    [form, `a=${'x'.repeat(99)}`, 413],
  ]
  for (const [headers, payload, status] of cases) {
    await t.test(payload, async () => {
      assert.equal((await app.inject({ ...post, headers, payload })).statusCode, status)
    })
  }
})

test('no other path below /toc exists', async (t) => {
  const app = sharedApp()
  for (const url of ['/toc', '/toc/bbb', '/toc/aaa/bbb']) {
    await t.test(url, async () => {
      const response = await app.inject({ ...post, url, headers: form, payload: 'a=glass' })
      assert.equal(response.statusCode, 404)
    })
  }
})

test('the responses are as documented', async () => {
  const app = sharedApp()
  await assertDocumented(app, { ...post, payload: { a: 'brass' } }, 200)
})

for (const readers of ['json,form,text,multipart', 'none']) {
  test(`with BODY_READERS=${readers}, Vitrine-Ignored-Body names a body of text`, async (t) => {
    const app = await testApp(t, { settings: { BODY_READERS: readers } })
    const headers = { 'content-type': 'text/plain' }
    const response = await app.inject({ ...post, headers, payload: 'a=1' })
    assert.deepEqual(
      [response.statusCode, response.headers['vitrine-ignored-body']],
      [200, 'text/plain'],
    )
  })
}
