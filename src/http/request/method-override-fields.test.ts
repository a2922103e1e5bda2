import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sendBothWays, type TestRequest } from '../../../test/support/request-both-ways.ts'
import { mirror } from '../../../test/support/mirror.ts'
import { testApp } from '../../../test/support/test-app.ts'

const form = { 'content-type': 'application/x-www-form-urlencoded' }
const json = { 'content-type': 'application/json' }
test('the handler of the new method gets the other fields, without the control fields', async (t) => {
  const app = await testApp(t, { demos: [mirror] })
  const fields = {
    _method: 'PUT',
    _if_match: '"1"',
    _idempotency_key: 'k',
    name: 'Ann',
    _other: 'x',
  }
  const asForm = new URLSearchParams(fields).toString()
  const asJson = JSON.stringify(fields)
  const rows: [TestRequest, query: object, body: object | undefined][] = [
    [{ path: '/mirror', headers: json, body: asJson }, {}, { name: 'Ann', _other: 'x' }],
    [{ path: '/mirror', body: asJson }, {}, { name: 'Ann', _other: 'x' }],
    [{ path: '/mirror', headers: form, body: asForm }, {}, { name: 'Ann', _other: 'x' }],
    [{ path: `/mirror?${asForm}` }, { name: 'Ann', _other: 'x' }, undefined],
  ]
  for (const [request, query, body] of rows) {
    const { headers } = await sendBothWays(app, { method: 'POST', ...request })
    assert.equal(headers['x-method'], 'PUT')
    const seen = [headers['x-query'], headers['x-body']]
    assert.deepEqual(seen, [JSON.stringify(query), body ? JSON.stringify(body) : 'absent'])
  }
})

test('control fields are removed even if they name no method', async (t) => {
  const app = await testApp(t, { demos: [mirror] })
  const rows: TestRequest[] = [
    { path: '/mirror', headers: json, body: '{"_method":["PUT"],"_if_match":1}' },
    { path: '/mirror', headers: form, body: '_method[a]=PUT&_idempotency_key=' },
    { path: '/mirror?_method=TRACE', body: '{}' },
    { path: '/mirror?_method[a][b]=PUT', body: '{}' },
  ]
  for (const request of rows) {
    const { headers } = await sendBothWays(app, { method: 'POST', ...request })
    assert.deepEqual([headers['x-query'], headers['x-body']], ['{}', '{}'])
  }
})

test('an override selects the routes of its method', async (t) => {
  const app = await testApp(t)
  const rows: [TestRequest, status: number, body: RegExp][] = [
    [{ path: '/people/7?_method=PUT' }, 422, /name/],
    [{ path: '/people/7', headers: form, body: '_method=delete' }, 404, /person/],
    [{ path: '/mirror/query', headers: form, body: '_method=get&a=glass' }, 200, /^a: $/m],
    [{ path: '/mirror/query?a=glass&_method=GET' }, 200, /glass/],
    [{ path: '/mirror/query?_method=DELETE' }, 405, /DELETE/],
    [{ path: '/mirror/query?_method=OPTION' }, 204, /^$/],
    [{ path: '/nowhere?_method=PATCH' }, 404, /\/nowhere/],
  ]
  for (const [request, status, body] of rows) {
    await t.test(JSON.stringify(request), async () => {
      const received = await sendBothWays(app, { method: 'POST', ...request })
      assert.equal(received.status, status)
      assert.match(received.body, body)
    })
  }
})

test('the log line has both methods, and one without an override', async (t) => {
  const app = await testApp(t, { demos: [mirror] })
  await app.inject({ method: 'POST', url: '/mirror?_method=PATCH&secret=s' })
  await app.inject({ method: 'POST', url: '/mirror' })
  const lines = app.logLines.map((line) => JSON.parse(line) as Record<string, unknown>)
  assert.deepEqual(
    lines
      .filter(({ msg }) => msg === 'request completed')
      .map(({ method, receivedMethod, path, status }) => [method, receivedMethod, path, status]),
    [
      ['PATCH', 'POST', '/mirror', 200],
      ['POST', undefined, '/mirror', 200],
    ],
  )
})

for (const value of ['FOO', 'trace']) {
  test(`a 405 after _method=${value} names the value`, async (t) => {
    const app = await testApp(t)
    const query = await app.inject({ method: 'DELETE', url: `/people?_method=${value}` })
    const body = await app.inject({
      method: 'PUT',
      url: '/people',
      headers: form,
      payload: `_method=${value}`,
    })
    for (const response of [query, body]) {
      assert.equal(response.statusCode, 405)
      assert.ok(
        response.body.includes(`"${value}" is not a method that _method can name.`),
        response.body,
      )
    }
    const plain = await app.inject({ method: 'DELETE', url: '/people' })
    assert.doesNotMatch(plain.body, /_method/)
  })
}
