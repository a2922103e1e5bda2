import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sendBothWays, type TestRequest } from '../../../test/support/request-both-ways.ts'
import { mirror } from '../../../test/support/mirror.ts'
import { testApp } from '../../../test/support/test-app.ts'

const form = { 'content-type': 'application/x-www-form-urlencoded' }
const json = { 'content-type': 'application/json' }

test('when disabled, nothing is overridden and _method is an ordinary field', async (t) => {
  const app = await testApp(t, { demos: [mirror], settings: { METHOD_OVERRIDE: 'off' } })
  const rows: [TestRequest, query: object, body: object | undefined][] = [
    [{ path: '/mirror?_method=PUT&_request_id=r' }, { _method: 'PUT' }, undefined],
    [{ path: '/mirror', headers: json, body: '{"_method":"PUT"}' }, {}, { _method: 'PUT' }],
    [{ path: '/mirror', headers: form, body: '_method=PUT&_request_id=r' }, {}, { _method: 'PUT' }],
    [{ path: '/mirror', headers: { 'x-http-method-override': 'PUT' } }, {}, undefined],
    [{ path: '/mirror?_if_match=a' }, { _if_match: 'a' }, undefined],
  ]
  for (const [request, query, body] of rows) {
    const { headers } = await sendBothWays(app, { method: 'POST', ...request })
    assert.equal(headers['x-method'], 'POST')
    const seen = [headers['x-query'], headers['x-body']]
    assert.deepEqual(seen, [JSON.stringify(query), body ? JSON.stringify(body) : 'absent'])
  }
})

const previews = ['Slackbot-LinkExpanding 1.0', 'WhatsApp/2.23.20.0', 'Mozilla/5.0', 'curl/8.5.0']
const preset = { PRESET: 'public' }

for (const settings of [{ METHOD_OVERRIDE: 'unsafe-from-post' }, preset]) {
  for (const agent of previews) {
    test(`with ${JSON.stringify(settings)} a link for ${agent} deletes nothing`, async (t) => {
      const app = await testApp(t, { settings })
      await app.inject({ method: 'PUT', url: '/places/rome', payload: { name: 'Rome' } })
      const headers = { 'user-agent': agent, 'sec-fetch-site': 'same-origin' }
      for (const method of ['GET', 'HEAD', 'OPTIONS', 'QUERY', 'PROPFIND', 'REPORT', 'LOCK']) {
        for (const override of [{}, { 'x-http-method-override': 'PUT' }]) {
          const url = `/places/rome${'x-http-method-override' in override ? '' : '?_method=DELETE'}`
          const request = { method: method as 'GET', url, headers: { ...headers, ...override } }
          const response = await app.inject(request)
          assert.equal(response.statusCode, 403, method)
          if (method !== 'HEAD') assert.match(response.body, /METHOD_OVERRIDE/)
        }
      }
      assert.equal((await app.inject('/places/rome')).statusCode, 200)
    })
  }

  test(`with ${JSON.stringify(settings)} a form's POST still deletes`, async (t) => {
    const app = await testApp(t, { settings })
    await app.inject({ method: 'PUT', url: '/places/rome', payload: { name: 'Rome' } })
    const asGet = await app.inject({ method: 'POST', url: '/places/rome?_method=GET' })
    assert.equal(asGet.statusCode, 200)
    const request = { headers: form, payload: '_method=DELETE' }
    await app.inject({ method: 'POST', url: '/places/rome', ...request })
    assert.equal((await app.inject('/places/rome')).statusCode, 404)
  })
}
